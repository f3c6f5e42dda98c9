// outcome: raised TypeError('late')
async function f() {
  await null;
  throw new TypeError('late');
}
f();
console.log('first');

function* count(n) {
  for (let i = 0; i < n; i++) {
    const back = yield i;
    if (back) {
      i += back;
    }
  }
  return 'done';
}
function* outer(n) {
  const got = yield* count(n);
  yield got;
}
const a = count(3), b = count(5);
let out = [];
for (const x of a) {
  const y = b.next(1);
  out.push(x, y.value);
}
for (const z of outer(2)) out.push(z);
const g = count(9);
g.next();
try {
  g.throw(new Error('stop'));
} catch (e) {
  out.push(e.message);
}
g.return(3);
console.log(out.join());

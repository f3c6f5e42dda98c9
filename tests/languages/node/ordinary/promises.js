// async/await with Promise.all, race, allSettled
const later = (v, n) => new Promise((done) => {
  setTimeout(() => {
    done(v);
  }, n);
});
async function square(x) {
  const y = await later(x, 1);
  return y * y;
}
async function main() {
  const all = await Promise.all([1, 2].map(square));
  const settled = await Promise.allSettled([
    square(3),
    Promise.reject(new Error('r')),
  ]);
  let total = 0;
  for (const { status, value, reason } of settled) {
    if (status === 'fulfilled') total += value;
    else total += reason.message.length;
  }
  const first = await Promise.race([later('a', 500), later('b', 1)]);
  try {
    await Promise.any([Promise.reject(1), Promise.reject(2)]);
  } catch ({ errors, name }) {
    console.log(name, errors);
  }
  return { all, total, first };
}
main().then(console.log, console.error).finally(() => console.log('done'));

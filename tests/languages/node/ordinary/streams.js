// async generators, for await, closures in loops
async function* ticks(n) {
  try {
    for (let i = 0; i < n; i++) {
      await null;
      yield i;
    }
  } finally {
    console.log('ticks over');
  }
}
async function* doubled(src) {
  for await (const x of src) yield x * 2;
}
async function collect(src, limit = Infinity) {
  const out = [];
  for await (const x of src) {
    out.push(x);
    if (out.length >= limit) break;
  }
  return out;
}
const makers = [];
for (let i = 0; i < 3; i++) {
  makers.push(() => i++);
}
for (const m of makers) m();
const seen = makers.map((m) => m());
(async () => {
  console.log(await collect(doubled(ticks(3))));
  console.log(await collect(ticks(10), 2));
  console.log(seen);
})();

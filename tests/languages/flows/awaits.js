async function wait(ms, v) {
  await null;
  return v * 2;
}
async function bad() {
  await wait(1, 1);
  throw new TypeError('bad');
}
async function main() {
  const xs = await Promise.all([wait(1, 2), wait(2, 3)]);
  let s = 0;
  for (const x of xs) {
    s += x;
  }
  try {
    await bad();
  } catch (e) {
    s = e.message;
  } finally {
    console.log('finally');
  }
  for await (const v of stream(2)) {
    s += v;
  }
  return s;
}
async function* stream(n) {
  for (let i = 0; i < n; i++) {
    yield await wait(0, i);
  }
}
main().then(r => console.log(r));
setTimeout(() => {
  console.log('later');
}, 1);

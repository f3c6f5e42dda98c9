class Counter {
  constructor(start) {
    this.n = start;
  }
  add(k) {
    this.n += k;
    return this;
  }
}
const c = new Counter(2);
c.add(3);
const doubled = [1, 2, 3].map((x) => {
  const y = x * 2;
  return y;
});
const { n } = c;
const [first, ...rest] = doubled;
let sum = n;
for (const d of rest) {
  sum += d;
}

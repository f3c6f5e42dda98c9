// Values that grow large, in JavaScript: `large NAME N` makes N changes to one.
function append(n) {
  const xs = [];
  for (let i = 0; i < n; i++) {
    xs.push(i);
  }
  return xs.length;
}
function insert(n) {
  const squares = new Map();
  for (let i = 0; i < n; i++) {
    squares.set(i, i * i);
  }
  return squares.size;
}
function update(n) {
  const counts = new Map(Array.from({ length: 1000 }, (_, i) => [i, 0]));
  for (let i = 0; i < n; i++) {
    counts.set((i * 7919) % 1000, i);
  }
  return counts.get(((n - 1) * 7919) % 1000) + 1;
}
function text(n) {
  let s = '';
  for (let i = 0; i < n; i++) {
    s += String.fromCharCode(97 + (i % 26));
  }
  return s.length;
}
const n = Number(process.argv[3]);
console.log(n === 0 ? 0 : { append, insert, update, text }[process.argv[2]](n));

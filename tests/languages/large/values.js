let table = new Array(100).fill(0);
function store(i) {
  table[(i * 37) % 100] = i;
  table[0] = 0 - i;
}
function work(n) {
  const xs = new Array(100).fill(0);
  const m = new Map();
  let s = '';
  for (let i = 0; i < n; i++) {
    if (i % 6 === 0) xs.push(i);
    if (i % 6 === 1) xs.unshift(i);
    if (i % 6 === 2) xs[(i * 37) % xs.length] = 0 - i;
    if (i % 6 === 3) xs.splice(Math.floor(xs.length / 2), 1);
    if (i % 6 === 4) s += i % 4 ? 'xyz' : 'é';
    if (i % 6 === 5) m.set((i * 31) % 97, 'é' + i);
    store(i);
  }
  return s.length;
}
process.exitCode = work(Number(process.argv[2])) ? 0 : 1;

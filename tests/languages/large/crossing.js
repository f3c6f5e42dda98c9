function work(n) {
  const xs = [];
  const m = new Map();
  for (let i = 0; i < n; i++) {
    const size = xs.length, up = Math.floor(i / 70) % 2 === 0;
    if (up) xs.push(size * 1000);
    if (up) m.set((size * 7) % 101, `${i}`);
    if (!up && size) xs.pop();
    if (!up && size) m.delete((size * 7) % 101);
    if (i % 7 === 3 && xs.length) xs[0] += 1;
    if (i % 50 === 49) xs.unshift(5);
    if (i % 90 === 89) xs.length = 0;
    if (i % 100 === 99) m.clear();
  }
  return n;
}
process.exitCode = work(Number(process.argv[2])) ? 0 : 1;

function work(n) {
  const a = new Array(100).fill(0);
  const b = new Array(100).fill(1);
  let x = a;
  for (let i = 0; i < n; i++) {
    if (i % 4 === 0) x = b;
    if (i % 4 === 2) x = a;
    x[(i * 37) % 100] = i;
    b[(i * 7) % 100] = -1 - i;
    if (i % 20 === 19) x = 'x'.repeat(300 + i);
    if (i % 20 === 19) x = a;
    if (i % 30 === 29) b.push(i % 60 === 29 ? undefined : 'é');
    if (i % 50 === 49) a.length = 101;
  }
  return n;
}
process.exitCode = work(Number(process.argv[2])) ? 0 : 1;

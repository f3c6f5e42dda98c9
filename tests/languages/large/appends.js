function work(n) {
  const xs = [];
  for (let i = 0; i < n; i++) {
    xs.push(i);
  }
  return n;
}
process.exitCode = work(Number(process.argv[2])) ? 0 : 1;

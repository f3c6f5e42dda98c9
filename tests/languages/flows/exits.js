function g(x) {
  const y = x;
  process.exit(y);
}
let a = 3;
g(a);

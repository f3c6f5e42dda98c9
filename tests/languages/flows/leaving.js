function code(n) {
  return n * 2;
}
process.exit(code(2));

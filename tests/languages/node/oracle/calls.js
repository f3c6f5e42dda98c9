function fib(n) {
  if (n < 2) {
    return n;
  }
  const left = fib(n - 1);
  const right = fib(n - 2);
  return left + right;
}
const answer = fib(5);
const text = 'x' + answer;

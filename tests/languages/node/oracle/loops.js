function collatz(n) {
  let steps = 0;
  while (n !== 1) {
    if (n % 2 === 0) {
      n = n / 2;
    } else {
      n = 3 * n + 1;
    }
    steps++;
  }
  return steps;
}
let total = 0;
for (let i = 1; i < 6; i++) {
  total += collatz(i);
}
for (const x of [3, 4]) {
  total -= x;
}
for (const key in { a: 1, b: 2 }) {
  total += key.length;
}

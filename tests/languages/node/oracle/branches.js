function kind(n) {
  switch (n % 4) {
    case 0:
      return 'zero';
    case 1:
      n = n + 1;
    case 2:
      n = n * 2;
      break;
    default:
      n = -1;
  }
  return 'n' + n;
}
let out = '';
for (let i = 0; i < 5; i++) {
  out = out + kind(i);
}
outer: for (let a = 0; a < 3; a++) {
  for (let b = 0; b < 3; b++) {
    if (b === 1) {
      continue outer;
    }
    if (a === 2) {
      break outer;
    }
    out = out + a + b;
  }
}
let n = 3;
do {
  n = n - 1;
} while (n > 0);

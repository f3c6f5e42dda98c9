function isPrime(n) {
  if (n < 2) {
    return false;
  }
  for (let k = 2; k * k <= n; k++) {
    if (n % k === 0) {
      return false;
    }
  }
  return true;
}
function firstPrimes(most) {
  let found = 0;
  let n = 1;
  let text = '';
  while (found < most) {
    n += 1;
    const good = isPrime(n);
    if (!good) {
      continue;
    }
    found += 1;
    text += n + ' ';
  }
  return text;
}
console.log(firstPrimes(4));

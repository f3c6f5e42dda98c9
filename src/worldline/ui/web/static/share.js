// Shares with Wilson's 95 % interval, and McNemar's exact test, as in core/stats.py, for a page without a server.

const Z = 1.959963984540054; // the normal quantile of 97.5 %

/** {some, n, low, high}; for n = 0 the interval is 0 to 1. */
export function shareOf(some, n) {
  if (!n) return { some, n, low: 0, high: 1 };
  const rate = some / n;
  const square = Z * Z;
  const middle = (rate + square / (2 * n)) / (1 + square / n);
  const half = (Z / (1 + square / n)) * Math.sqrt((rate * (1 - rate)) / n + square / (4 * n * n));
  return { some, n, low: some === 0 ? 0 : Math.max(0, middle - half), high: some === n ? 1 : Math.min(1, middle + half) };
}

/** McNemar's exact two-sided p of the flips. */
export function mcnemar(lost, gained) {
  const n = lost + gained;
  let term = -n * Math.LN2; // logarithms: 2 ** -n underflows in a large run
  let total = 0;
  for (let k = 0; k <= Math.min(lost, gained); k += 1) {
    total += Math.exp(term);
    term += Math.log((n - k) / (k + 1));
  }
  return Math.min(1, 2 * total);
}

function insertion(xs) {
  for (let i = 1; i < xs.length; i++) {
    const x = xs[i];
    let j = i - 1;
    while (j >= 0 && xs[j] > x) {
      xs[j + 1] = xs[j];
      j = j - 1;
    }
    xs[j + 1] = x;
  }
  return xs;
}
const sorted = insertion([3, 1, 2, 5, 4]);
let checked = true;
for (let i = 1; i < sorted.length; i++) {
  if (sorted[i - 1] > sorted[i]) {
    checked = false;
  }
}

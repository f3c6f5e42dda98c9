// outcome: returned
// delta: xs=[1, 2, 3]
const xs = [3, 1, 2];
xs.sort((a, b) => { if (xs.length > 9) xs.pop(); return a - b; });
console.log(xs.join());

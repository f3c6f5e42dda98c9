// outcome: returned
// series: seen = 0
// delta: xs=[1, 2, 3]
let seen = 0;
for (const name of ['push', 'map', 'forEach', 'join', 'slice', 'indexOf', 'concat', 'fill', 'pop', 'includes']) {
  Array.prototype[name] = function () { seen++; return this; };
}
Array.prototype[Symbol.iterator] = function* () { seen++; };
const xs = [1, 2];
xs[2] = 3;
console.log(seen);

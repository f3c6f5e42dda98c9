// outcome: returned
// delta: xs=[1, 2, 3]
let seen = 0;
for (const name of ['push', 'map', 'filter', 'forEach', 'join', 'slice', 'indexOf', 'concat', 'fill', 'pop', 'includes']) {
  Array.prototype[name] = function () { seen++; return this; };
}
Array.prototype[Symbol.iterator] = function* () { seen++; };
const xs = [1, 2];
xs[2] = 3;
const fs = require('fs');
const stack = new Error('here').stack;
fs.writeSync(1, seen + ' ' + stack.slice(0, 11) + '\n');
process.on('exit', () => {
  fs.writeSync(1, seen + ' ' + typeof require('util') + '\n');
});

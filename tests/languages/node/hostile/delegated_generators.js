// outcome: returned
// delta: all=[1, 2, 3]
function* inner() { yield 1; yield 2; return 3; }
function* outer() { const last = yield* inner(); yield last; }
const all = [];
for (const x of outer()) all.push(x);
console.log(all.join());

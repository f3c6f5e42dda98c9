// outcome: returned
// delta: kind=True
// limits: steps=10000000 wall=120
let kind;
function f() { f(); }
try { f(); } catch (e) { kind = e instanceof RangeError; }
console.log(kind);

// outcome: returned
// delta: x=7
// delta: y=3
let x = 1;
eval('x = 7; var y = 3;');
const f = new Function('a', 'return a * 2');
var y;
console.log(x, f(4), y);

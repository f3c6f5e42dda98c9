// outcome: returned
// delta: x=2
let x = 1;
process.emit('exit', 5);
x = 2;
console.log(x);

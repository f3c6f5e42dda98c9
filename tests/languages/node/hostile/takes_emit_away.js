// outcome: exited 0
// series: x = 1 | 2
process.emit = function () { return false; };
process.reallyExit = undefined;
let x = 1;
x = 2;

// outcome: any
// plain: skip
process.emit = function () { return false; };
process.reallyExit = undefined;
let x = 1;
x = 2;

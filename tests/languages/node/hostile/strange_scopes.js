// outcome: raised ReferenceError("Cannot access 'q' before initialization")
var x = 1;
function x2() { return 1; }
function x2() { return 2; }
{ function inner() { return 'block'; } }
function shadow(x) { { let x = 5; x++; } var y = x; if (y) { var z = y + 1; } return z; }
function params(a, b = () => a) { var a = 2; return [a, b()]; }
switch (x) { case 0: let q = 1; break; case 1: q = 2; default: console.log('no'); }

// outcome: raised RangeError('Maximum call stack size exceeded')
// limits: steps=10000000 wall=120
function f(n) {
  return f(n + 1) + 1;
}
f(0);

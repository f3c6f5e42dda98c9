// outcome: limit time
// limits: wall=3
// delta: x=1
// plain: skip
let x = 1;
/^(a+)+$/.test('a'.repeat(60) + 'b');
x = 2;

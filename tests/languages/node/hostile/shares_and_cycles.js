// outcome: returned
// same: b=a
// delta: c=#1{'self': #1, 'list': [#1]}
const a = [1];
const b = a;
const c = {};
c.self = c;
c.list = [c];
b.push(2);
console.log(a.length);

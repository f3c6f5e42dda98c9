// outcome: returned
// delta: p=Proxy#2(target={'a': 1}, handler=Proxy#1(target={}, handler={'get': <function get>}))
// delta: nested=[Proxy#2(target={'a': 1}, handler=Proxy#1(target={}, handler={'get': <function get>}))]
// delta: trapped=0
let trapped = 0;
const all = new Proxy({}, { get: (_, name) => () => { trapped++; return name; } });
const p = new Proxy({ a: 1 }, all);
const nested = [p];
const f = new Proxy(function () {}, all);
console.log(trapped);

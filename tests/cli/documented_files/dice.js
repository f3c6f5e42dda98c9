const a = Math.random();
const b = Math.random();
const c = Math.random();
const d = Math.random();
const e = Math.random();
const f = Math.random();
console.log(a + b + c + d + e + f);

// outcome: returned
// delta: calls=0
let calls = 0;
const o = { toString() { calls++; }, valueOf() { calls++; }, toJSON() { calls++; }, [Symbol.toPrimitive]() { calls++; }, inspect() { calls++; } };
o[Symbol.toStringTag] = 'Map';
class K { static get name() { calls++; return 'x'; } get [Symbol.toStringTag]() { calls++; return 'y'; } }
const k = new K();
console.log(calls);

// outcome: returned
// delta: w=WeakMap#1(changes=0)
// delta: s=<symbol a.b>
const w = new WeakMap(), ws = new WeakSet(), s = Symbol('a.b'), ref = new WeakRef({}), p = Promise.resolve(1);
const o = { [s]: 1, [Symbol.iterator]: null };
const view = new DataView(new ArrayBuffer(8)), f = new Float64Array([1.5, -0]);
const boxed = [Object(1), Object('a'), Object(2n), new Boolean(false)];
console.log(typeof s);

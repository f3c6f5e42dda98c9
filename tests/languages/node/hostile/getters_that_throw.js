// outcome: returned
// delta: o={'x': <accessor>, 'y': 1}
const o = { get x() { throw new Error('asked'); }, y: 1 };
class C { get z() { throw new Error('asked'); } }
const c = new C();
Object.defineProperty(c, 'w', { get() { throw new Error('asked'); }, enumerable: true });
const xs = [1];
Object.defineProperty(xs, '1', { get() { throw new Error('asked'); }, enumerable: true });
console.log('fine');

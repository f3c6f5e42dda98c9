// outcome: returned
// delta: a=[1, 2]
const a = [1, 2];
const o = { constructor: { name: 'Map' } };
function F() { this.v = 1; }
F.prototype.constructor = { get name() { throw new Error('asked'); } };
const f = new F();
const m = Object.create(Map.prototype);
const bare = Object.create(null);
bare.x = 1;
console.log(bare.x);

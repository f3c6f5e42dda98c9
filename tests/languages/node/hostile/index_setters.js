// outcome: returned
// delta: xs=[7]
// delta: leaked=0
let leaked = 0;
Object.defineProperty(Array.prototype, '0', { set() { leaked++; }, get() { leaked++; return 5; }, configurable: true });
Object.defineProperty(Object.prototype, 'line', { set() { leaked++; }, configurable: true });
const xs = [7];
delete Array.prototype[0];
console.log(leaked);

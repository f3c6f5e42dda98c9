// outcome: returned
// delta: long=...<str 200000>
// delta: big=...<list 100000>
// limits: value_bytes=10000
const long = 'x'.repeat(200000);
const big = new Array(100000).fill(7);
big[5] = 8;
const sparse = [];
sparse[4000000000] = 1;
const n = 2n ** 100000n;
let list = null;
for (let i = 0; i < 2000; i++) list = { list };
console.log(big.length);

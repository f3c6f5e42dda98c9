// The five workloads in JavaScript: `node workloads.js NAME TIMES` runs one of them so often. It is TypeScript too.
function int_loop(n) {
  let total = 0;
  for (let i = 0; i < n; i++) {
    total += i;
  }
  return total;
}
function string_build(n) {
  let text = '';
  for (let i = 0; i < n; i++) {
    text += String.fromCharCode(97 + (i % 26));
  }
  return text;
}
function bubble_sort(xs) {
  const n = xs.length;
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n - 1 - i; j++) {
      if (xs[j] > xs[j + 1]) {
        [xs[j], xs[j + 1]] = [xs[j + 1], xs[j]];
      }
    }
  }
  return xs[0];
}
function bfs(graph, start) {
  const distance = new Map([[start, 0]]);
  const queue = [start];
  while (queue.length) {
    const node = queue.shift();
    for (const other of graph.get(node)) {
      if (!distance.has(other)) {
        distance.set(other, distance.get(node) + 1);
        queue.push(other);
      }
    }
  }
  return distance.size;
}
function fib(n) {
  if (n < 2) {
    return n;
  }
  return fib(n - 1) + fib(n - 2);
}
const shuffled = Array.from({ length: 200 }, (_, i) => ((i * 7919) % 200) * 3 + 1);
let drawn = 7;
const draw = () => ((drawn = (Math.imul(drawn, 1103515245) + 12345) >>> 0) >>> 8) % 300;
const graph = new Map(Array.from({ length: process.argv[2] === 'bfs' ? 300 : 0 }, (_, i) => [i, Array.from({ length: 6 }, draw)]));
const runs = {
  int_loop: () => int_loop(100000), string_build: () => string_build(2000).length, bubble_sort: () => bubble_sort(shuffled.slice()),
  bfs: () => bfs(graph, 0), fib: () => fib(18),
};
let found = 0;
for (let round = 0; round < Number(process.argv[3]); round++) {
  found += runs[process.argv[2]]();
}
console.log(found);

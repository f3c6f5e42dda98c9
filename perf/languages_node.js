// The five workloads in JavaScript; `go` runs one of them as often as it is told.
const shuffled = Array.from({ length: 200 }, (_, i) => ((i * 7919) % 200) * 3 + 1);
let drawn = 7;
function draw() {
  drawn = (drawn * 1103515245 + 12345) % 2147483648;
  return drawn % 300;
}
const graph = new Map(Array.from({ length: 300 }, (_, i) => [i, Array.from({ length: 6 }, draw)]));
function intLoop(n) {
  let total = 0;
  for (let i = 0; i < n; i++) {
    total += i;
  }
  return total;
}
function stringBuild(n) {
  let text = '';
  for (let i = 0; i < n; i++) {
    text += String.fromCharCode(97 + (i % 26));
  }
  return text;
}
function bubbleSort(xs) {
  const n = xs.length;
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n - 1 - i; j++) {
      if (xs[j] > xs[j + 1]) {
        [xs[j], xs[j + 1]] = [xs[j + 1], xs[j]];
      }
    }
  }
  return xs;
}
function bfs(start) {
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
const jobs = { int: () => intLoop(100000), string: () => stringBuild(2000), bubble: () => bubbleSort(shuffled.slice()), bfs: () => bfs(0), fib: () => fib(18) };
function go(name, times) {
  for (let i = 0; i < times; i++) {
    jobs[name]();
  }
}

// a bank: prototypes, closures, memo, recursion, currying, higher order
function Account(owner) {
  this.owner = owner;
  this.log = [];
  let balance = 0;
  this.deposit = function (n) {
    balance += n;
    this.log.push(['in', n]);
    return this;
  };
  this.balance = () => balance;
}
Account.prototype.describe = function () {
  return `${this.owner}: ${this.balance()}`;
};
const memo = (f) => {
  const cache = new Map();
  return (n) => {
    if (!cache.has(n)) cache.set(n, f(n));
    return cache.get(n);
  };
};
const fib = memo((n) => (n < 2 ? n : fib(n - 1) + fib(n - 2)));
const curry = (f, ...got) => (got.length >= f.length ? f(...got) : (...more) => curry(f, ...got, ...more));
const add3 = curry((a, b, c) => a + b + c);
const compose = (...fs) => (x) => fs.reduceRight((acc, f) => f(acc), x);
const acc = new Account('Eve').deposit(5).deposit(7);
const f6 = fib(6);
const six = add3(1)(2)(3);
const inc2 = compose((x) => x + 1, (x) => x * 2)(10);
function hanoi(n, a, b, c, moves = []) {
  if (n === 0) return moves;
  hanoi(n - 1, a, c, b, moves);
  moves.push(a + c);
  return hanoi(n - 1, b, a, c, moves);
}
const moves = hanoi(2, 'A', 'B', 'C');
const tree = { v: 1, kids: [{ v: 2, kids: [] }, { v: 3, kids: [{ v: 4, kids: [] }] }] };
const sumTree = ({ v, kids }) => v + kids.reduce((s, k) => s + sumTree(k), 0);
const total = sumTree(tree);
tree.kids[1].kids[0].v = 40;
const bound = acc.describe.bind(acc);
console.log(bound(), f6, six, inc2, moves, total, sumTree(tree));

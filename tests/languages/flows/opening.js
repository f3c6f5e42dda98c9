// What runs before a body, and after its return: default values, fields, and `finally` on every way out.
function g(v) {
  if (v === 'bad') throw new Error(v);
  return v;
}
function f(n, a = g(n), { b = g(2) } = {}) {
  return a + b;
}
class A {
  x = g('x');
  constructor(n, m = g(n)) {
    this.m = m;
  }
}
class B extends A {
  y = g('y');
  constructor() {
    g('before');
    super('b');
  }
}
function* gen() {
  let i = 0;
  try {
    yield i;
  } finally {
    i += yield 5;
  }
}
async function later(n, a = g(n)) {
  for (const p of [1, 2]) {
    try {
      await p;
      if (p === 1) continue;
    } finally {
      g(p);
    }
  }
  return a;
}
const all = [f(1), f(1, 2), new A(3), new B()];
for (const bad of [() => f('bad'), () => new A('bad')]) {
  try {
    bad();
  } catch (e) {
    all.push(e.message);
  }
}
const closing = gen();
closing.next();
all.push(closing.return(7), closing.next(1));
for (const k in { a: 1, b: 2 }) {
  try {
    if (k === 'a') continue;
    break;
  } finally {
    all.push(k);
  }
}
later(1);
later('bad').catch((e) => all.push(e.message));

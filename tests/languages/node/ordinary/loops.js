// labelled loops, switch, do while, comma, tagged templates, Symbol.iterator
function tag(strings, ...values) {
  let out = '';
  strings.forEach((s, i) => {
    out += s.toUpperCase() + (values[i] ?? '');
  });
  return out + strings.raw.length;
}
class Range {
  constructor(a, b) {
    this.a = a;
    this.b = b;
  }
  *[Symbol.iterator]() {
    for (let i = this.a; i < this.b; i++) yield i;
  }
}
const countdown = {
  from: 3,
  [Symbol.iterator]() {
    let n = this.from;
    return {
      next: () => (n > 0 ? { value: n--, done: false } : { value: undefined, done: true }),
      return() {
        console.log('closed', n);
        return { done: true };
      },
    };
  },
};
let hits = 0;
outer: for (const i of new Range(0, 4)) {
  for (const j of countdown) {
    if (j === 2 && i === 1) continue outer;
    if (i === 2) break outer;
    hits += i * j;
  }
}
let k = 0;
do {
  k++;
  switch (k) {
    case 1:
    case 2:
      hits += 100;
      break;
    case 3: {
      const hits = 'shadow';
      console.log(hits);
    }
    default:
      hits -= 1;
  }
} while (k < 4);
for (var a = 0, b = 10; a < b; a += 3, b--);
const m = tag`a${1}b${k}c`;
block: {
  if (k) break block;
  hits = -1;
}
for (const key in { p: 1, q: 2 }) hits += key.charCodeAt(0);
console.log(hits, a, b, m, [...new Range(1, 3)], Math.max(...countdown));

function dflt(a: number = side(1), { b = 2, ...rest }: any = {}, [c, d = side(4)]: number[] = []) {
  return a + b + (c || 0) + d;
}
function side(x) { return x * 10; }
class P { x: number;
  #secret = 1;
  static made = 0;
  constructor(x) {
    this.x = x;
    P.made++;
  }
  get twice() { return this.x * 2; }
  set twice(v) { this.x = v / 2; }
  grow(n) {
    outer: for (let i = 0; i < n; i++) {
      for (let j = 0; j < n; j++) {
        if (j === 2) continue outer;
        if (i === 2) break outer;
        this.x += this.#secret;
      }
    }
    return this;
  }
}
class Q extends P {
  constructor() {
    super(5);
    this.q = [1];
  }
}
function sw(x) {
  switch (x) {
    case 1:
      x += 1;
    case 2:
      x += 2;
      break;
    default:
      x = -1;
  }
  return x;
}
function fin(x) {
  try {
    if (x) throw new Error('e' + x);
    return 'plain';
  } catch (e) {
    return e.message;
  } finally {
    x = 0;
  }
}
const add = x => y => x + y;
let r = [dflt(), dflt(1, { b: 3, z: 4 }, [5])];
const q = new Q().grow(3);
q.twice = q.twice + 2;
r.push(q.x, P.made, sw(1), sw(2), sw(9), fin(0), fin(1), add(1)(2));
let k = 0;
do {
  k++;
} while (k < 3);
var { length } = r;
for (const key in { a: 1, b: 2 }) { r.push(key); }
console.log(r.map(v => typeof v).join(), length, [3, 1, 2].sort((m, n) => m - n));
const rec = n => n <= 0 ? 0 : n +
  rec(n - 1);
console.log(rec(3));
throw new RangeError('end');

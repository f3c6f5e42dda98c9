// getters, setters, static, private fields and methods, accessors, inheritance
class Temp {
  static #count = 0;
  static unit = 'C';
  #deg = 0;
  name;
  constructor(name, deg) {
    this.name = name;
    this.deg = deg;
    Temp.#count++;
  }
  get deg() {
    return this.#deg;
  }
  set deg(v) {
    if (typeof v !== 'number') throw new TypeError(`bad ${v}`);
    this.#clamp(v);
  }
  #clamp(v) {
    this.#deg = Math.max(-273, v);
  }
  static get count() {
    return Temp.#count;
  }
  static from({ name = 'anon', deg = 0 } = {}) {
    return new this(name, deg);
  }
  static {
    this.zero = new Temp('zero', 0);
  }
  has(o) {
    return #deg in o;
  }
  [Symbol.toPrimitive](hint) {
    return hint === 'number' ? this.#deg : `${this.name}:${this.#deg}`;
  }
}
class Hot extends Temp {
  level = 1;
  get deg() {
    return super.deg + 100;
  }
  set deg(v) {
    super.deg = v;
    this.level = v > 50 ? 2 : 1;
  }
}
const t = Temp.from({ deg: -500 });
const h = new Hot('h', 70);
h.deg += 1;
const text = `${t} ${h}`;
const sum = +t + +h;
let bad;
try {
  t.deg = 'x';
} catch (e) {
  bad = e;
}
console.log(text, sum, Temp.count, t.has(h), t.has({}), bad.message, Hot.unit);

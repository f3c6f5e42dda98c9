// Values into canonical text (docs/reference/format.md, section 1), as UTF-8 in a buffer, without calling anything of the program's.
// Runs in the recorder's realm: what the program patches is not what is called here. Getters and traps of a Proxy are never asked.
// Opaque is whatever has a class that is neither the program's own nor in the table of docs/reference/languages.md.
'use strict';

const { numberText, bigText, stringText, points, word, className, escaped, escapeText } = require('./text.js');
const { kinds } = require('./kinds.js');
const { HOLE } = require('./rows.js');
const { Closures } = require('./closures.js');

const apply = Reflect.apply, isArray = Array.isArray;
const { keys: keysOf, getOwnPropertyDescriptor: descriptorOf, getOwnPropertySymbols: symbolsOf, hasOwn } = Object;
const OVER = { over: true }, ACCESSOR = { accessor: true }, AWAITED = { awaited: true }, FEW = 12;
const { fromCodePoint } = String, { floor } = Math, SAFE = 9007199254740991;
const PLAIN = /^[ -&(-[\]-~]*$/;

/** Renders values for one trace; it holds the numbers given to objects. After `render`, the text is buf[0..length). */
class Renderer {
  constructor(outer, limits, traits) {
    this.outer = outer;
    this.kinds = kinds(outer, traits);
    this.careful = traits.careful; // getters may exist
    this.stateful = traits.stateful; // functions may have properties
    this.captures = traits.captures; // functions may capture variables
    this.closures = new Closures(outer, traits);
    this.isPlain = false; // of a function, only what it is called
    this.symbols = traits.symbols; // keys may be symbols
    this.most = limits.value_bytes;
    this.deepest = limits.value_depth;
    this.buf = outer.buffer(1 << 16);
    this.p = 0;
    this.serials = new WeakMap();
    this.next = 1;
    this.repeated = null;
    this.labels = null;
    this.few = new Array(FEW).fill(null);
    this.count = 0;
    this.many = null;
  }

  /** Writes the canonical text of a value into `buf`; its length. */
  render(v) {
    this.p = 0;
    this.count = 0;
    this.many = null;
    this.repeated = null;
    try {
      this.value(v, 0);
      if (this.repeated !== null) this.again(v);
      if (this.p > this.most) throw OVER;
    } catch (error) {
      if (error !== OVER) throw error;
      this.cut(v);
    }
    this.forget();
    return this.p;
  }

  /** The text of a function without what it captured: its frame shows that by other names. */
  renderPlain(v) {
    this.isPlain = true;
    const n = this.render(v);
    this.isPlain = false;
    return n;
  }

  /** What stands for a value that is too long; its length. */
  cut(v) {
    this.p = 0;
    this.raw(this.cutText(v));
    return this.p;
  }

  /** Writes elements, the first of which is number `from`, into `buf`, each behind what parts it from the one before. Where each ends; null: one is not primitive. */
  atoms(items, from, map) {
    const ends = [];
    this.p = 0;
    try {
      for (let i = from; i < from + items.length; i++) {
        const x = items[i - from];
        if (typeof x === 'function' || (typeof x === 'object' && x !== null && x !== HOLE)) return null;
        if (i > 0) this.raw(map && i % 2 === 1 ? ': ' : ', ');
        if (x === HOLE) this.raw('<hole>');
        else this.value(x, 1);
        ends.push(this.p);
      }
    } catch (error) {
      if (error !== OVER) throw error;
      return null;
    }
    return ends;
  }

  /** The canonical text of a value, as a string. */
  text(v) {
    const n = this.render(v);
    return apply(this.outer.utf8Slice, this.buf, [0, n]);
  }

  /** A second pass, when it is known which containers occur more than once. */
  again(v) {
    this.labels = new Map();
    this.p = this.count = 0;
    this.many = null;
    try {
      this.value(v, 0);
    } finally {
      this.labels = null;
    }
  }

  forget() {
    const n = this.count < FEW ? this.count : FEW;
    for (let i = 0; i < n; i++) this.few[i] = null;
    this.many = null;
    this.repeated = null;
  }

  // ---- bytes

  room(n) {
    if (this.p + n > this.buf.length) this.grow(n);
  }

  grow(n) {
    if (this.p > this.most + 8) throw OVER;
    const bigger = this.outer.buffer(2 * this.buf.length + n);
    apply(this.outer.setBytes, bigger, [this.buf]);
    this.buf = bigger;
  }

  raw(s) {
    const n = s.length;
    this.room(n * 3 + 8);
    const b = this.buf;
    let p = this.p;
    for (let i = 0; i < n; i++) {
      const c = s.charCodeAt(i);
      if (c > 127) {
        this.p = p + apply(this.outer.utf8Write, b, [s.slice(i), p]);
        return;
      }
      b[p++] = c;
    }
    this.p = p;
  }

  comma() {
    if (this.p > this.most) throw OVER;
    this.room(32);
    this.buf[this.p++] = 44;
    this.buf[this.p++] = 32;
  }

  number(x) {
    if ((x | 0) === x) {
      if (x !== 0 || 1 / x > 0) this.small(x);
      else this.raw('-0.0');
    } else if (x <= SAFE && x >= -SAFE && floor(x) === x) {
      this.room(24);
      if (x < 0) this.buf[this.p++] = 45;
      const size = x < 0 ? -x : x, high = floor(size / 1e9);
      if (high > 0) {
        this.small(high);
        this.digits(size - high * 1e9, 9);
      } else this.digits(size, 10);
    } else this.raw(numberText(x));
  }

  small(x) {
    this.room(16);
    if (x < 0) {
      this.buf[this.p++] = 45;
      x = -x; // 2147483648 for the least of them: no int32, so that the divisions below are unsigned
    }
    this.digits(x, x < 10 ? 1 : x < 100 ? 2 : x < 1000 ? 3 : x < 1e4 ? 4 : x < 1e5 ? 5 : x < 1e6 ? 6 : x < 1e7 ? 7 : x < 1e8 ? 8 : x < 1e9 ? 9 : 10);
  }

  digits(x, n) {
    const b = this.buf, p = this.p;
    for (let i = p + n - 1; i >= p; i--) { const q = (x / 10) >>> 0; b[i] = 48 + (x - q * 10); x = q; }
    this.p = p + n;
  }

  string(s) {
    const n = s.length;
    if (n > this.most) throw OVER;
    this.room(n + 16);
    const b = this.buf;
    let p = this.p;
    b[p++] = 39;
    if (n < 40) {
      for (let i = 0; i < n; i++) {
        const c = s.charCodeAt(i);
        if (c < 32 || c > 126 || c === 39 || c === 92) { this.escapedString(s); return; }
        b[p++] = c;
      }
    } else if (PLAIN.test(s)) p += apply(this.outer.latin1Write, b, [s, p, n]);
    else { this.escapedString(s); return; }
    b[p++] = 39;
    this.p = p;
  }

  escapedString(s) {
    const quote = s.includes("'") && !s.includes('"') ? 34 : 39;
    this.raw(quote === 34 ? '"' : "'");
    for (let i = 0; i < s.length; i++) {
      const c = s.codePointAt(i);
      if (c > 0xffff) i++;
      if (c >= 32 && c < 127 && c !== 92 && c !== quote) { this.room(8); this.buf[this.p++] = c; }
      else if (c === quote) this.raw("\\'");
      else if (c === 92 || escaped(c)) this.raw(escapeText(c));
      else this.raw(fromCodePoint(c));
      if (this.p > this.most) throw OVER;
    }
    this.raw(quote === 34 ? '"' : "'");
  }

  // ---- values

  value(v, depth) {
    if (this.p > this.most) throw OVER;
    switch (typeof v) {
      case 'number': this.number(v); return;
      case 'string': this.string(v); return;
      case 'boolean': this.raw(v ? 'True' : 'False'); return;
      case 'undefined': this.raw('<undefined>'); return;
      case 'bigint': this.big(v); return;
      case 'symbol': this.symbol(v); return;
      case 'function': this.function(v, depth); return;
    }
    if (v === null) { this.raw('None'); return; }
    if (v === AWAITED) { this.raw('<Promise>'); return; }
    if (v === ACCESSOR) { this.raw('<accessor>'); return; }
    this.object(v, depth);
  }

  big(v) {
    const bits = apply(this.outer.bigToString, v, [16]).length * 4;
    if (bits > this.most * 4) throw OVER;
    this.raw(`BigInt(${bigText(v)})`);
  }

  symbol(v) {
    const name = apply(this.outer.describe, v, []);
    this.raw(typeof name === 'string' && name !== '' ? `<symbol ${name.split('.').map(word).join('.')}>` : '<symbol>');
  }

  function(v, depth) {
    if (this.outer.isProxy(v)) { this.proxy(v, depth); return; }
    const name = this.kinds.functionName(v), kind = this.kinds.isClass(v) ? 'class' : 'function';
    const text = `<${kind} ${name === '' ? '<anonymous>' : word(name)}>`;
    const shown = depth <= this.deepest, hasFields = shown && this.stateful && this.kinds.hasFields(v);
    const entry = shown && this.captures && !(this.isPlain && depth === 0) ? this.closures.entryOf(v) : null;
    if (!hasFields && entry === null) { this.raw(text); return; }
    const head = `${kind}#${this.serial(v)}`;
    if (this.met(v)) { this.raw(head); return; }
    this.raw(`${head}(${text}`);
    if (entry !== null) this.captured(this.closures.read(v, entry), depth);
    if (hasFields) this.fields({ form: kind, readers: this.kinds.readersOfClass(v) }, v, depth, false);
    this.raw(')');
  }

  /** A proxy's target and handler, without its traps; a revoked one has neither. */
  proxy(v, depth) {
    const { target, handler } = this.outer.natives;
    if (target === null || depth > this.deepest) { this.raw('<Proxy>'); return; }
    const head = `Proxy#${this.serial(v)}`;
    if (this.met(v)) { this.raw(head); return; }
    this.raw(`${head}(target=`);
    this.value(target(v), depth + 1);
    this.raw(', handler=');
    this.value(handler(v), depth + 1);
    this.raw(')');
  }

  captured(pairs, depth) {
    for (let i = 0; i < pairs.length; i += 2) {
      this.raw(`, ${word(pairs[i])}=`);
      this.value(pairs[i + 1], depth + 1);
    }
  }

  object(v, depth) {
    if (this.outer.isProxy(v)) { this.proxy(v, depth); return; }
    if (isArray(v) && this.kinds.isPlainArray(v)) {
      if (depth > this.deepest) this.raw(`...<list ${v.length}>`);
      else if (!this.labelled(v)) this.array(v, depth);
      return;
    }
    const kind = this.kinds.of(v);
    if (kind.form === 'dict') {
      if (depth > this.deepest) this.raw(`...<dict ${keysOf(v).length}>`);
      else if (!this.labelled(v)) this.dict(v, depth);
    } else if (kind.form === 'opaque') this.raw(kind.text);
    else if (kind.form === 'state') this.state(kind, v, depth);
    else if (kind.form === 'error') this.error(kind, v, depth);
    else this.instance(kind, v, depth);
  }

  /** Notes a container; whether it was there before in this value, and its reference is written. */
  labelled(v) {
    const again = this.met(v);
    if (again && this.labels === null) (this.repeated ??= new Set()).add(v);
    if (this.labels !== null && this.repeated.has(v)) {
      if (!this.labels.has(v)) this.labels.set(v, this.labels.size + 1);
      this.raw(`#${this.labels.get(v)}`);
    }
    return again;
  }

  met(v) {
    const n = this.count;
    if (n < FEW) {
      for (let i = 0; i < n; i++) if (this.few[i] === v) return true;
      this.few[n] = v;
      this.count = n + 1;
      return false;
    }
    if (this.many === null) {
      this.many = new Set(this.few);
    }
    if (this.many.has(v)) return true;
    this.many.add(v);
    return false;
  }

  array(v, depth) {
    const n = v.length;
    if (n * 2 > this.most) throw OVER;
    this.room(16);
    this.buf[this.p++] = 91;
    for (let i = 0; i < n; i++) {
      if (i > 0) this.comma();
      const x = this.careful ? this.element(v, i) : v[i];
      if (typeof x === 'number') this.number(x);
      else if (x === undefined && !hasOwn(v, i)) this.raw('<hole>');
      else this.value(x, depth + 1);
      if (!this.careful) i = this.run(v, i, n);
    }
    this.room(16);
    this.buf[this.p++] = 93;
  }

  element(v, i) {
    const d = descriptorOf(v, i);
    return d === undefined ? undefined : 'value' in d ? d.value : ACCESSOR;
  }

  /** Elements after the i-th that are positive int32s, the commonest of all; the last of them. */
  run(v, i, n) {
    let p = this.p, b = this.buf;
    for (i++; i < n; i++) {
      let x = v[i];
      if (typeof x !== 'number' || (x | 0) !== x || x <= 0 || p > this.most) break;
      if (p + 16 > b.length) {
        this.p = p;
        this.grow(16);
        b = this.buf;
      }
      b[p++] = 44;
      b[p++] = 32;
      const d = x < 10 ? 1 : x < 100 ? 2 : x < 1000 ? 3 : x < 1e4 ? 4 : x < 1e5 ? 5 : x < 1e6 ? 6 : x < 1e7 ? 7 : x < 1e8 ? 8 : x < 1e9 ? 9 : 10;
      for (let j = p + d - 1; j >= p; j--) { const q = (x / 10) | 0; b[j] = 48 + (x - q * 10); x = q; }
      p += d;
    }
    this.p = p;
    return i - 1;
  }

  get(v, key) {
    if (!this.careful) return v[key];
    const d = descriptorOf(v, key);
    return d === undefined ? undefined : 'value' in d ? d.value : ACCESSOR;
  }

  dict(v, depth) {
    const keys = keysOf(v);
    if (keys.length * 2 > this.most) throw OVER;
    this.raw('{');
    for (let i = 0; i < keys.length; i++) {
      if (i > 0) this.comma();
      this.string(keys[i]);
      this.raw(': ');
      this.value(this.get(v, keys[i]), depth + 1);
    }
    if (this.symbols) this.symbolKeys(v, depth, keys.length === 0, true);
    this.raw('}');
  }

  /** Properties whose keys are symbols: keys of a dict, or fields. Whether a field would be the first thing. */
  symbolKeys(v, depth, first, dict) {
    const keys = symbolsOf(v);
    for (let i = 0; i < keys.length; i++) {
      if (!descriptorOf(v, keys[i]).enumerable) continue;
      if (!first) this.comma();
      first = false;
      if (dict) this.symbol(keys[i]);
      else this.raw(word(`[${apply(this.outer.describe, keys[i], []) ?? ''}]`));
      this.raw(dict ? ': ' : '=');
      this.value(this.get(v, keys[i]), depth + 1);
    }
    return first;
  }

  instance(kind, v, depth) {
    const head = `${kind.name}#${this.serial(v)}`;
    if (this.met(v)) { this.raw(head); return; }
    if (depth > this.deepest) { this.raw(this.cutText(v)); return; }
    this.raw(`${head}(`);
    const first = this.base(kind, v, depth);
    this.fields(kind, v, depth, first);
    this.raw(')');
  }

  /** What the object holds besides fields; whether a field would be the first thing in it. */
  base(kind, v, depth) {
    switch (kind.form) {
      case 'map': this.map(v, depth); return false;
      case 'set': this.items(this.kinds.setItems(v), depth); return false;
      case 'array': this.array(v, depth); return false;
      case 'typed': this.items(this.kinds.typedItems(v, this.most), depth); return false;
      case 'boxed': this.value(this.kinds.unboxed(v), depth + 1); return false;
      case 'date': this.number(this.kinds.time(v)); return false;
      case 'regexp':
        this.string(this.kinds.source(v));
        this.raw(', flags=');
        this.string(this.kinds.flags(v));
        this.raw(', lastIndex=');
        this.value(this.get(v, 'lastIndex'), depth + 1);
        return false;
    }
    return true;
  }

  map(v, depth) {
    const items = this.kinds.mapItems(v);
    if (items.length > this.most) throw OVER;
    this.raw('{');
    for (let i = 0; i < items.length; i += 2) {
      if (i > 0) this.comma();
      this.value(items[i], depth + 1);
      this.raw(': ');
      this.value(items[i + 1], depth + 1);
    }
    this.raw('}');
  }

  items(list, depth) {
    if (list === null || list.length * 2 > this.most) throw OVER;
    this.raw('[');
    for (let i = 0; i < list.length; i++) {
      if (i > 0) this.comma();
      this.value(list[i], depth + 1);
    }
    this.raw(']');
  }

  fields(kind, v, depth, first) {
    const keys = kind.form === 'array' || kind.form === 'typed' || kind.form === 'boxed' ? this.kinds.names(v) : keysOf(v);
    for (let i = 0; i < keys.length; i++) {
      this.raw(`${first ? '' : ', '}${word(keys[i])}=`);
      first = false;
      this.value(this.get(v, keys[i]), depth + 1);
    }
    if (this.symbols) first = this.symbolKeys(v, depth, first, false);
    for (let read = kind.readers; read !== null; read = read.up) {
      const found = [];
      read.of(v, found);
      for (let i = 0; i < found.length; i += 2) {
        this.raw(`${first ? '' : ', '}${word(found[i])}=`);
        first = false;
        this.value(found[i + 1], depth + 1);
      }
    }
    return first;
  }

  /** An object whose state no property shows. */
  state(kind, v, depth) {
    const { value, fields } = kind.state, head = `${kind.name}#${this.serial(v)}`;
    if (this.met(v)) { this.raw(head); return; }
    this.raw(`${head}(`);
    if (value instanceof Uint8Array) this.items(value, depth);
    else if (value !== undefined) this.string(value);
    for (let i = 0; i < fields.length; i += 2) {
      this.raw(`${i > 0 || value !== undefined ? ', ' : ''}${fields[i]}=`);
      this.value(fields[i + 1], depth + 1);
    }
    this.raw(')');
  }

  error(kind, v, depth) {
    if (this.met(v) || depth > this.deepest) { this.raw(`...<${kind.name} 0>`); return; }
    this.raw(`${className(kind.bare)}(`);
    const message = descriptorOf(v, 'message');
    let first = true;
    if (message !== undefined && 'value' in message) { this.value(message.value, depth + 1); first = false; }
    first = this.fields({ form: 'error', readers: kind.readers }, v, depth, first);
    for (const name of ['errors', 'cause']) {
      const d = descriptorOf(v, name);
      if (d === undefined || d.enumerable || !('value' in d)) continue;
      this.raw(`${first ? '' : ', '}${name}=`);
      first = false;
      this.value(d.value, depth + 1);
    }
    this.raw(')');
  }

  serial(v) {
    let n = this.serials.get(v);
    if (n === undefined) this.serials.set(v, n = this.next++);
    return n;
  }

  /** What stands for a value that is too long or too deep. */
  cutText(v) {
    switch (typeof v) {
      case 'string': return `...<str ${points(v)}>`;
      case 'bigint': return `...<BigInt ${apply(this.outer.bigToString, v < 0n ? -v : v, [2]).length}>`;
      case 'object': break;
      default: return `...<${typeof v} 0>`;
    }
    if (v === null) return 'None';
    if (this.outer.isProxy(v)) return '...<Proxy 0>';
    if (isArray(v) && this.kinds.isPlainArray(v)) return `...<list ${v.length}>`;
    const kind = this.kinds.of(v);
    return kind.form === 'dict' ? `...<dict ${keysOf(v).length}>` : `...<${kind.name} ${this.kinds.extent(kind, v)}>`;
  }

  /** Can two names share it, and one of them change it? */
  shareable(v) {
    if (typeof v !== 'object' || v === null) return false;
    if (this.outer.isProxy(v)) return this.outer.natives.target !== null;
    if (isArray(v)) return true;
    const form = this.kinds.of(v).form;
    return form !== 'opaque' && form !== 'error';
  }
}

module.exports = { Renderer, AWAITED, stringText };

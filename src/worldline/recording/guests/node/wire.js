// Records into the wire (docs/reference/format.md, section 3): whole or not at all, and ended when the budget is spent.
// The memory is the mapped wire itself, or, without the addon, a copy that is written to its file now and then.
'use strict';

// Globals are taken once: in this realm each look at one is slow.
const apply = Reflect.apply, { floor, min } = Math;
const HEADER = 64, RESERVE = 4096, CHUNK = 1 << 16, MOST = 0xffffffff;
const [TEXT, END] = [0x01, 0x3f];

/** The bytes of one wire, and what it may still weigh. */
class Wire {
  constructor(outer, { memory, size, all, write }) {
    this.outer = outer;
    this.bytes = memory; // its beginning, as long as that is enough
    this.all = memory.length < size ? all : null;
    this.words = outer.words(memory.buffer, memory.byteOffset);
    this.at = HEADER;
    this.most = min(size, MOST) - 2 * RESERVE; // what records may weigh: their bytes, and `beside`
    this.near = this.all === null ? this.most : memory.length - RESERVE; // where `most`, or the end of `bytes`, must be looked at
    this.beside = 0;
    this.names = new Map();
    this.large = 0; // how many values may be the base of a splice
    this.ended = false;
    this.write = write;
    this.written = 0;
    const magic = 'WLW1';
    for (let i = 0; i < HEADER; i++) this.bytes[i] = i < 4 ? magic.charCodeAt(i) : 0;
    this.commit();
    this.flush();
  }

  /** What was written is complete. */
  commit() {
    this.words[2] = this.at;
    if (this.write !== null && this.at - this.written > CHUNK) this.flush();
  }

  /** Without a mapping: write what is complete to the file. */
  flush() {
    if (this.write === null) return;
    this.write(this.bytes, this.written, this.at);
    this.write(this.bytes, 0, HEADER);
    this.written = this.at;
  }

  varint(n) {
    const b = this.bytes;
    while (n > 0x7fffffff) {
      b[this.at++] = (n % 128) | 128;
      n = floor(n / 128);
    }
    while (n >= 128) {
      b[this.at++] = (n & 127) | 128;
      n >>>= 7;
    }
    b[this.at++] = n;
  }

  /** A text of `n` bytes that stand in `from`. */
  bytesOf(from, n) {
    this.varint(n);
    const b = this.bytes;
    let at = this.at;
    if (n < 64) for (let i = 0; i < n; i++) b[at++] = from[i];
    else {
      apply(this.outer.copy, from, [b, at, 0, n]);
      at += n;
    }
    this.at = at;
  }

  string(s) {
    const n = this.outer.byteLength(s);
    this.varint(n);
    this.at += apply(this.outer.utf8Write, this.bytes, [s, this.at, n]);
  }

  /** Room for a record of at most `size` bytes with `texts` texts; it weighs more than its bytes. */
  take(size, texts) {
    this.beside += 8 + 32 * texts;
    if (this.at + size + this.beside > this.near) this.reach(size);
  }

  reach(size) {
    if (this.at + size + this.beside > this.most) this.leave('limit', 'bytes');
    if (this.all === null) return;
    const whole = this.all();
    this.bytes = whole.length > MOST ? apply(this.outer.subarray, whole, [0, MOST]) : whole;
    this.words = this.outer.words(whole.buffer, whole.byteOffset);
    this.all = null;
    this.near = this.most;
  }

  /** A name's number; told to the reader once. */
  name(s) {
    let found = this.names.get(s);
    if (found === undefined) {
      this.take(this.outer.byteLength(s) + 12, 1);
      this.bytes[this.at++] = TEXT;
      this.string(s);
      this.names.set(s, found = this.names.size);
    }
    return found;
  }

  /** A record of texts. */
  texts(tag, ...texts) {
    let size = 1;
    for (const text of texts) size += this.outer.byteLength(text) + 10;
    this.take(size, texts.length);
    this.bytes[this.at++] = tag;
    for (const text of texts) this.string(text);
    this.commit();
  }

  /** The explicit end record. */
  end(kind, detail) {
    if (this.ended) return;
    this.ended = true;
    const room = RESERVE - 64;
    let cut = detail;
    while (this.outer.byteLength(cut) > room) cut = cut.slice(0, min(room, floor(cut.length * 0.9)));
    this.most += RESERVE;
    if (this.all === null) this.near = this.most;
    this.texts(END, kind, cut.isWellFormed === undefined || cut.isWellFormed() ? cut : cut.slice(0, -1));
    this.flush();
  }

  /** A budget is spent: end here, keeping what is written. */
  leave(kind, detail) {
    this.end(kind, detail);
    this.outer.exit(0);
  }
}

module.exports = { Wire };

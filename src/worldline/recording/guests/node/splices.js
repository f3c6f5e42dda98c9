// A large value into the wire: whole, or as a splice of the one that its name had before (docs/reference/format.md,
// section 3), like native/splices.h. The frame keeps what was written last for a name, as UTF-8.
'use strict';

const { filled } = require('./frame.js');

const apply = Reflect.apply, { min } = Math;
const [DELTA, SPLICE] = [0x10, 0x13];
const LARGE = 256; // bytes of a value that the next one may be a splice of
const SPLICE_COST = 48; // of a splice beside its middle: a chain of them costs at most the length of its last text
const NEAR = 48; // bytes that are compared one by one

/** The large value that was written last for a name: its number, the cost of its chain, and whether it is not all ASCII. */
class LargeValue {
  constructor() {
    this.bytes = null;
    this.n = this.number = this.cost = 0;
    this.wide = false;
    this.rows = null; // of a container that has changed before
  }
}

/** How many of the first `most` bytes two arrays share. */
function shared(outer, a, b, most) {
  let low = 0, high = most;
  // Most values grow at their end: all but a quote or two brackets stays.
  if (most > NEAR && apply(outer.compare, a, [b, 0, most - 2, 0, most - 2]) === 0) low = most - 2;
  while (high - low > NEAR) {
    const middle = (low + high) >>> 1;
    if (apply(outer.compare, a, [b, low, middle, low, middle]) === 0) low = middle;
    else high = middle;
  }
  while (low < high && a[low] === b[low]) low++;
  return low;
}

/** How many bytes two arrays share before a place in each, at most so many. */
function sharedBefore(outer, a, i, b, j, most) {
  let low = 0, high = most;
  while (high - low > NEAR) {
    const middle = (low + high) >>> 1;
    if (apply(outer.compare, a, [b, j - middle, j - low, i - middle, i - low]) === 0) low = middle;
    else high = middle;
  }
  while (low < high && a[i - low - 1] === b[j - low - 1]) low++;
  return low;
}

function continues(byte) { return (byte & 0xc0) === 0x80; }

function wide(b, from, to) {
  for (let i = from; i < to; i++) if (b[i] > 127) return true;
  return false;
}

function characters(b, from, to) {
  let n = 0;
  for (let i = from; i < to; i++) if (!continues(b[i])) n++;
  return n;
}

/** The first n bytes of `from` as the value of the k-th name, unless these were written for it last. */
function large(it, f, k, id, from, n) {
  const { outer } = it, off = f.off[k], last = f.fn.outer[k] > 0 ? f.fn.large : null;
  f.large ??= filled(f.off.length, null);
  // An outer name for which the frame has written nothing yet: what another frame of the function wrote.
  const own = f.large[k] ??= new LargeValue(), before = off === 0 ? own : off < 0 && last !== null ? last[k] : undefined;
  f.off[k] = 0;
  let prefix = 0, suffix = 0;
  if (before !== undefined) {
    const most = min(n, before.n);
    prefix = shared(outer, from, before.bytes, most);
    if (prefix === n && n === before.n && off === 0) return;
    while (prefix > 0 && prefix < n && continues(from[prefix])) prefix--;
    suffix = sharedBefore(outer, from, n, before.bytes, before.n, most - prefix);
    while (suffix > 0 && continues(from[n - suffix])) suffix--;
  }
  if (last !== null) last[k] = own;
  if (before !== undefined && spliced(it, f, id, before, own, from, n, prefix, suffix)) {
    if (before === own) keep(outer, own, from, n, prefix, suffix);
    else keep(outer, own, from, n, 0, 0);
    return;
  }
  whole(it, f, id, own, from, n);
  keep(outer, own, from, n, 0, 0);
}

function whole(it, f, id, own, from, n) {
  const { wire } = it;
  wire.take(n + 20, 1);
  if (it.current !== f.serial) it.turn(f);
  wire.bytes[wire.at++] = DELTA;
  wire.varint(id);
  wire.bytesOf(from, n);
  own.cost = 0;
  own.number = ++wire.large;
  own.wide = wide(from, 0, n);
}

/** The value as a splice of `before`; false: its chain has grown too long for that. */
function spliced(it, f, id, before, own, from, n, prefix, suffix) {
  const wire = it.wire, end = n - suffix, spread = before.wide || wide(from, prefix, end);
  const first = spread ? characters(from, 0, prefix) : prefix, last = spread ? characters(from, end, n) : suffix;
  const between = spread ? characters(from, prefix, end) : end - prefix, cost = before.cost + between + SPLICE_COST;
  if (cost > first + between + last) return false;
  wire.take(end - prefix + 64, 1);
  if (it.current !== f.serial) it.turn(f);
  wire.bytes[wire.at++] = SPLICE;
  wire.varint(id);
  wire.varint(wire.large - before.number + 1);
  wire.varint(first);
  wire.varint(last);
  wire.varint(end - prefix);
  apply(it.outer.copy, from, [wire.bytes, wire.at, prefix, end]);
  wire.at += end - prefix;
  own.cost = cost;
  own.wide = spread;
  own.number = ++wire.large;
  return true;
}

/** The text becomes the first n bytes of `from`, of which all but the middle is there already. */
function keep(outer, value, from, n, prefix, suffix) {
  if (value.bytes === null || value.bytes.length < n) {
    value.bytes = outer.buffer(value.bytes === null ? n : n + (n >>> 1)); // most are told once
    prefix = suffix = 0;
  } else if (suffix > 0 && n !== value.n) apply(outer.copyWithin, value.bytes, [n - suffix, value.n - suffix, value.n]);
  apply(outer.copy, from, [value.bytes, prefix, prefix, n - suffix]);
  value.n = n;
}

/** The bytes [begin, end) of a name's large value are now the first n of `from`. */
function ranged(it, f, id, own, begin, end, from, n) {
  const { outer } = it, was = own.n, old = outer.buffer(end - begin), longer = n - (end - begin), size = was + longer;
  apply(outer.copy, own.bytes, [old, 0, begin, end]);
  if (own.bytes.length < size) {
    const { bytes } = own;
    own.bytes = outer.buffer(size + (size >>> 1));
    apply(outer.copy, bytes, [own.bytes, 0, 0, begin]);
    apply(outer.copy, bytes, [own.bytes, end + longer, end, was]);
  } else if (longer !== 0) apply(outer.copyWithin, own.bytes, [end + longer, end, was]);
  apply(outer.copy, from, [own.bytes, begin, 0, n]);
  own.n = size;
  const b = own.bytes, before = (i) => (i < begin ? b[i] : i < end ? old[i - begin] : b[i + longer]);
  let limit = min(size, was), prefix = begin;
  while (prefix < limit && before(prefix) === b[prefix]) prefix++;
  if (prefix === size && size === was) return;
  while (prefix > 0 && prefix < size && continues(b[prefix])) prefix--;
  limit -= prefix;
  let suffix = min(was - end, limit);
  while (suffix < limit && before(was - 1 - suffix) === b[size - 1 - suffix]) suffix++;
  while (suffix > 0 && continues(b[size - suffix])) suffix--;
  if (!spliced(it, f, id, own, own, b, size, prefix, suffix)) whole(it, f, id, own, b, size);
}

module.exports = { LARGE, large, ranged };

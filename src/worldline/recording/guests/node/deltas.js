// What changed in a frame since it was last told of: values, names that are gone, outer names, and who shares an object.
// Written into the wire for the frame's pending step. `it` is the recorder.
'use strict';

const { ABSENT, filled } = require('./frame.js');
const { rowsOf } = require('./rows.js');
const { LARGE, large, ranged } = require('./splices.js');

const [DELTA, GONE, SAME] = [0x10, 0x11, 0x12];
const { floor } = Math, SAFE = 9007199254740991;

function diff(it, f, id, args) {
  if (it.pending) it.tick();
  if (it.out !== null || it.in !== null) it.flush();
  const s = it.sites[id], slots = s.slots, { last, late } = f, clean = f.epoch === it.epoch;
  for (let i = 0; i < slots.length; i++) {
    const k = slots[i], v = args[i + 3], was = last[k];
    if (v === was && (clean || it.lasts(v)) && (v !== 0 || 1 / v === 1 / was)) continue;
    if (late !== null && late.includes(k)) continue;
    change(it, f, k, v);
  }
  f.epoch = it.epoch;
  if (f.shared) share(it, f);
}

/** Names whose scope ends: what the newest step of the frame wrote into them. */
function close(it, f, s, args) {
  if (it.pending) it.tick();
  if (it.out !== null || it.in !== null) it.flush();
  const { slots } = s, { last, late } = f, { wire } = it, clean = f.epoch === it.epoch;
  for (let i = 0; i < slots.length; i++) {
    const k = slots[i], v = args[i + 2], was = last[k], at = wire.at;
    if (late !== null && late.includes(k)) continue; // a scope inside this one has told its own of that name
    if (v === was && (clean || it.lasts(v)) && (v !== 0 || 1 / v === 1 / was)) continue;
    change(it, f, k, v);
    if (wire.at !== at) (f.late ??= []).push(k);
  }
  if (f.late !== null) f.set = -1;
  wire.commit();
}

/** The names that can be read from where an exception is caught; of the others, the objects that they are bound to. */
function reconcile(it, f, id, args) {
  if (it.pending) it.tick();
  const { epoch } = f;
  if (id !== undefined) diff(it, f, id, args);
  f.epoch = epoch;
  settle(it, f);
}

/** What is known of the frame without its names being told: objects that changed in place. */
function settle(it, f) {
  if (it.pending) it.tick();
  if (it.out !== null || it.in !== null) it.flush();
  if (f.epoch === it.epoch) return;
  for (let k = 0; k < f.last.length; k++) if (f.last[k] !== null && !it.lasts(f.last[k])) change(it, f, k, f.last[k]);
  f.epoch = it.epoch;
}

function slot(it, f, k) {
  const ids = f.fn.ids;
  return ids[k] === undefined ? (ids[k] = it.wire.name(f.fn.names[k])) : ids[k];
}

/** A name that may have changed. */
function change(it, f, k, v) {
  const last = f.last, was = last[k];
  if (typeof v === 'number' && typeof was === 'number' && f.off[k] > 0 && isPositive(v)) {
    last[k] = v;
    positive(it, f, k, v);
    return;
  }
  if (f.off[k] < 0) {
    if (v === ABSENT) { last[k] = v; return; }
    if (v === undefined && was === ABSENT && f.fn.hoisted[k] === 1) return;
    if (f.quiet !== null && f.quiet[k] !== undefined && !stirred(it, f, k, v)) return;
  } else if (v === ABSENT) {
    vanish(it, f, k);
    return;
  }
  const isPlain = typeof v === 'function' && f.fn.plain !== null && f.fn.plain.includes(k);
  if (isPlain && was === v && f.off[k] >= 0 && !it.stateful) return;
  if (was !== v && (typeof v === 'object' || typeof was === 'object')) f.shared = f.objects = true;
  last[k] = v;
  if (typeof v === 'number' && isPositive(v)) {
    positive(it, f, k, v);
    return;
  }
  const before = f.large === null ? null : f.large[k];
  if (before !== null && before.rows !== null && was === v && f.off[k] >= 0 && updated(it, f, k, v, before)) return;
  const n = isPlain ? it.renderer.renderPlain(v) : it.renderer.render(v);
  tell(it, f, k, n);
  // Most containers are told once, when they are passed: what is kept of one pays when it changes again.
  if (n >= LARGE) f.large[k].rows = was === v ? rowsOf(it.renderer, v) : null;
  else if (before !== null) before.rows = null;
}

/** A captured variable when its function is called: as in the frame before, if nothing has changed since. */
function capture(it, f, k, v) {
  const { captured } = f.fn, known = captured[k], { wire } = it;
  if (known === undefined || known.value !== v || known.epoch !== it.epoch || typeof v !== 'object' || v === null) {
    change(it, f, k, v);
    if (typeof v === 'object' && f.off[k] > 0) captured[k] = { value: v, epoch: it.epoch, off: f.off[k], len: f.len[k] };
    return;
  }
  const id = slot(it, f, k), { off, len } = known;
  wire.take(len + 20, 1);
  if (it.current !== f.serial) it.turn(f);
  wire.bytes[wire.at++] = DELTA;
  wire.varint(id);
  wire.varint(len);
  const b = wire.bytes;
  for (let i = 0, at = wire.at; i < len; i++) b[at + i] = b[off + i];
  f.last[k] = v;
  f.shared = f.objects = true;
  f.off[k] = wire.at;
  f.len[k] = len;
  wire.at += len;
}

/** A container of which rows are kept may have changed: tells what did. False: it has to be looked at as a whole. */
function updated(it, f, k, v, own) {
  const { rows } = own, { renderer } = it, known = rows.update(renderer, v);
  if (known && !rows.changed) return true;
  if (known && rows.length() > renderer.most) {
    tell(it, f, k, renderer.cut(v));
    return true;
  }
  if (known && f.off[k] === 0 && rows.length() >= LARGE) {
    ranged(it, f, slot(it, f, k), own, rows.begin, rows.end, renderer.buf, renderer.p);
    return true;
  }
  own.rows = null;
  return false;
}

/** The first n bytes of the renderer's buffer are a name's value: written, if it is another one. */
function tell(it, f, k, n) {
  const from = it.renderer.buf, wire = it.wire, off = f.off[k];
  if (n >= LARGE) {
    large(it, f, k, slot(it, f, k), from, n);
    return;
  }
  if (off > 0 && f.len[k] === n) {
    const b = wire.bytes;
    let i = 0;
    while (i < n && b[off + i] === from[i]) i++;
    if (i === n) return;
  }
  const id = slot(it, f, k);
  wire.take(n + 20, 1);
  if (it.current !== f.serial) it.turn(f);
  wire.bytes[wire.at++] = DELTA;
  wire.varint(id);
  wire.bytesOf(from, n);
  f.off[k] = wire.at - n;
  f.len[k] = n;
}

/** Is a number a positive integer that is safe? */
function isPositive(v) {
  return v > 0 && ((v | 0) === v || (v <= SAFE && floor(v) === v));
}

/** A delta of a positive integer, the commonest of all: its digits straight into the wire. */
function positive(it, f, k, v) {
  const wire = it.wire, id = slot(it, f, k);
  wire.take(36, 1);
  if (it.current !== f.serial) it.turn(f);
  const b = wire.bytes;
  b[wire.at++] = DELTA;
  if (id < 128) b[wire.at++] = id;
  else wire.varint(id);
  const at = wire.at + 1;
  let n = 0;
  if (v > 0x7fffffff) {
    const high = floor(v / 1e9);
    n = length(high);
    digits(b, at, n, high);
    digits(b, at + n, 9, v - high * 1e9);
    n += 9;
  } else digits(b, at, n = length(v), v);
  b[wire.at] = n;
  f.off[k] = at;
  f.len[k] = n;
  wire.at = at + n;
}

/** How many digits a positive int32 has. */
function length(v) {
  return v < 1e5 ? (v < 100 ? (v < 10 ? 1 : 2) : v < 1e4 ? (v < 1000 ? 3 : 4) : 5) : v < 1e7 ? (v < 1e6 ? 6 : 7) : v < 1e9 ? (v < 1e8 ? 8 : 9) : 10;
}

/** The last `n` digits of an int32. */
function digits(b, at, n, v) {
  v |= 0;
  for (let i = at + n - 1; i >= at; i--) { const q = (v / 10) | 0; b[i] = 48 + (v - q * 10); v = q; }
}

function vanish(it, f, k) {
  f.last[k] = ABSENT;
  f.off[k] = -1;
  if (f.alias !== null) f.alias[k] = -1;
  f.shared = f.objects;
  const id = slot(it, f, k);
  it.wire.take(12, 0);
  if (it.current !== f.serial) it.turn(f);
  it.wire.bytes[it.wire.at++] = GONE;
  it.wire.varint(id);
}

/** A scope was left: its names are gone, those that were told at its end from the next event on. */
function hide(it, f, s) {
  const { hidden } = s, { late } = f;
  f.set = late === null ? s.set : -1;
  f.late = null;
  for (let i = 0; i < hidden.length; i++) {
    const k = hidden[i];
    if (late !== null && late.includes(k)) continue;
    if (f.off[k] >= 0) vanish(it, f, k);
    else if (f.quiet === null || f.quiet[k] === undefined) f.last[k] = ABSENT;
  }
}

// ---- outer names: shown once they change

function watch(it, f, k, v) {
  f.last[k] = v;
  if (f.quiet === null) f.quiet = [];
  f.quiet[k] = v !== null && !it.lasts(v) ? version(it, v) : 0;
}

function stirred(it, f, k, v) {
  if (f.last[k] !== v) return true;
  if (v === null || it.lasts(v) || version(it, v) === f.quiet[k]) return false;
  return true;
}

/** A number that changes when the object's text does. */
function version(it, v) {
  let known = it.texts.get(v);
  if (known !== undefined && known.epoch === it.epoch) return known.version;
  const text = it.renderer.text(v);
  if (known === undefined) it.texts.set(v, known = { epoch: 0, text, version: 1 });
  else if (known.text !== text) {
    known.text = text;
    known.version++;
  }
  known.epoch = it.epoch;
  return known.version;
}

/** Which names of a frame are bound to one object. */
function share(it, f) {
  f.shared = false;
  const last = f.last, module = f.fn.module;
  for (let k = 0; k < last.length; k++) {
    if (f.off[k] < 0 || (!module && f.fn.outer[k] === 1)) continue;
    let other = -1;
    const v = last[k];
    if (typeof v === 'object' && v !== null) {
      for (let j = 0; j < k; j++) {
        if (last[j] === v && f.off[j] >= 0 && (module || f.fn.outer[j] !== 1)) {
          if (it.renderer.shareable(v)) other = j;
          break;
        }
      }
    }
    if ((f.alias === null ? -1 : f.alias[k]) === other) continue;
    f.alias ??= filled(last.length, -1);
    f.alias[k] = other;
    const id = slot(it, f, k), second = other < 0 ? 0 : slot(it, f, other) + 1;
    it.wire.take(24, 0);
    if (it.current !== f.serial) it.turn(f);
    it.wire.bytes[it.wire.at++] = SAME;
    it.wire.varint(id);
    it.wire.varint(second);
  }
}

module.exports = { diff, reconcile, settle, change, capture, close, hide, watch, share };

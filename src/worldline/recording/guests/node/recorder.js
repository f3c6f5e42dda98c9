// The recorder: what the hooks in an instrumented program call. One object a run; it writes the wire.
// Runs in a realm of its own, which the program has no way into. The hooks' names are one letter: they stand in the
// program's text. l: a line; c, r: call and return; a: what a function captured besides; u, w: around what runs before a body; y, z: yield and resume; d: delegation;
// t, h, p, x: raise, catch, pass on, leave by an exception; v, e, q: a return that waits for a `finally`, that, and the end; b: a scope ends.
'use strict';

const { Renderer, AWAITED, stringText } = require('./canonical.js');
const { Wire } = require('./wire.js');
const { Frame, ABSENT, INERT } = require('./frame.js');
const { watched, UNKNOWN } = require('./delegate.js');
const { diff, reconcile, settle, change, capture, close, hide, watch, share } = require('./deltas.js');

const apply = Reflect.apply;
const [CALL, RESUME, SWITCH, LINE, RETURN, YIELD, RAISE, OUTPUT, INPUT, EXIT] = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
const [NOTE, HIDDEN, META, DRAW] = [0x20, 0x21, 0x22, 0x23];
// Room on the stack for the recorder's own work, of many of its smallest frames; looked for once in so many frames.
const PROBE = 3000, APART = 64;

class Recorder {
  constructor(outer, opened, limits, traits) {
    this.outer = outer;
    this.renderer = new Renderer(outer, limits, traits);
    this.stateful = traits.stateful; // functions of the program may have properties that change
    this.captures = traits.captures;
    this.closures = this.renderer.closures;
    this.closures.recorder = this;
    this.wire = new Wire(outer, opened);
    this.functions = [];
    this.sites = [];
    this.max = limits.steps;
    this.steps = this.frames = 0;
    this.closed = 0; // how many steps there were after the last that no line, call or resume is
    this.current = -1;
    this.bottom = new Frame({ names: [], plain: null, suspends: false }, -1);
    this.bottom.dirty = true;
    this.stack = [this.bottom];
    this.depth = 0;
    this.probed = 0;
    this.epoch = 1;
    this.pending = false;
    this.out = this.in = this.closing = null; // closing: what the generator that is about to go on is to return
    this.active = false;
    this.line = 0;
    this.texts = new WeakMap();
    this.noted = new Set();
    this.n = ABSENT;
    this.target = null;
    this.driven = null; // a generator that begins
    this.importer = null;
  }

  /** Functions and sites of one instrumented file; where its numbers begin was said when it was instrumented. */
  load(functions, sites) {
    for (const fn of functions) this.functions.push({ ...fn, ids: [], large: [], captured: [], nameId: -1, fileId: -1 });
    for (const site of sites) this.sites.push(site);
  }

  meta(key, value) { this.wire.texts(META, key, value); }

  note(slug) {
    if (this.wire.ended || this.noted.has(slug)) return;
    this.noted.add(slug);
    this.wire.texts(NOTE, slug);
  }

  // ---- hooks

  /** A frame starts: its parameters, then the outer names that it uses. */
  c(id) {
    if (!this.active) return this.inert(id, arguments);
    if (this.depth >= this.probed) this.probe();
    if (this.pending) this.tick();
    if (this.out !== null || this.in !== null) this.flush();
    const fn = this.functions[id], wire = this.wire, parent = this.stack[this.depth];
    if (parent.opening && !parent.busy && parent.fn === fn) return this.enter(parent, arguments);
    if (this.depth === 0) this.epoch++;
    const f = new Frame(fn, this.frames++);
    if (fn.nameId < 0) {
      fn.nameId = wire.name(fn.name);
      fn.fileId = wire.name(fn.file);
    }
    this.count();
    wire.take(30, 0);
    wire.bytes[wire.at++] = CALL;
    wire.varint(f.serial);
    wire.varint(parent.serial + 1);
    wire.varint(fn.nameId);
    wire.varint(fn.fileId);
    wire.varint(fn.line);
    this.current = f.serial;
    if (this.driven !== null && fn.generates) this.drive(f);
    this.push(f);
    return this.enter(f, arguments);
  }

  /** Nothing is recorded yet, or no more. */
  inert(id, args) {
    if (this.closures.reading !== null) return this.closures.take(args);
    if (this.driven !== null && this.functions[id].generates) this.drive(INERT);
    return INERT;
  }

  a(...readers) { this.closures.rest(readers); }

  /** The frame of the generator that begins. */
  drive(f) {
    this.renderer.kinds.internal.frames.set(this.driven, f);
    this.driven = null;
  }

  /** The parameters of a frame that has begun, as far as they are given, and captured variables: they are told with its call. */
  enter(f, args) {
    const own = f.fn.params, { outer } = f.fn;
    for (let i = 1; i < args.length; i++) {
      if (i <= own) change(this, f, i - 1, args[i]);
      else if (outer[i - 1] === 2) capture(this, f, i - 1, args[i]);
      else watch(this, f, i - 1, args[i]);
    }
    f.opening = false;
    f.epoch = this.epoch;
    f.dirty = true;
    if (f.shared) share(this, f);
    this.wire.commit();
    return f;
  }

  /** A default value or a field is computed, before the body: the frame that it belongs to begins, unless it has. */
  u(id) {
    const f = apply(this.c, this, arguments);
    if (f !== INERT) f.opening = f.busy = true;
    return f;
  }

  /** It is computed. */
  w(f, value) {
    if (f !== INERT && this.stack[this.depth] !== f) this.arrive(f);
    f.busy = false;
    f.failed = null;
    return value;
  }

  /** A line is about to run. */
  l(f, id) {
    if (this.stack[this.depth] !== f && !this.arrive(f)) return;
    if (this.pending) this.tick();
    if (this.out !== null || this.in !== null) this.flush();
    const s = this.sites[id], slots = s.slots, { last, late } = f, clean = f.epoch === this.epoch;
    for (let i = 0; i < slots.length; i++) {
      const k = slots[i], v = arguments[i + 2], was = last[k];
      if (v === was && (clean || this.lasts(v)) && (v !== 0 || 1 / v === 1 / was)) continue;
      if (late !== null && late.includes(k)) continue;
      change(this, f, k, v);
    }
    if (f.set !== s.set) hide(this, f, s);
    f.epoch = this.epoch;
    if (f.shared) share(this, f);
    f.line = s.line;
    f.dirty = this.pending = s.dirty;
    if (++this.steps > this.max) this.wire.leave('limit', 'steps');
    const wire = this.wire;
    wire.take(16, 0);
    if (this.current !== f.serial) this.turn(f);
    wire.bytes[wire.at++] = LINE;
    if (s.line < 128) wire.bytes[wire.at++] = s.line;
    else wire.varint(s.line);
    wire.commit();
  }

  /** A scope ends: what its last line wrote. False, as the test of a loop is where it ends. */
  b(f, id) {
    if (this.stack[this.depth] === f || this.arrive(f)) close(this, f, this.sites[id], arguments);
    return false;
  }

  /** The frame returns. */
  r(f, id, value) {
    if (this.stack[this.depth] !== f && !this.arrive(f)) return value;
    diff(this, f, id, arguments);
    if (f.set < 0 && f.late === null) hide(this, f, this.sites[id]);
    this.step(f, RETURN, value);
    this.pop();
    return value;
  }

  /** It will return this value, when what is left to be done is done. */
  v(f, id, value) {
    if (this.stack[this.depth] !== f && !this.arrive(f)) return value;
    diff(this, f, id, arguments);
    f.value = value;
    this.wire.commit();
    return value;
  }

  /** A `finally` is done. */
  e(f, id) {
    if (this.stack[this.depth] !== f && !this.arrive(f)) return;
    diff(this, f, id, arguments);
    this.wire.commit();
  }

  /** All is done: the frame has returned, or a generator was closed. */
  q(f, _, id) {
    if (f.place === 0 || this.wire.ended) return;
    if (this.stack[this.depth] !== f) this.arrive(f);
    reconcile(this, f, id, arguments);
    this.step(f, RETURN, f.value);
    this.pop();
  }

  y(f, id, value) {
    if (this.stack[this.depth] !== f && !this.arrive(f)) return value;
    diff(this, f, id, arguments);
    this.step(f, YIELD, value);
    this.pop();
    f.suspended = true;
    f.yields++;
    return value;
  }

  z(f, id, value) {
    if (f === INERT || this.wire.ended) return value;
    if (f.suspended) this.resume(f, id, arguments);
    else if (this.stack[this.depth] !== f) this.arrive(f);
    return value;
  }

  /** What it delegates to was closed with it, and this is what both return. */
  s(f, id, value) { if (f !== INERT && value !== UNKNOWN) f.value = value; }

  /** What `yield*` or `for await` goes over. */
  d(f, source, tell, awaits, text) {
    return f === INERT || this.wire.ended ? source : watched(this.outer, source, { awaits, text }, tell);
  }

  /** A `throw` of the program. */
  t(f, id, error) {
    if (this.stack[this.depth] !== f && !this.arrive(f)) return error;
    diff(this, f, id, arguments);
    this.raise(f, error);
    return error;
  }

  /** An exception is caught in the frame. */
  h(f, error, id) {
    if (!this.reach(f, error, id, arguments)) return;
    f.raised = false;
    f.thrown = undefined;
    this.pending = true;
    this.wire.commit();
  }

  /** An exception passes through a `finally`. */
  p(f, error, id) {
    if (this.reach(f, error, id, arguments)) this.pending = true;
    return error;
  }

  /** An exception leaves the frame. */
  x(f, error, id) {
    if (!this.reach(f, error, id, arguments)) return error;
    this.pop();
    const up = this.stack[this.depth];
    if (up.busy) up.failed = { error };
    return error;
  }

  /** A class of the program, and how the private fields of its instances are read. */
  k(cls, read, readStatic) {
    this.outer.own.add(cls);
    if (read) this.renderer.kinds.register(cls.prototype, read);
    if (readStatic) this.renderer.kinds.registerClass(cls, readStatic);
  }

  /** How the function that is to be called is found. */
  g(get) { this.target = get; }

  /** `import(...)` of one of the program's files. */
  i(from, ...rest) { return this.importer(from, rest); }

  // ---- steps

  /** Is a value always what it was, as long as it is the same? */
  lasts(v) {
    return typeof v !== 'object' && (typeof v !== 'function' || !(this.stateful || this.outer.isProxy(v) || (this.captures && this.closures.entryOf(v) !== null)));
  }

  count() {
    if (++this.steps > this.max) this.wire.leave('limit', 'steps');
  }

  tick() {
    this.epoch++;
    this.pending = false;
  }

  turn(f) {
    const wire = this.wire;
    this.current = f.serial;
    wire.take(12, 0);
    wire.bytes[wire.at++] = SWITCH;
    wire.varint(f.serial);
  }

  step(f, tag, value) {
    const wire = this.wire;
    // Whether a promise that is awaited is settled says nothing, and takes long to find out.
    const shown = tag === YIELD && typeof value === 'object' && this.outer.types.isPromise(value) ? AWAITED : value;
    const n = this.renderer.render(shown), from = this.renderer.buf;
    this.count();
    this.closed = this.steps;
    wire.take(n + 16, 1);
    if (this.current !== f.serial) this.turn(f);
    wire.bytes[wire.at++] = tag;
    wire.varint(f.line);
    wire.bytesOf(from, n);
    wire.commit();
  }

  push(f) {
    if (++this.depth === this.stack.length) this.stack.push(f);
    else this.stack[this.depth] = f;
    f.place = this.depth;
    f.suspended = false;
  }

  pop() {
    const f = this.stack[this.depth];
    this.line = f.line;
    f.place = 0;
    this.stack[this.depth--] = null;
    this.pending = this.stack[this.depth].dirty;
  }

  /** Is there room on the stack for the recorder's own work? If not, the program meets its own error, before a step. */
  probe() {
    try {
      reach(PROBE);
    } catch {
      throw new this.outer.RangeError('Maximum call stack size exceeded');
    }
    this.probed = this.depth + APART;
  }

  /** An event of a frame that is not the newest. Whether it is recorded. */
  arrive(f) {
    if (f === INERT || this.wire.ended || !this.active) return false;
    if (f.place > 0) this.unwind(f.place, false, undefined);
    else if (f.suspended) this.resume(f, -1, null);
    else return false;
    return true;
  }

  unwind(to, raised, error) {
    while (this.depth > to) {
      const f = this.stack[this.depth];
      if (raised && !(f.raised && f.thrown === error)) this.raise(f, error);
      if (!raised && f.opening) { // an async function has a promise that is rejected
        if (f.failed !== null) this.raise(f, f.failed.error);
        this.pop();
      } else if (!raised && f.fn.suspends) {
        settle(this, f);
        this.step(f, YIELD, undefined);
        this.pop();
        f.suspended = true;
      } else this.pop();
    }
  }

  resume(f, id, args) {
    if (this.pending) this.tick();
    if (this.depth === 0) this.epoch++;
    if (this.closing !== null) {
      f.value = this.closing.value;
      this.closing = null;
    }
    this.flush();
    if (this.depth >= this.probed) this.probe();
    if (args !== null) diff(this, f, id, args);
    else settle(this, f);
    this.push(f);
    this.count();
    const wire = this.wire;
    wire.take(20, 0);
    this.current = f.serial;
    wire.bytes[wire.at++] = RESUME;
    wire.varint(f.serial);
    wire.varint(f.line);
    wire.commit();
    this.pending = f.dirty = true;
  }

  raise(f, error) {
    f.raised = true;
    f.thrown = error;
    this.step(f, RAISE, error);
  }

  /** An exception is in this frame. Whether the frame is recorded. */
  reach(f, error, id, args) {
    if (f === INERT || this.wire.ended || !this.active) return false;
    if (f.place > 0) {
      if (this.stack[this.depth] !== f) this.unwind(f.place, true, error);
    } else if (f.suspended) this.resume(f, -1, null);
    else return false;
    if (!(f.raised && f.thrown === error)) {
      reconcile(this, f, id, args);
      this.raise(f, error);
    } else reconcile(this, f, id, args);
    return true;
  }

  // ---- streams and ends

  output(text) {
    if (!this.active || this.wire.ended || text === '') return;
    if (this.in !== null && this.depth > 0) this.flush(); // steps stand in the order in which things happened
    this.out = (this.out ?? '') + text;
  }

  input(text) {
    if (!this.active || this.wire.ended) return;
    if ((this.in !== null || this.out !== null) && this.depth > 0) this.flush();
    this.in = (this.in ?? '') + text;
  }

  flush() {
    const f = this.stack[this.depth];
    const { out, in: input } = this;
    this.out = null;
    if (out !== null && this.depth > 0) this.step(f, OUTPUT, out);
    if (input !== null && this.depth > 0) {
      this.in = null;
      this.wire.texts(HIDDEN, 'input', this.renderer.text(input));
      this.step(f, INPUT, input);
    }
  }

  /** A hidden input: of the newest step if its frame has begun it, else of the next. */
  draw(kind, text) {
    if (this.wire.ended) return;
    const begun = this.depth > 0 && this.closed !== this.steps && this.current === this.stack[this.depth].serial;
    this.wire.texts(begun ? DRAW : HIDDEN, kind, text);
  }

  exit(code) {
    if (!this.active || this.wire.ended || this.frames === 0) return;
    if (this.depth > 0) this.flush();
    const f = this.stack[this.depth], text = this.renderer.text(code);
    this.count();
    if (this.depth > 0 && this.current !== f.serial) this.turn(f);
    this.wire.take(text.length + 20, 1);
    this.wire.bytes[this.wire.at++] = EXIT;
    this.wire.varint(this.depth > 0 ? f.line : this.line);
    this.wire.string(text);
    this.wire.commit();
  }

  /** How it ended. */
  end(kind, detail) {
    if (this.active && !this.wire.ended) {
      if (this.depth > 0) settle(this, this.stack[this.depth]);
      this.flush();
    }
    this.wire.end(kind, detail);
    this.active = false;
    this.depth = 0; // whatever the program still does is not recorded
  }

  text(value) { return this.renderer.text(value); }
}

function reach(n) {
  return n === 0 ? 0 : reach(n - 1) + 1;
}

module.exports = { Recorder, stringText };

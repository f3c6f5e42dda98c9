// Timers: each starts with a reading of the clock, and which is next follows from these readings, so that a replay has the same order.
// Under a seed nobody waits: the virtual clock jumps to the next timer, unless something outside (a file, a socket, a process) is still to come.
// A timer of Node's, of which the time never comes, stands for each: it keeps the process running and can be cleared.
'use strict';

const { swap, dress } = require('./swap.js');
const apply = Reflect.apply, { defineProperty, getOwnPropertyDescriptor: descriptorOf } = Object;
const MAX_DELAY = 2 ** 31 - 1, MILLI = 1e6;
const OWN = ['Timeout', 'Immediate', 'TTYWrap']; // active resources that wait for nothing outside

/** The timers of one run, in the order in which their times come. */
class Timers {
  constructor(outer, tape, clocks) {
    const { global, process } = outer, timers = outer.require('timers');
    Object.assign(this, { outer, tape, clocks });
    this.real = { ...timers }; // of Node's, before they are replaced
    const { AsyncResource } = outer.require('async_hooks');
    this.scope = () => new AsyncResource('Timeout');
    this.within = AsyncResource.prototype.runInAsyncScope;
    this.active = () => process.getActiveResourcesInfo();
    this.queue = []; // {due, number, timer, span, resource}, the next one first
    this.entries = new WeakMap();
    this.count = 0;
    this.immediates = new Set(); // of the program
    this.pump = null; // what looks at the queue next
    this.blocked = null; // the entry that waits for something outside, and since when
    this.global = global;
  }

  /** A timer of the program starts. */
  start(repeats, callback, delay, args) {
    const real = repeats ? this.real.setInterval : this.real.setTimeout;
    const timer = real(callback, MAX_DELAY, ...args), number = delay * 1;
    const span = number >= 1 && number <= MAX_DELAY ? Math.trunc(number) : 1;
    const entry = { due: 0, number: 0, timer, span, repeats, resource: this.scope() };
    this.entries.set(timer, entry);
    this.arm(entry);
    return timer;
  }

  arm(entry) {
    entry.due = Number(this.clocks.read('steady')) + entry.span * MILLI;
    entry.number = this.count++;
    let at = this.queue.length;
    while (at > 0 && this.queue[at - 1].due > entry.due) at--;
    this.queue.splice(at, 0, entry);
    this.look();
  }

  refresh(timer) {
    const entry = this.entries.get(timer);
    if (entry === undefined || timer._destroyed) return;
    this.queue = this.queue.filter((other) => other !== entry);
    this.arm(entry);
  }

  look() {
    if (this.pump !== null) {
      this.real.clearTimeout(this.pump.late);
      this.real.clearImmediate(this.pump.soon);
    }
    this.pump = { soon: this.real.setImmediate(() => this.turn()) };
  }

  lookIn(span, keeps) {
    const late = this.real.setTimeout(() => this.look(), Math.min(Math.max(Math.ceil(span / MILLI), 1), MAX_DELAY));
    if (!keeps) late.unref();
    this.pump = { late };
  }

  now() {
    const { clocks, tape } = this;
    return Number(tape.live ? clocks.real.steady() : clocks.begin.steady + BigInt(clocks.now));
  }

  /** One turn of the loop: at most one timer fires. */
  turn() {
    this.pump = null;
    this.queue = this.queue.filter((entry) => !entry.timer._destroyed);
    const [next] = this.queue;
    if (next === undefined) return;
    if (this.immediates.size > 0) {
      if (Number(this.clocks.read('steady')) < next.due) this.look();
      else this.fire(next);
      return;
    }
    const left = next.due - this.now(), keeps = this.queue.some((entry) => entry.timer.hasRef());
    const wait = left <= 0 ? 0 : this.tape.live || !keeps || this.isBlocked() ? this.patience(next, left) : 0;
    if (wait > 0) this.lookIn(wait, keeps);
    else {
      if (left > 0) this.clocks.jump(this.clocks.now + left);
      this.fire(next);
    }
  }

  isBlocked() { return this.active().some((name) => !OWN.includes(name)); }

  /** How long to really wait for a timer. */
  patience(entry, left) {
    if (this.tape.live) return left;
    const now = Number(this.clocks.real.steady());
    if (this.blocked === null || this.blocked.entry !== entry) this.blocked = { entry, until: now + left };
    return Math.min(this.blocked.until - now, MILLI);
  }

  fire(entry) {
    const { timer } = entry, { _onTimeout: callback, _timerArgs: args } = timer;
    this.blocked = null;
    this.queue.shift();
    if (this.queue.length > 0) this.look();
    if (!entry.repeats) this.real.clearTimeout(timer);
    try {
      apply(this.within, entry.resource, [callback, timer, ...(args ?? [])]);
    } finally {
      if (entry.repeats && !timer._destroyed) this.arm(entry);
    }
  }

  // ---- immediates

  soon(callback, args) {
    const { immediates } = this;
    if (typeof callback !== 'function') return this.real.setImmediate(callback);
    const immediate = this.real.setImmediate(function soon(...rest) {
      immediates.delete(immediate);
      return apply(callback, this, rest);
    }, ...args);
    immediates.add(immediate);
    return immediate;
  }

  dropped(immediate) {
    this.immediates.delete(immediate);
    this.real.clearImmediate(immediate);
  }
}

function install(outer, tape, clocks) {
  const timers = new Timers(outer, tape, clocks), module = outer.require('timers'), promises = outer.require('timers/promises');
  const custom = outer.require('util').promisify.custom, { real } = timers;
  const ours = {
    setTimeout: (callback, delay, ...args) => timers.start(false, callback, delay, args),
    setInterval: (callback, delay, ...args) => timers.start(true, callback, delay, args),
    setImmediate: (callback, ...args) => timers.soon(callback, args),
    clearImmediate: (immediate) => timers.dropped(immediate),
  };
  promise(outer, promises, ours);
  for (const name of Object.keys(ours)) {
    if (promises[name] !== undefined && name !== 'setInterval') {
      defineProperty(ours[name], custom, { enumerable: true, get: () => promises[name] });
    }
    dress(outer, ours[name], real[name]);
    for (const owner of [outer.global, module]) defineProperty(owner, name, { ...descriptorOf(owner, name), value: ours[name] });
  }
  const sample = real.setTimeout(() => {}, 1);
  real.clearTimeout(sample);
  swap(outer, Object.getPrototypeOf(sample), 'refresh', () => function refresh() {
    timers.refresh(this);
    return this;
  });
  swapSleep(outer, tape, clocks);
}

/** The timers that give promises. A signal that was given ends them with what Node.js says. */
function promise(outer, promises, ours) {
  const { Promise } = outer;
  const wait = (real, begin, drop) => (delay, value, options) => {
    const signal = options?.signal;
    if (signal?.aborted) return real(delay, value, options);
    return new Promise((resolve) => {
      const timer = begin(() => resolve(value), delay);
      if (options?.ref === false) timer.unref();
      signal?.addEventListener('abort', () => {
        drop(timer);
        resolve(real(delay, value, options));
      }, { once: true });
    });
  };
  const drop = (timer) => outer.global.clearTimeout(timer);
  const { setImmediate: soon } = promises;
  swap(outer, promises, 'setTimeout', (real) => wait(real, ours.setTimeout, drop));
  swap(outer, promises, 'setImmediate', () => {
    const waited = wait((_, value, options) => soon(value, options), (act) => ours.setImmediate(act), ours.clearImmediate);
    return (value, options) => waited(0, value, options);
  });
  const { setTimeout: inTime } = promises;
  swap(outer, promises, 'setInterval', () => (delay, value, options) => rounds(outer, () => inTime(delay, value, options)));
  swap(outer, Object.getPrototypeOf(promises.scheduler), 'wait', () => (delay, options) => inTime(delay, undefined, options));
}

/** What `for await` goes over: a value after each wait. */
function rounds(outer, wait) {
  const { object, Promise } = outer;
  const answer = (value, done) => Object.assign(new object(), { value, done });
  let isOver = false;
  const made = new object();
  made.next = () => (isOver ? Promise.resolve(answer(undefined, true)) : wait().then((value) => answer(value, isOver)));
  made.return = (value) => {
    isOver = true;
    return Promise.resolve(answer(value, true));
  };
  made[Symbol.asyncIterator] = () => made;
  return made;
}

/** `Atomics.wait` with a time: under a seed the clock jumps, as no other thread is followed. */
function swapSleep(outer, tape, clocks) {
  swap(outer, outer.global.Atomics, 'wait', (real) => (array, index, value, span) => {
    if (tape.live || span === undefined || !(span * 1 < Infinity)) return real(array, index, value, span);
    const answer = real(array, index, value, 0);
    if (answer === 'timed-out') clocks.jump(clocks.now + Math.max(span * MILLI, 0));
    return answer;
  });
}

module.exports = { install };

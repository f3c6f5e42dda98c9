// Clocks: `Date`, `performance.now`, `process.hrtime`, `process.uptime`, `console.time`. A reading is a hidden input `clock`, in nanoseconds.
// The virtual clock advances only with waits and readings. A reading takes a microsecond, and more if nobody waits in between, so that a loop
// that waits for a time ends.
'use strict';

const { swap, swapGetter, dress } = require('./swap.js');
const { INTEGER } = require('./tape.js');
const apply = Reflect.apply, { defineProperty, getOwnPropertyDescriptor: descriptorOf } = Object;
const SECOND = 1_000_000_000n, MILLI = 1_000_000n, DAY = 86_400n;
const START = 1_767_225_600n; // 2026-01-01, in seconds of the epoch
const READING = 1000, PATIENCE = 10; // nanoseconds of a reading, and readings in a row until they take longer
const BIRTH = 25_000_000n; // of the process, before the program begins

/** The readings of each clock: `wall`; `steady`; `age`, since the process began. */
class Clocks {
  constructor(tape, control, real) {
    this.tape = tape;
    this.real = real;
    this.now = 0; // virtual nanoseconds since the run began
    this.row = 0;
    this.last = -1;
    this.begin = { wall: (START + (tape.live ? 0n : BigInt(control.seed) % DAY)) * SECOND, steady: 1000n * SECOND, age: BIRTH };
  }

  read(which) {
    const fresh = this.tape.live ? this.real[which]() : this.virtual(which);
    const value = this.tape.draw('clock', INTEGER, fresh);
    this.begin[which] += value - fresh; // so that it does not go back when nothing is given any more
    return value;
  }

  virtual(which) {
    this.row = this.now === this.last ? this.row + 1 : 0;
    this.now += READING * (1 + Math.floor(this.row / PATIENCE));
    this.last = this.now;
    return this.begin[which] + BigInt(this.now);
  }

  /** Advances the virtual clock to this time, unless it has passed. */
  jump(to) { if (to > this.now) this.now = Math.ceil(to); }

  millis() { return Number(this.read('wall') / MILLI); }
  ageMillis() { return Number(this.read('age')) / 1e6; }
}

function install(outer, tape, control) {
  const { global, process } = outer, RealDate = global.Date;
  const { now } = RealDate, { hrtime } = process, bigtime = hrtime.bigint, { performance } = outer.require('perf_hooks');
  const sinceStart = performance.now, atStart = performance.timeOrigin;
  const clocks = new Clocks(tape, control, {
    wall: () => BigInt(now()) * MILLI, steady: () => bigtime(), age: () => BigInt(Math.round(apply(sinceStart, performance, []) * 1e6)),
  });
  swapDate(outer, clocks, RealDate);
  swapProcess(outer, clocks, process);
  const prototype = Object.getPrototypeOf(performance), origin = tape.live ? BigInt(Math.round(atStart * 1e3)) * 1000n : clocks.begin.wall - BIRTH;
  swap(outer, prototype, 'now', () => () => clocks.ageMillis());
  swapGetter(outer, prototype, 'timeOrigin', () => () => Number(tape.draw('clock', INTEGER, origin) / 1000n) / 1e3);
  swapTimes(outer, clocks, global.console);
  return clocks;
}

function swapDate(outer, clocks, Real) {
  const shown = Real.prototype.toString;
  const Ours = function Date(...args) {
    if (new.target === undefined) return apply(shown, new Real(clocks.millis()), []);
    return Reflect.construct(Real, args.length === 0 ? [clocks.millis()] : args, new.target === Ours ? Real : new.target);
  };
  defineProperty(Ours, 'prototype', { value: Real.prototype, writable: false });
  dress(outer, Ours, Real);
  defineProperty(Real.prototype, 'constructor', { value: Ours, writable: true, enumerable: false, configurable: true });
  swap(outer, Ours, 'now', () => () => clocks.millis());
  defineProperty(outer.global, 'Date', { ...descriptorOf(outer.global, 'Date'), value: Ours });
}

function swapProcess(outer, clocks, process) {
  swap(outer, process, 'hrtime', (real) => {
    const ours = (before) => {
      if (before !== undefined) real(before); // refuses what is no earlier reading
      const now = clocks.read('steady'), from = before === undefined ? 0n : BigInt(before[0]) * SECOND + BigInt(before[1]);
      const passed = now - from, seconds = passed / SECOND - (passed % SECOND < 0n ? 1n : 0n);
      return outer.global.Array.of(Number(seconds), Number(passed - seconds * SECOND));
    };
    const bigint = () => clocks.read('steady');
    dress(outer, bigint, real.bigint);
    defineProperty(ours, 'bigint', { ...descriptorOf(real, 'bigint'), value: bigint });
    return ours;
  });
  swap(outer, process, 'uptime', () => () => Number(clocks.read('age')) / 1e9);
}

// ---- what Node prints of its own readings

function swapTimes(outer, clocks, console) {
  const started = new Map(), say = (...rest) => console.log(...rest);
  const shown = (label, rest) => {
    if (!started.has(label)) outer.process.emitWarning(`No such label '${label}' for console.timeEnd()`);
    else say(`${label}: ${spanText(clocks.ageMillis() - started.get(label))}`, ...rest);
  };
  swap(outer, console, 'time', (real) => (label = 'default') => {
    const name = `${label}`;
    if (started.has(name)) real(label), real(label); // warns
    else started.set(name, clocks.ageMillis());
  });
  swap(outer, console, 'timeEnd', () => (label = 'default') => {
    shown(`${label}`, []);
    started.delete(`${label}`);
  });
  swap(outer, console, 'timeLog', () => (label = 'default', ...rest) => shown(`${label}`, rest));
}

/** A span as Node.js writes it. */
function spanText(span) {
  if (span < 1000) return `${Number(span.toFixed(3))}ms`;
  if (span < 60_000) return `${(span / 1000).toFixed(3)}s`;
  const two = (n) => `${n}`.padStart(2, '0'), hours = Math.floor(span / 3_600_000), minutes = Math.floor((span % 3_600_000) / 60_000);
  const [seconds, rest] = ((span % 60_000) / 1000).toFixed(3).split('.');
  return `${hours ? `${hours}:${two(minutes)}` : minutes}:${two(seconds)}.${rest} (${hours ? 'h:m' : ''}m:ss.mmm)`;
}

module.exports = { install };

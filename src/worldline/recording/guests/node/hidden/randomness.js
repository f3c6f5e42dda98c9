// Random numbers: `Math.random` and all of `crypto` that returns random bytes, numbers or UUIDs.
'use strict';

const { swap } = require('./swap.js');
const { FLOAT, INTEGER, BYTES } = require('./tape.js');
const apply = Reflect.apply;
const UUID_BYTES = 16, MAX_BELOW = 2 ** 48;

/** The random bytes of a run, for buffers of the program. */
class RandomBytes {
  constructor(outer, tape, real) {
    Object.assign(this, { outer, tape, real });
  }

  next(n) {
    const fresh = this.tape.live ? apply(this.outer.subarray, this.real(n), []) : this.tape.bytes(n);
    return this.tape.draw(`urandom ${n}`, BYTES, fresh);
  }

  buffer(n) {
    const buffer = this.outer.buffer(n);
    apply(this.outer.setBytes, buffer, [this.next(n)]);
    return buffer;
  }

  /** Fills a view of the program. */
  fill(view, from, size) {
    const bytes = new this.outer.global.Uint8Array(view.buffer ?? view, (view.byteOffset ?? 0) + from, size);
    apply(this.outer.setBytes, bytes, [this.next(size)]);
    return view;
  }

  uuid() {
    const bytes = this.next(UUID_BYTES);
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    const digits = Array.from(bytes, (b) => b.toString(16).padStart(2, '0')).join('');
    return [digits.slice(0, 8), digits.slice(8, 12), digits.slice(12, 16), digits.slice(16, 20), digits.slice(20)].join('-');
  }
}

function install(outer, tape) {
  swap(outer, outer.global.Math, 'random', (real) => () => tape.draw('float', FLOAT, tape.live ? real() : tape.unit()));
  const crypto = outer.require('crypto');
  const realBytes = crypto.randomBytes, source = new RandomBytes(outer, tape, (n) => realBytes(n));
  const later = (done, ...rest) => outer.global.setImmediate(done, null, ...rest);
  swapBytes(outer, crypto, source, later);
  swapFills(outer, crypto, source, later);
  swapIntegers(outer, crypto, tape, later);
  const uuid = (real) => function randomUUID(...rest) {
    // The real one refuses what it does not take, and gets no random number of the program's.
    if (rest.length > 0) apply(real, this, rest);
    return source.uuid();
  };
  swap(outer, crypto, 'randomUUID', uuid);
  const web = Object.getPrototypeOf(crypto.webcrypto);
  swap(outer, web, 'randomUUID', uuid);
  for (const owner of [web, crypto]) {
    swap(outer, owner, 'getRandomValues', (real) => function getRandomValues(view, ...rest) {
      apply(real, owner === web ? this : crypto, [view, ...rest]);
      return source.fill(view, 0, view.byteLength);
    });
  }
}

function swapBytes(outer, crypto, source, later) {
  const make = (real) => function randomBytes(size, done) {
    if (!Number.isInteger(size) || size < 0 || size > 2 ** 31 - 1 || (done !== undefined && typeof done !== 'function')) return real(size, done);
    const bytes = source.buffer(size);
    if (done === undefined) return bytes;
    later(done, bytes);
    return undefined;
  };
  for (const name of ['randomBytes', 'pseudoRandomBytes', 'rng', 'prng']) swap(outer, crypto, name, make);
}

function swapFills(outer, crypto, source, later) {
  swap(outer, crypto, 'randomFillSync', (real) => (view, offset, size) => {
    const unit = view?.BYTES_PER_ELEMENT ?? 1, before = view?.byteLength;
    real(view, offset, size); // refuses what does not fit
    const from = (offset ?? 0) * unit;
    return source.fill(view, from, size === undefined ? before - from : size * unit);
  });
  const { randomFillSync } = crypto;
  swap(outer, crypto, 'randomFill', (real) => (view, ...rest) => {
    const done = rest.pop();
    if (typeof done !== 'function') return real(view, ...rest, done);
    randomFillSync(view, ...rest);
    later(done, view);
    return undefined;
  });
}

function swapIntegers(outer, crypto, tape, later) {
  swap(outer, crypto, 'randomInt', (real) => (...rest) => {
    const done = typeof rest[rest.length - 1] === 'function' ? rest.pop() : null;
    const [from, to] = typeof rest[1] === 'number' ? rest : [0, rest[0]];
    const isRange = Number.isSafeInteger(from) && Number.isSafeInteger(to) && to > from && to - from < MAX_BELOW;
    if (!isRange) return real(...rest);
    const fresh = tape.live ? BigInt(real(from, to) - from) : tape.below(to - from);
    const value = from + Number(tape.draw(`below ${to - from}`, INTEGER, fresh));
    if (done === null) return value;
    later(done, value);
    return undefined;
  });
}

module.exports = { install };

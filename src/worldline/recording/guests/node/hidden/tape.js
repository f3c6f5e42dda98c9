// Every hidden input of a run in order, given or fresh, and recorded. Runs in the recorder's realm.
'use strict';

const { numberText } = require('text.js');
const WORD = 64n, TWO_POWER_53 = 9007199254740992;

/** Canonical text of bytes, as Python writes them. */
function bytesText(bytes) {
  let hasSingle = false, hasDouble = false, out = '';
  for (let i = 0; i < bytes.length; i++) {
    hasSingle ||= bytes[i] === 39;
    hasDouble ||= bytes[i] === 34;
  }
  const quote = hasSingle && !hasDouble ? '"' : "'";
  for (let i = 0; i < bytes.length; i++) {
    const b = bytes[i];
    if (b === 92 || (b === 39 && quote === "'")) out += `\\${String.fromCharCode(b)}`;
    else if (b >= 32 && b < 127) out += String.fromCharCode(b);
    else out += b === 10 ? '\\n' : b === 13 ? '\\r' : b === 9 ? '\\t' : `\\x${b.toString(16).padStart(2, '0')}`;
  }
  return `b${quote}${out}${quote}`;
}

function bytesOf(hex) {
  const bytes = new Uint8Array(hex.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = parseInt(hex.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}

/** A number as Python writes a float. */
function floatText(x) {
  const text = numberText(x);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

// How a value of a kind is written, and read from the plain text of a given one.
const FLOAT = { write: floatText, read: Number }, INTEGER = { write: String, read: BigInt }, BYTES = { write: bytesText, read: bytesOf };
const tuple = (write) => ({ write: (list) => `(${list.map(write).join(', ')})`, read: (text) => text.split(' ').map(Number) });
const NUMBERS = tuple(numberText), FLOATS = tuple(floatText);

/** Decides the hidden inputs of one run. A given one is used if it has the kind that is asked for; from the first that has not, all are fresh. */
class Tape {
  constructor(recorder, control) {
    this.recorder = recorder;
    this.live = control.seed === null;
    this.given = Array.from(control.given);
    this.at = 0;
    this.state = this.live ? 0n : BigInt(control.seed);
  }

  /** The next input: the given one, or the fresh one. */
  draw(kind, form, fresh) {
    let value = fresh;
    if (this.at < this.given.length) {
      const [was, plain] = this.given[this.at];
      if (was === kind) {
        this.at++;
        value = form.read(plain);
      } else this.given = [];
    }
    this.recorder.draw(kind, form.write(value));
    return value;
  }

  // ---- numbers of the seed, by splitmix64; none is recorded

  word() {
    this.state = BigInt.asUintN(64, this.state + 0x9e3779b97f4a7c15n);
    let z = this.state;
    z = BigInt.asUintN(64, (z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n);
    z = BigInt.asUintN(64, (z ^ (z >> 27n)) * 0x94d049bb133111ebn);
    return z ^ (z >> 31n);
  }

  unit() { return Number(this.word() >> 11n) / TWO_POWER_53; }

  /** A number below `n`, each as likely. */
  below(n) {
    const size = BigInt(n), end = (1n << WORD) - ((1n << WORD) % size);
    for (;;) {
      const word = this.word();
      if (word < end) return word % size;
    }
  }

  bytes(n) {
    const bytes = new Uint8Array(n);
    for (let i = 0; i < n; i += 8) {
      const word = this.word();
      for (let j = i, rest = word; j < n && j < i + 8; j++, rest >>= 8n) bytes[j] = Number(rest & 255n);
    }
    return bytes;
  }
}

module.exports = { Tape, FLOAT, INTEGER, BYTES, NUMBERS, FLOATS };

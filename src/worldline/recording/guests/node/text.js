// Atoms as canonical text (docs/reference/format.md, section 1): numbers in Python's spelling, strings with their escapes, names.
// Pure; runs in the recorder's realm.
'use strict';

const { floor, abs } = Math, { fromCodePoint } = String, INFINITY = Infinity;
const SAFE = 9007199254740991;

/** A number: an int where it is a safe integer, else a float as Python's repr writes it. */
function numberText(x) {
  if (x !== x) return 'nan';
  if (x === INFINITY) return 'inf';
  if (x === -INFINITY) return '-inf';
  if (floor(x) === x && abs(x) <= SAFE) return x === 0 && 1 / x < 0 ? '-0.0' : `${x}`;
  const [mantissa, power] = abs(x).toExponential().split('e');
  const digits = mantissa.replace('.', ''), e = +power;
  let out;
  if (e < -4 || e >= 16) {
    out = digits[0] + (digits.length > 1 ? `.${digits.slice(1)}` : '') + 'e' + (e < 0 ? '-' : '+') + `${abs(e)}`.padStart(2, '0');
  } else if (e < 0) out = `0.${'0'.repeat(-e - 1)}${digits}`;
  else if (digits.length > e + 1) out = `${digits.slice(0, e + 1)}.${digits.slice(e + 1)}`;
  else out = `${digits}${'0'.repeat(e + 1 - digits.length)}.0`;
  return x < 0 ? `-${out}` : out;
}

/** A BigInt's integer: decimal up to 1,024 bits, hexadecimal beyond. */
function bigText(x) {
  const size = x < 0n ? -x : x;
  if (size >> 1024n === 0n) return x.toString();
  return `${x < 0n ? '-' : ''}0x${size.toString(16)}`;
}

const ESCAPED = [
  [0x0, 0x1f], [0x7f, 0xa0], [0xad, 0xad], [0x34f, 0x34f], [0x61c, 0x61c], [0x1680, 0x1680], [0x180e, 0x180e],
  [0x2000, 0x200f], [0x2028, 0x202f], [0x205f, 0x206f], [0x3000, 0x3000], [0xd800, 0xdfff], [0xfeff, 0xfeff],
  [0xfff9, 0xfffb], [0xe0000, 0xe007f],
];
const SHORT = { 0x5c: '\\\\', 0x0a: '\\n', 0x0d: '\\r', 0x09: '\\t' };

function escaped(point) {
  for (let i = 0; i < ESCAPED.length; i++) {
    if (point < ESCAPED[i][0]) return false;
    if (point <= ESCAPED[i][1]) return true;
  }
  return false;
}

function escapeText(point) {
  if (SHORT[point] !== undefined) return SHORT[point];
  const hex = point.toString(16);
  return point < 0x100 ? `\\x${hex.padStart(2, '0')}` : point < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}

/** A string as canonical text. */
function stringText(s) {
  const quote = s.includes("'") && !s.includes('"') ? '"' : "'";
  let out = quote;
  for (let i = 0; i < s.length; i++) {
    const point = s.codePointAt(i);
    if (point > 0xffff) i++;
    if (point === 0x5c || escaped(point)) out += escapeText(point);
    else if (point === 39 && quote === "'") out += "\\'";
    else out += fromCodePoint(point);
  }
  return out + quote;
}

/** How many code points a string has. */
function points(s) {
  let n = s.length;
  for (let i = 0; i + 1 < s.length; i++) {
    if (s.codePointAt(i) > 0xffff) { n--; i++; }
  }
  return n;
}

const RESERVED = new Set([
  'None', 'True', 'False', 'Ellipsis', 'NotImplemented', 'inf', 'nan', 'float', 'complex', 'set', 'frozenset',
  'bytearray', 'deque', 'range', 'slice',
]);

function isIdentifier(s) {
  if (s === '') return false;
  for (let i = 0; i < s.length; i++) {
    const c = s.codePointAt(i);
    if (c > 0xffff) i++;
    if (c >= 0x80) {
      if (escaped(c)) return false;
    } else if (!((c >= 65 && c <= 90) || (c >= 97 && c <= 122) || c === 95 || (i > 0 && c >= 48 && c <= 57))) return false;
  }
  return true;
}

/** A name as it is, or as a canonical string where it is no identifier. */
function word(name) {
  return isIdentifier(name) ? name : stringText(name);
}

/** The name of a class whose values have no number: a word of the grammar is quoted. */
function className(name) {
  return RESERVED.has(name) ? stringText(name) : word(name);
}

module.exports = { numberText, bigText, stringText, points, word, className, escaped, escapeText };

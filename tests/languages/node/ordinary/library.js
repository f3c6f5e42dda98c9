// BigInt, Date fixed, RegExp groups, JSON, sort, typed arrays
'use strict';
function fact(n) {
  return n <= 1n ? 1n : n * fact(n - 1n);
}
const big = fact(25n);
const mod = big % 1000007n;
const when = new Date(Date.UTC(2020, 1, 29, 12, 0, 0));
when.setUTCDate(when.getUTCDate() + 1);
const iso = when.toISOString();
const re = /(?<year>\d{4})-(?<month>\d\d)/g;
const text = 'from 2020-02 to 2021-11';
const found = [];
let m;
while ((m = re.exec(text)) !== null) {
  const { year, month } = m.groups;
  found.push(`${month}/${year}`);
}
const swapped = text.replace(/(\d+)-(\d+)/g, (all, y, mo) => `${mo}.${y}`);
const all = [...text.matchAll(/\d+/g)].map((each) => Number(each[0]));
const json = JSON.stringify({ b: [1, { c: null }], a: undefined, d: new Date(0) }, (k, v) => (k === 'c' ? 'see' : v));
const back = JSON.parse(json, (k, v) => (Array.isArray(v) ? v.length : v));
const rows = [['b', 2], ['a', 2], ['c', 1]];
rows.sort(([n1, v1], [n2, v2]) => v1 - v2 || n1.localeCompare(n2));
const bytes = new Uint8Array(4);
const view = new DataView(bytes.buffer);
view.setUint16(0, 0x1234);
bytes[3] = 300;
const floats = Float64Array.of(0.1, 1 / 3, -0);
const part = floats.subarray(1);
part[0] = 7.5;
const sorted = new Int16Array([3, -1, 2]).sort();
console.log(big, mod, iso, found, swapped, all, json, back, rows, bytes, floats, sorted);

// The arguments of a call: trees as the host reads them, into values of the program's realm.
'use strict';

/** An array of the program's realm, of values that the trees say. */
function argumentsOf(outer, trees) {
  return valuesOf(outer, trees);
}

function valuesOf(outer, trees) {
  const list = new outer.global.Array();
  for (let i = 0; i < trees.length; i++) Object.defineProperty(list, i, { value: valueOf(outer, trees[i]), writable: true, enumerable: true, configurable: true });
  return list;
}

function integer(outer, text) {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : outer.global.BigInt(text);
}

function floating(text) {
  if (text === 'inf') return Infinity;
  if (text === '-inf') return -Infinity;
  return text.startsWith('nan') ? NaN : Number(text);
}

function bytes(outer, hex) {
  const list = new outer.global.Uint8Array(hex.length / 2);
  for (let i = 0; i < list.length; i++) list[i] = parseInt(hex.slice(2 * i, 2 * i + 2), 16);
  return list;
}

/** A dict with string keys is a plain object; any other one is a Map. */
function dictionary(outer, pairs) {
  if (pairs.every(([key]) => key[0] === 'str')) {
    const object = new outer.global.Object();
    for (const [key, value] of pairs) Object.defineProperty(object, key[1], { value: valueOf(outer, value), writable: true, enumerable: true, configurable: true });
    return object;
  }
  const map = new outer.global.Map();
  for (const [key, value] of pairs) map.set(valueOf(outer, key), valueOf(outer, value));
  return map;
}

function valueOf(outer, [kind, what]) {
  switch (kind) {
    case 'none': return null;
    case 'bool': case 'str': return what;
    case 'int': return integer(outer, what);
    case 'float': return floating(what);
    case 'bytes': return bytes(outer, what);
    case 'list': case 'tuple': return valuesOf(outer, what);
    case 'dict': return dictionary(outer, what);
    case 'set': {
      const set = new outer.global.Set();
      for (const each of what) set.add(valueOf(outer, each));
      return set;
    }
  }
  throw new Error(`no value of kind ${kind}`);
}

module.exports = { argumentsOf };

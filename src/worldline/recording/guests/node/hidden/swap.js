// Replaces functions of Node's by ours, which look the same: name, length, text, and how the property is defined.
'use strict';

const { getOwnPropertyDescriptor: descriptorOf, defineProperty } = Object;

/** Replaces a method by what `make` makes of the original. Nothing happens where this Node.js has no such method. */
function swap(outer, owner, name, make) {
  const d = owner && descriptorOf(owner, name);
  if (d === undefined || typeof d.value !== 'function') return;
  const real = d.value, ours = make(real);
  dress(outer, ours, real);
  defineProperty(owner, name, { ...d, value: ours });
}

/** Replaces the getter of a property. */
function swapGetter(outer, owner, name, make) {
  const d = owner && descriptorOf(owner, name);
  if (d === undefined || typeof d.get !== 'function') return;
  const ours = make(d.get);
  dress(outer, ours, d.get);
  defineProperty(owner, name, { ...d, get: ours });
}

function dress(outer, ours, real) {
  outer.disguised(ours, real.name);
  defineProperty(ours, 'length', { value: real.length, configurable: true });
  for (const key of Reflect.ownKeys(real)) {
    const own = descriptorOf(ours, key);
    if (own === undefined) defineProperty(ours, key, descriptorOf(real, key));
  }
}

module.exports = { swap, swapGetter, dress };

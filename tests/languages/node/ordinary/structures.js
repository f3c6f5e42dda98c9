// events, queue, linked list, LRU, string work, arguments, getter on object literal
const EventEmitter = require('events');
class Queue extends EventEmitter {
  #head = null;
  size = 0;
  push(v) {
    this.#head = { v, next: this.#head };
    this.size += 1;
    this.emit('push', v);
  }
  *[Symbol.iterator]() {
    let node = this.#head;
    while (node) {
      yield node.v;
      node = node.next;
    }
  }
}
class LRU {
  constructor(max) {
    this.max = max;
    this.map = new Map();
  }
  get(k) {
    if (!this.map.has(k)) return -1;
    const v = this.map.get(k);
    this.map.delete(k);
    this.map.set(k, v);
    return v;
  }
  put(k, v) {
    this.map.delete(k);
    this.map.set(k, v);
    if (this.map.size > this.max) {
      const oldest = this.map.keys().next().value;
      this.map.delete(oldest);
    }
  }
}
function variadic() {
  let t = 0;
  for (var i = 0; i < arguments.length; i++) t += arguments[i];
  return t;
}
const q = new Queue();
const heard = [];
q.on('push', (v) => heard.push(v));
q.once('push', function (v) {
  heard.push(this.size);
});
q.push('a');
q.push('b');
const cache = new LRU(2);
cache.put('x', 1);
cache.put('y', 2);
cache.get('x');
cache.put('z', 3);
const words = 'the cat the dog'.split(' ');
const freq = words.reduce((acc, w) => {
  acc[w] = (acc[w] || 0) + 1;
  return acc;
}, {});
const obj = {
  first: 'A',
  get full() {
    return this.first + '!';
  },
  set full(v) {
    this.first = v;
  },
};
obj.full = 'B';
const caesar = (s, k) => [...s].map((c) => (/[a-z]/.test(c) ? String.fromCharCode(((c.charCodeAt(0) - 97 + k) % 26) + 97) : c)).join('');
const enc = caesar('xyz é', 3);
console.log([...q], heard, [...cache.map.keys()], freq, obj.full, variadic(1, 2, 3), enc);
process.exitCode = 3;

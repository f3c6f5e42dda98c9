// A large array or Map of primitive values as it was written last: its elements, and where the text of each ends. Of one that
// changes a little, only what changed is rendered again. Like jvm/recorder/Rows.java.
'use strict';

const { getOwnPropertyNames: namesOf, getPrototypeOf: prototypeOf, hasOwn } = Object, isArray = Array.isArray, { min } = Math;
const HOLE = { hole: true }, MAP = { form: 'map' };

class Rows {
  constructor(container, head, tail, map) {
    this.container = container;
    this.prototype = prototypeOf(container);
    this.head = head; // how long the text is before the first element, and behind the last
    this.tail = tail;
    this.map = map;
    this.items = [];
    this.ends = [];
    this.changed = false;
    this.begin = this.end = 0; // where in the text before they stood: elements that are new
  }

  /** How long the text of the container is, or would be. */
  length() { return this.endOf(this.items.length) + this.tail; }

  endOf(n) { return n === 0 ? this.head : this.ends[n - 1]; }

  /** Looks at the elements again; the text of those that are new is in the renderer's buffer. False: they are not primitive. */
  update(renderer, v) {
    if (v !== this.container || prototypeOf(v) !== this.prototype) return false;
    const now = this.map ? pairs(renderer, v) : v.length * 2 > renderer.most ? null : v, { items } = this;
    if (now === null) return false;
    const n = now.length, count = items.length;
    let most = min(n, count), first = 0, last = 0;
    while (first < most && isSame(now, first, items[first])) first++;
    this.changed = first < n || n !== count;
    if (!this.changed) return true;
    most = min(most - first, most - 1); // before the first element there is no comma
    while (last < most && isSame(now, n - last - 1, items[count - last - 1])) last++;
    return this.replace(renderer, now, first, last);
  }

  replace(renderer, now, first, last) {
    const n = now.length, { items, ends } = this, count = items.length, between = [];
    for (let i = first; i < n - last; i++) between.push(at(now, i));
    const fresh = renderer.atoms(between, first, this.map);
    if (fresh === null) return false;
    this.begin = this.endOf(first);
    this.end = this.endOf(count - last);
    const longer = renderer.p - (this.end - this.begin);
    for (let i = count; i < n; i++) {
      items.push(undefined);
      ends.push(0);
    }
    if (n !== count) {
      shift(items, n - last, count - last, last);
      shift(ends, n - last, count - last, last);
      items.length = ends.length = n;
    }
    for (let i = first; i < n - last; i++) {
      items[i] = between[i - first];
      ends[i] = this.begin + fresh[i - first];
    }
    if (longer !== 0) for (let i = n - last; i < n; i++) ends[i] += longer;
    return this.length() <= 4 * renderer.most;
  }
}

/** Moves elements of an array to another place in it. */
function shift(list, to, from, n) {
  if (to > from) for (let i = n - 1; i >= 0; i--) list[to + i] = list[from + i];
  else for (let i = 0; i < n; i++) list[to + i] = list[from + i];
}

/** Is an element what it was? */
function isSame(now, i, then) {
  const x = now[i];
  if (x === undefined) return hasOwn(now, i) ? then === undefined : then === HOLE;
  return x === then && (x !== 0 || 1 / x === 1 / then);
}

function at(now, i) {
  const x = now[i];
  return x === undefined && !hasOwn(now, i) ? HOLE : x;
}

/** The keys and values of a Map that has no fields; null where it has, or too many. */
function pairs(renderer, v) {
  if (renderer.kinds.extent(MAP, v) * 2 > renderer.most || namesOf(v).length > 0) return null;
  return renderer.kinds.mapItems(v);
}

/** The rows of a value whose text was just written; null where it is no plain list or Map of primitive values. */
function rowsOf(renderer, v) {
  if (typeof v !== 'object' || v === null || renderer.careful || renderer.outer.isProxy(v)) return null;
  let head = 1, tail = 1, map = false;
  if (!(isArray(v) && renderer.kinds.isPlainArray(v))) {
    const kind = renderer.kinds.of(v);
    if (kind.form !== 'map' || kind.readers !== null) return null;
    head = kind.name.length + `${renderer.serial(v)}`.length + 3; // Map#1({
    tail = 2;
    map = true;
  }
  const rows = new Rows(v, head, tail, map);
  return rows.update(renderer, v) ? rows : null;
}

module.exports = { HOLE, rowsOf };

// What objects hold that no property shows: how far generators and iterators are, buffers, promises, weak collections.
// What cannot be read is counted: each change of such an object changes its text. Nothing of the program's is called.
'use strict';

const apply = Reflect.apply, { getOwnPropertyDescriptor: descriptorOf, getPrototypeOf: prototypeOf } = Object;
const getterOf = (object, name) => descriptorOf(object, name).get;
const viewed = { buffer: getterOf(DataView.prototype, 'buffer'), from: getterOf(DataView.prototype, 'byteOffset'), length: getterOf(DataView.prototype, 'byteLength') };

function rows(list) { return Array.from(list, (row) => Array.from(row)); }

/** The hidden state of the objects of one program; `traits` says what its text may do at all. */
class Internal {
  constructor(outer, traits) {
    this.outer = outer;
    this.traits = traits;
    // Of this realm: what the program does to its own arrays and maps is not what is called here.
    this.addresses = rows(outer.addresses);
    this.weak = rows(outer.weak);
    this.generators = Array.from(outer.generators);
    this.iterators = new Map(rows(outer.iterators));
    this.watchers = null; // by kind: what begins to watch such objects; null when it has
    this.settled = new WeakMap(); // texts of promises that do not change any more
    this.frames = new WeakMap(); // of generators that have begun
    this.counts = new WeakMap(); // of iterators: how often they were asked; of weak collections: how often they changed
  }

  /** The name, the first part and the fields of an object with hidden state; null where it is an opaque one. */
  of(v) {
    const { types } = this.outer;
    if (types.isGeneratorObject(v)) return this.generator(v);
    if (types.isAnyArrayBuffer(v)) return this.bytes(types.isSharedArrayBuffer(v) ? 'SharedArrayBuffer' : 'ArrayBuffer', v, 0, undefined);
    if (types.isDataView(v)) return this.view(v);
    if (types.isWeakMap(v)) return this.counting('weak', 'WeakMap', 'changes', v);
    if (types.isWeakSet(v)) return this.counting('weak', 'WeakSet', 'changes', v);
    return this.iterator(v) ?? (this.traits.addresses ? this.address(v) : null);
  }

  generator(v) {
    const f = this.frames.get(v);
    this.watch('generators');
    if (f === undefined) return { name: 'generator', value: undefined, fields: ['started', false] };
    if (f.serial < 0) return null;
    const done = f.place === 0 && !f.suspended, at = done ? [] : ['line', f.line];
    return { name: 'generator', value: f.fn.name, fields: [...at, 'yields', f.yields, 'done', done] };
  }

  iterator(v) {
    const name = this.iterators.get(prototypeOf(v));
    return name === undefined ? null : this.counting('iterators', name, 'taken', v);
  }

  counting(kind, name, field, v) {
    this.watch(kind);
    return { name, value: undefined, fields: [field, this.counts.get(v) ?? 0] };
  }

  watch(kind) {
    if (this.watchers === null || this.watchers[kind] === null) return;
    const install = this.watchers[kind];
    this.watchers[kind] = null;
    install();
  }

  bytes(name, buffer, from, length) {
    try {
      return { name, value: new Uint8Array(buffer, from, length), fields: [] };
    } catch {
      return { name, value: undefined, fields: ['detached', true] };
    }
  }

  view(v) {
    try {
      return this.bytes('DataView', apply(viewed.buffer, v, []), apply(viewed.from, v, []), apply(viewed.length, v, []));
    } catch {
      return { name: 'DataView', value: undefined, fields: ['detached', true] };
    }
  }

  /** URLs and their parameters, by Node's own methods. */
  address(v) {
    for (const [prototype, name, read] of this.addresses) {
      if (prototypeOf(v) !== prototype) continue;
      try {
        return { name, value: apply(read, v, []), fields: [] };
      } catch {
        return null;
      }
    }
    return null;
  }

  /** Whether a promise is pending. Node's inspection, where V8 does not tell, may ask getters: so only where there are none. */
  promise(v) {
    const { promise } = this.outer.natives;
    if (promise !== null) return promise(v);
    if (this.traits.careful) return '<Promise>';
    const known = this.settled.get(v);
    if (known !== undefined) return known;
    const text = this.outer.inspect(v, { customInspect: false, depth: 0, breakLength: Infinity, maxArrayLength: 0, maxStringLength: 0 });
    if (text.startsWith('Promise { <pending>')) return '<Promise pending>';
    const state = text.startsWith('Promise { <rejected>') ? '<Promise rejected>' : text.startsWith('Promise {') ? '<Promise fulfilled>' : '<Promise>';
    this.settled.set(v, state);
    return state;
  }

  count(v) { this.counts.set(v, (this.counts.get(v) ?? 0) + 1); }
}

/** A method of the program's realm that tells when it has changed its object. */
function counted(outer, prototype, name, changed) {
  const real = descriptorOf(prototype, name).value;
  const method = { [name](...rest) {
    const answer = apply(real, this, rest);
    changed(this, answer);
    return answer;
  } }[name];
  Object.defineProperty(prototype, name, { value: method, writable: true, enumerable: false, configurable: true });
  Object.defineProperty(method, 'length', { value: real.length, configurable: true });
  outer.disguised(method, name);
}

/** A generator's first `next` says which frame is its own. */
function driven(outer, recorder, prototype) {
  const { frames } = recorder.renderer.kinds.internal, real = prototype.next;
  const method = { next(value) {
    if (frames.has(this)) return apply(real, this, arguments);
    const before = recorder.driven;
    recorder.driven = this;
    try {
      return apply(real, this, arguments);
    } finally {
      recorder.driven = before;
    }
  } }.next;
  Object.defineProperty(prototype, 'next', { value: method, writable: true, enumerable: false, configurable: true });
  outer.disguised(method, 'next');
}

/** How objects of a kind are watched, which begins when the first of them is shown: the engine's own way is quicker. */
function watchers(outer, recorder) {
  const { internal } = recorder.renderer.kinds;
  return {
    generators() { for (const prototype of internal.generators) driven(outer, recorder, prototype); },
    iterators() { for (const prototype of internal.iterators.keys()) counted(outer, prototype, 'next', (v) => internal.count(v)); },
    weak() {
      for (const [prototype, add] of internal.weak) {
        counted(outer, prototype, add, (v) => internal.count(v));
        counted(outer, prototype, 'delete', (v, answer) => { if (answer) internal.count(v); });
      }
    },
  };
}

module.exports = { Internal, watchers };

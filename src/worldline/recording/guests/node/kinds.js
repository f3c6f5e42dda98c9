// What kind of object a value is, by its internal slots and its prototypes, never by asking it.
// Runs in the recorder's realm; `outer` has the program's intrinsics as they were before it ran.
'use strict';

const { word } = require('./text.js');
const { Internal } = require('./internal.js');
const apply = Reflect.apply, isArray = Array.isArray;
const { getPrototypeOf: prototypeOf, getOwnPropertyDescriptor: descriptorOf, keys: keysOf } = Object;
const mapEach = Map.prototype.forEach, setEach = Set.prototype.forEach;
const getTime = Date.prototype.getTime;
const getter = (object, name) => descriptorOf(object, name).get;
const mapSize = getter(Map.prototype, 'size'), setSize = getter(Set.prototype, 'size');
const typedLength = getter(prototypeOf(Uint8Array.prototype), 'length');
const regexpSource = getter(RegExp.prototype, 'source');
const FLAGS = ['hasIndices', 'global', 'ignoreCase', 'multiline', 'dotAll', 'unicode', 'unicodeSets', 'sticky'];
const LETTERS = { hasIndices: 'd', global: 'g', ignoreCase: 'i', multiline: 'm', dotAll: 's', unicode: 'u', unicodeSets: 'v', sticky: 'y' };
const flagGetters = FLAGS.filter((name) => descriptorOf(RegExp.prototype, name)).map((name) => [LETTERS[name], getter(RegExp.prototype, name)]);
const unbox = { isNumberObject: Number, isStringObject: String, isBooleanObject: Boolean, isBigIntObject: BigInt, isSymbolObject: Symbol };

/** The questions that can be asked about values of a program whose intrinsics are `outer`. */
function kinds(outer, traits) {
  const { types } = outer;
  const known = new WeakMap();
  const readers = new WeakMap();
  const modules = new WeakMap();
  const classes = new WeakMap();
  const internal = new Internal(outer, traits);

  function constructorOf(v) {
    for (let p = prototypeOf(v); p !== null; p = outer.isProxy(p) ? null : prototypeOf(p)) {
      if (outer.isProxy(p)) return null;
      const d = descriptorOf(p, 'constructor');
      if (d !== undefined) return typeof d.value === 'function' && !outer.isProxy(d.value) ? d.value : null;
    }
    return null;
  }

  function functionName(f) {
    const d = descriptorOf(f, 'name');
    return d !== undefined && typeof d.value === 'string' ? d.value : '';
  }

  function isClass(f) {
    const d = descriptorOf(f, 'prototype');
    return d !== undefined && d.writable === false && typeof d.value === 'object';
  }

  /** Is the function or class one of the program's files? Its text holds the hook's name. */
  function isOwn(f) {
    if (outer.own.has(f)) return true;
    try {
      return apply(outer.functionText, f, []).includes(outer.hook);
    } catch {
      return false;
    }
  }

  function readersOf(v) {
    let found = null;
    const chain = [];
    for (let p = prototypeOf(v); p !== null && !outer.isProxy(p); p = prototypeOf(p)) if (readers.has(p)) chain.push(readers.get(p));
    for (const read of chain) found = { of: read, up: found };
    return found;
  }

  function formOf(v) {
    if (types.isMap(v)) return 'map';
    if (types.isSet(v)) return 'set';
    if (types.isTypedArray(v)) return 'typed';
    if (types.isDate(v)) return 'date';
    if (types.isRegExp(v)) return 'regexp';
    if (types.isNativeError(v)) return 'error';
    if (types.isBoxedPrimitive(v)) return 'boxed';
    if (types.isArgumentsObject(v)) return 'array';
    if (isArray(v)) return 'array';
    return '';
  }

  function opaque(text) {
    return { form: 'opaque', text, name: 'object', bare: 'object', readers: null };
  }

  function special(v) {
    if (v === outer.global) return opaque('<global>');
    if (modules.has(v)) return opaque(`<module ${modules.get(v).split('/').map(word).join('.')}>`);
    if (types.isPromise(v)) return opaque(internal.promise(v));
    const state = internal.of(v);
    if (state !== null) return { form: 'state', text: '', name: state.name, bare: state.name, readers: null, state };
    if (types.isGeneratorObject(v)) return opaque('<generator>');
    if (types.isModuleNamespaceObject(v)) return opaque('<module>');
    if (types.isMapIterator(v) || types.isSetIterator(v)) return opaque('<iterator>');
    if (types.isExternal(v)) return opaque('<External>');
    return null;
  }

  function find(v, prototype) {
    const form = formOf(v);
    const maker = constructorOf(v);
    const bare = form === 'array' && types.isArgumentsObject(v) ? 'Arguments' : maker === null ? '' : functionName(maker);
    const name = bare === '' ? (form === 'error' ? 'Error' : 'object') : word(bare);
    const own = maker !== null && isOwn(maker);
    const readers = own ? readersOf(v) : null;
    if (form !== '') return { form, name, bare: bare || 'Error', readers, text: '' };
    if (prototype === outer.objectPrototype || prototype === null || maker === outer.object) return { form: 'dict', name: 'dict', bare, readers, text: '' };
    if (own) return { form: 'fields', name, bare, readers, text: '' };
    return opaque(`<${name}>`);
  }

  /** Form, name and private fields of an object that is no plain array. */
  function of(v) {
    const odd = special(v);
    if (odd !== null) return odd;
    const prototype = prototypeOf(v);
    if (prototype === outer.objectPrototype && formOf(v) === '') return DICT;
    if (prototype === null || formOf(v) !== '' || outer.isProxy(prototype)) return find(v, prototype);
    let kind = known.get(prototype);
    if (kind === undefined) known.set(prototype, kind = find(v, prototype));
    return kind;
  }

  const DICT = { form: 'dict', name: 'dict', bare: 'Object', readers: null, text: '' };
  return {
    of, functionName, isClass, internal,
    isPlainArray: (v) => prototypeOf(v) === outer.arrayPrototype,
    mapItems(v) {
      const out = [];
      apply(mapEach, v, [(x, k) => { out.push(k, x); }]);
      return out;
    },
    setItems(v) {
      const out = [];
      apply(setEach, v, [(x) => { out.push(x); }]);
      return out;
    },
    typedItems(v, most) {
      const n = apply(typedLength, v, []);
      if (n * 2 > most) return null;
      const out = [];
      for (let i = 0; i < n; i++) out.push(v[i]);
      return out;
    },
    unboxed(v) {
      for (const name of Object.keys(unbox)) if (types[name](v)) return apply(unbox[name].prototype.valueOf, v, []);
      return undefined;
    },
    time: (v) => apply(getTime, v, []),
    source: (v) => apply(regexpSource, v, []),
    flags: (v) => flagGetters.map(([letter, get]) => (apply(get, v, []) ? letter : '')).join(''),
    /** Own enumerable names that are no indices. */
    names: (v) => keysOf(v).filter((key) => !/^\d+$/.test(key)),
    extent(kind, v) {
      switch (kind.form) {
        case 'map': return apply(mapSize, v, []);
        case 'set': return apply(setSize, v, []);
        case 'typed': return apply(typedLength, v, []);
        case 'array': return isArray(v) ? v.length : 0;
        case 'fields': return keysOf(v).length;
      }
      return 0;
    },
    /** Has a function or class of the program's properties? */
    hasFields: (v) => (keysOf(v).length > 0 || classes.has(v)) && isOwn(v),
    readersOfClass: (v) => (classes.has(v) ? { of: classes.get(v), up: null } : null),
    registerClass(cls, read) {
      classes.set(cls, read);
    },
    /** How the private fields of instances of this prototype are read. */
    register(prototype, read) {
      readers.set(prototype, read);
    },
    module(exports, name) {
      if ((typeof exports === 'object' && exports !== null) || typeof exports === 'function') modules.set(exports, name);
    },
  };
}

module.exports = { kinds };

// The first file that Node.js runs in the sandbox: it prepares the recorder in a realm of its own, then runs the program.
// `node main.js FD`: the descriptor has the specification as JSON (guest.py). Nothing here is within the program's reach.
'use strict';

const { loader, folder, cached, setFlags } = require('./load.js');

const fs = require('fs'), vm = require('vm'), Module = require('module'), { types, inspect } = require('util');
const { MAX_LENGTH } = require('buffer').constants;
const { runInContext } = vm;

const realm = vm.createContext(Object.create(null), { codeGeneration: { strings: false, wasm: false } });

// The specification and, after a NUL, what cache.js compiled. Parsed in the recorder's realm: a program that changes what arrays do must not change what its specification does.
const given = fs.readFileSync(+process.argv[2]);
fs.closeSync(+process.argv[2]);
const end = given.indexOf(0);
const spec = vm.runInContext('JSON', realm).parse(given.toString('utf8', 0, end < 0 ? given.length : end));

const load = loader(realm, cached(end < 0 ? Buffer.alloc(0) : given.subarray(end + 1)));
const writeFile = fs.writeSync, { reallyExit } = process;
const FIRST = 1 << 23;

/** The wire's memory, how large it is and how to get all of it; without the addon, a copy that is written to a descriptor at a number that nobody can guess. */
function openWire() {
  if (spec.addon) {
    const module = { exports: {} };
    try {
      process.dlopen(module, spec.addon);
      const found = module.exports(spec.wire);
      if (found !== undefined) {
        const size = Math.min(found[1], MAX_LENGTH), all = () => new Uint8Array(found[2](), 0, size);
        return { memory: new Uint8Array(found[0]), size, all, write: null };
      }
    } catch {
      // built for another machine: the copy serves
    }
  }
  const size = Math.min(fs.fstatSync(spec.wire).size, MAX_LENGTH, spec.limits.disk); // no file may be longer
  const memory = Buffer.alloc(Math.min(size, FIRST));
  const write = (bytes, from, to) => { for (let at = from; at < to;) at += writeFile(spec.wire, bytes, at, to - at, at); };
  return { memory, size, all: () => Buffer.concat([memory], size), write };
}

const outer = {
  global: globalThis, object: Object, objectPrototype: Object.prototype, arrayPrototype: Array.prototype, RangeError, Promise, Buffer, Module,
  inspect, isProxy: types.isProxy, types: { ...types }, functionText: Function.prototype.toString, bigToString: BigInt.prototype.toString,
  describe: Object.getOwnPropertyDescriptor(Symbol.prototype, 'description').get, utf8Write: Buffer.prototype.utf8Write,
  utf8Slice: Buffer.prototype.utf8Slice, latin1Write: Buffer.prototype.latin1Write, copy: Buffer.prototype.copy, compare: Buffer.prototype.compare,
  byteLength: Buffer.byteLength, buffer: Buffer.allocUnsafeSlow, setBytes: Uint8Array.prototype.set, subarray: Uint8Array.prototype.subarray,
  copyWithin: Uint8Array.prototype.copyWithin,
  words: (memory, from) => new Uint32Array(memory, from, 16), exit: (code) => reallyExit.call(process, code), own: new WeakSet(),
  hook: spec.hook, process, fs, vm, require, Error, TypeError, folder, functionPrototype: Function.prototype, load,
  generatorPrototype: Object.getPrototypeOf(function* () {}).prototype,
  generatorNext: Object.getPrototypeOf(function* () {}).prototype.next,
  asyncGeneratorNext: Object.getPrototypeOf(async function* () {}).prototype.next,
  generators: [Object.getPrototypeOf(function* () {}).prototype, Object.getPrototypeOf(async function* () {}).prototype],
  iterators: new Map([
    ['ArrayIterator', [].values()], ['StringIterator', ''[Symbol.iterator]()], ['MapIterator', new Map().values()],
    ['SetIterator', new Set().values()], ['RegExpStringIterator', ''.matchAll(/a/g)],
  ].map(([name, iterator]) => [Object.getPrototypeOf(iterator), name])),
  weak: [[WeakMap.prototype, 'set'], [WeakSet.prototype, 'add']],
  addresses: [
    [URL.prototype, 'URL', Object.getOwnPropertyDescriptor(URL.prototype, 'href').get],
    [URLSearchParams.prototype, 'URLSearchParams', URLSearchParams.prototype.toString],
  ],
};

// An object of this realm that falls into the program's hands (an error, say) leads to nothing that can be changed.
const FREEZE = `for (const name of Object.getOwnPropertyNames(globalThis)) {
  const value = globalThis[name];
  if (typeof value !== 'function' && typeof value !== 'object' || value === null || value === globalThis) continue;
  if (value.prototype) Object.freeze(value.prototype);
  Object.freeze(value);
}
for (const value of [function* () {}, async function () {}, async function* () {}, [][Symbol.iterator](), new Map().entries(), new Set().values(), ''[Symbol.iterator]()]) {
  for (let p = Object.getPrototypeOf(value); p; p = Object.getPrototypeOf(p)) Object.freeze(p);
}`;

function begun() {
  writeFile(spec.report, 'begun');
  fs.closeSync(spec.report);
}

const { Run } = load('run.js');
outer.natives = load('natives.js').natives(setFlags, (text) => runInContext(text, realm));
vm.runInContext(FREEZE, realm);
for (const path of [...Object.keys(require.cache), ...Object.keys(Module._pathCache)]) {
  if (!path.includes(folder.slice(0, -1))) continue;
  delete require.cache[path];
  delete Module._pathCache[path];
}
new Run(outer, spec, openWire(), begun).go();

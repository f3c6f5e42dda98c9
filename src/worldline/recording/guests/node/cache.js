// Compiles this folder's files once, and has them compile a small program, so that what V8 made of them can be kept.
// On standard output: an index as JSON, a NUL, and the bytes; load.js reads them. Without it all is compiled anew.
'use strict';

const fs = require('fs'), vm = require('vm');
const { loader } = require('./load.js');

const SAMPLE = 'class A { m(a, ...b) { return [a, ...b].map((x) => x + 1); } }\nfor (let i = 0; i < 2; i++) { try { if (i) new A().m(i); else break; } catch (e) { console.log(e); } }\n';
const scripts = new Map();
const load = loader(vm.createContext(Object.create(null), { codeGeneration: { strings: false, wasm: false } }), new Map(), scripts);
load('run.js');
load('pass/compile.js').compile({ name: 'a.js', source: SAMPLE, files: {}, call: null }, '$cache0000000000', '0', load);
const index = {}, parts = [];
let at = 0;
for (const [path, script] of scripts) {
  const data = script.createCachedData();
  index[path] = [at, data.length];
  at += data.length;
  parts.push(data);
}
const bytes = Buffer.concat([Buffer.from(`${JSON.stringify(index)}\0`), ...parts]);
for (let done = 0; done < bytes.length;) done += fs.writeSync(1, bytes, done);

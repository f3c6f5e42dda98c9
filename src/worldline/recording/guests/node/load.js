// Reads the files of this folder: into the recorder's realm, or into this one where nothing is run (prepare.js).
'use strict';

// What V8 compiled before, of Node's own files and of ours, it takes only under the flags of then. It has acted on ours by now:
// put back, they are as they were. With another default the cache is refused, and that costs some milliseconds.
const DEFAULT_STACK = { arm64: 864, x64: 984 }; // `node --v8-options`

let setFlags = null; // for natives.js

function restoreFlags() {
  const { noDeprecation } = process;
  try {
    process.noDeprecation = true;
    const { setFlagsFromString } = process.binding('v8');
    setFlagsFromString(`--stack-size=${DEFAULT_STACK[process.arch]}`);
    setFlagsFromString('--max-old-space-size=0');
    setFlags = setFlagsFromString;
  } catch {
    // a later Node.js may have no such binding
  }
  if (noDeprecation === undefined) delete process.noDeprecation;
  else process.noDeprecation = noDeprecation;
}

if (process.arch in DEFAULT_STACK && process.execArgv.some((each) => each.startsWith('--stack-size='))) restoreFlags();

const fs = require('fs'), vm = require('vm');

const folder = `${__dirname}/`;

/** The one ES module among the vendored files, as a script. */
function asScript(source) {
  return source.replace(/^import \* as (\w+) from "acorn";$/m, 'const $1 = require("vendor/acorn.js");').replace(/^export \{\s*(\w+)\s*\};$/m, 'exports.$1 = $1;');
}

/** What cache.js wrote: each file's compiled form, by its path. */
function cached(bytes) {
  const end = bytes.indexOf(0), found = new Map();
  if (end < 0) return found;
  const index = JSON.parse(bytes.toString('utf8', 0, end));
  for (const [path, [at, length]] of Object.entries(index)) found.set(path, bytes.subarray(end + 1 + at, end + 1 + at + length));
  return found;
}

/** A `require` for this folder's files; `realm` is a context, or null for this one. `scripts` is told what was compiled. */
function loader(realm, cache = new Map(), scripts = null) {
  const loaded = new Map();
  const compile = (text, path) => {
    const script = new vm.Script(text, { filename: folder + path, cachedData: cache.get(path) });
    if (scripts !== null) scripts.set(path, script);
    return realm === null ? script.runInThisContext() : script.runInContext(realm);
  };
  const within = (path) => path.slice(0, path.lastIndexOf('/') + 1);
  return function load(path) {
    if (!loaded.has(path)) {
      const module = { exports: {} };
      loaded.set(path, module);
      const text = fs.readFileSync(folder + path, 'utf8'), source = path.endsWith('-typescript.js') ? asScript(text) : text;
      compile(`(function(module,exports,require){${source}\n})`, path)(module, module.exports, (name) => load(name.startsWith('./') ? within(path) + name.slice(2) : name));
    }
    return loaded.get(path).exports;
  };
}

module.exports = { loader, folder, cached, setFlags };

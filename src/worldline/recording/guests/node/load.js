// Reads the files of this folder: into the recorder's realm, or into this one where nothing is run (prepare.js).
'use strict';

const fs = require('fs'), vm = require('vm');

const folder = `${__dirname}/`;

/** The one ES module among the vendored files, as a script. */
function asScript(source) {
  return source.replace(/^import \* as (\w+) from "acorn";$/m, 'const $1 = require("vendor/acorn.js");').replace(/^export \{\s*(\w+)\s*\};$/m, 'exports.$1 = $1;');
}

/** A `require` for this folder's files; `realm` is a context, or null for this one. */
function loader(realm) {
  const loaded = new Map();
  const compile = (text, filename) => (realm === null ? vm.runInThisContext(text, { filename }) : vm.runInContext(text, realm, { filename }));
  const within = (path) => path.slice(0, path.lastIndexOf('/') + 1);
  return function load(path) {
    if (!loaded.has(path)) {
      const module = { exports: {} };
      loaded.set(path, module);
      const source = asScript(fs.readFileSync(folder + path, 'utf8'));
      compile(`(function(module,exports,require){${source}\n})`, folder + path)(module, module.exports, (name) => load(name.startsWith('./') ? within(path) + name.slice(2) : name));
    }
    return loaded.get(path).exports;
  };
}

module.exports = { loader, folder };

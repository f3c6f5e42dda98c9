// How a program's own files are loaded: CommonJS by Node's own loader, with the instrumented text; ES modules linked here.
'use strict';

const apply = Reflect.apply;

class Modules {
  constructor(run) {
    this.run = run;
    this.outer = run.outer;
    this.files = run.made.files;
    this.root = run.root;
    this.linked = new Map(); // identifier -> vm module
  }

  nameOf(path) {
    if (typeof path !== 'string' || !path.startsWith(`${this.root}/`)) return null;
    const name = path.slice(this.root.length + 1);
    return Object.hasOwn(this.files, name) ? name : null;
  }

  // ---- CommonJS

  install() {
    const { outer, run } = this, { Module } = outer, modules = this;
    const { _compile } = Module.prototype;
    Module.prototype._compile = function _compile_(content, filename, ...rest) {
      const name = modules.nameOf(filename);
      if (name === null || modules.files[name].module) return apply(_compile, this, [content, filename, ...rest]);
      modules.lend();
      return apply(_compile, this, [modules.files[name].code, filename, ...rest]);
    };
    const { _load } = Module, builtins = new Set(Module.builtinModules); // ours: the program may change what arrays do
    Module._load = function _load_(request, ...rest) {
      const exports = apply(_load, this, [request, ...rest]);
      if (typeof request === 'string') {
        const builtin = request.startsWith('node:') ? request.slice(5) : request;
        if (builtins.has(builtin)) modules.builtin(builtin, exports);
      }
      return exports;
    };
    for (const suffix of ['.ts', '.cts']) Module._extensions[suffix] = Module._extensions['.js'];
    for (const [value, name] of [[Module.prototype._compile, '_compile'], [Module._load, '_load']]) run.disguise.native(value, name);
  }

  builtin(name, exports) {
    this.run.note(name);
    this.run.recorder.renderer.kinds.module(exports, name);
  }

  /** The hooks, for the next script that reads them: once. */
  lend() {
    const { outer, run } = this;
    Object.defineProperty(outer.global, run.spec.hook, {
      configurable: true, enumerable: false,
      get() {
        delete outer.global[run.spec.hook];
        return run.recorder;
      },
    });
  }

  runScript(path) {
    const { Module, process } = this.outer;
    if (Module.runMain !== undefined && path.endsWith('.js')) Module.runMain(path);
    else Module._load(path, null, true);
    void process;
    return null;
  }

  // ---- ES modules

  runModule(name) {
    const { outer, run } = this;
    quietly(outer, () => new outer.vm.SourceTextModule(''));
    const done = this.load(name).then(async (module) => {
      await this.link(module);
      await module.evaluate();
    });
    return done.catch((error) => {
      run.recorder.unwind(0, true, error);
      run.rethrow(error);
      if (run.spec.call !== null) return new Promise(() => {});
      return undefined;
    });
  }

  async link(module) {
    if (module.status === 'unlinked') await module.link((specifier, from) => this.resolve(specifier, from.identifier));
  }

  async load(name) {
    const { outer, run } = this;
    const identifier = `file://${this.root}/${name}`;
    if (this.linked.has(identifier)) return this.linked.get(identifier);
    const module = new outer.vm.SourceTextModule(this.files[name].code, {
      identifier,
      initializeImportMeta: (meta) => {
        meta.url = identifier;
        meta.filename = `${this.root}/${name}`;
        meta.dirname = meta.filename.slice(0, meta.filename.lastIndexOf('/'));
      },
    });
    this.linked.set(identifier, module);
    void run;
    return module;
  }

  async resolve(specifier, from) {
    const { outer, run } = this;
    if (specifier === run.spec.hook) return this.synthetic(specifier, { default: run.recorder });
    const path = this.pathOf(specifier, from);
    const name = path === null ? null : this.candidates(path).map((each) => this.nameOf(each)).find((each) => each !== null) ?? null;
    if (name !== null && this.files[name].module) return this.load(name);
    if (name !== null) return this.commonJs(`${this.root}/${name}`, specifier);
    const builtin = specifier.startsWith('node:') ? specifier.slice(5) : specifier;
    if (outer.Module.builtinModules.includes(builtin)) {
      const exports = outer.require(builtin);
      this.builtin(builtin, exports);
      return this.synthetic(`node:${builtin}`, named(exports, outer));
    }
    return this.commonJs(path ?? specifier, specifier, from);
  }

  pathOf(specifier, from) {
    if (specifier.startsWith('file://')) return decodeURIComponent(specifier.slice(7));
    if (specifier.startsWith('/')) return specifier;
    if (!/^\.\.?\//.test(specifier)) return null;
    return outerPath(`${from.slice(7, from.lastIndexOf('/'))}/${specifier}`);
  }

  candidates(path) {
    return [path, path.replace(/\.js$/, '.ts'), path.replace(/\.mjs$/, '.mts'), `${path}.ts`, `${path}.js`];
  }

  commonJs(path, specifier, from) {
    const require = this.outer.Module.createRequire(from === undefined ? path : from);
    return this.synthetic(`file://${path}`, named(this.required(require, path), this.outer));
  }

  required(require, path) {
    try {
      return require(path);
    } catch (error) {
      const file = error?.code === 'ERR_PACKAGE_PATH_NOT_EXPORTED' ? this.importedFile(require, path) : null;
      if (file === null) throw error;
      return require(file);
    }
  }

  /** The file of a package that shows itself only to `import`; null if there is none. */
  importedFile(require, specifier) {
    const [, name, rest] = /^((?:@[^/]+\/)?[^/]+)(.*)$/.exec(specifier);
    for (const folder of require.resolve.paths(specifier) ?? []) {
      let text;
      try {
        text = this.outer.fs.readFileSync(`${folder}/${name}/package.json`, 'utf8');
      } catch {
        continue;
      }
      const target = exportedTo(JSON.parse(text).exports, `.${rest}`);
      return target === null ? null : `${folder}/${name}/${target}`;
    }
    return null;
  }

  async synthetic(identifier, values) {
    const { outer } = this;
    if (this.linked.has(identifier)) return this.linked.get(identifier);
    const module = new outer.vm.SyntheticModule(Object.keys(values), function evaluate() {
      for (const key of Object.keys(values)) this.setExport(key, values[key]);
    }, { identifier });
    this.linked.set(identifier, module);
    return module;
  }

  /** `import(...)`: a promise of the program's own kind. */
  dynamic(from, rest) {
    const { outer } = this;
    return new outer.Promise((resolve, reject) => {
      const found = async () => {
        quietly(outer, () => new outer.vm.SourceTextModule(''));
        const module = await this.resolve(`${rest[0]}`, `file://${this.root}/${from}`);
        await this.link(module);
        await module.evaluate();
        return module.namespace;
      };
      found().then(resolve, reject);
    });
  }
}

/** The file that the `exports` of a package name for a path in it, when it is imported. */
function exportedTo(exports, path) {
  const isMap = typeof exports === 'object' && exports !== null && Object.keys(exports).some((key) => key.startsWith('.'));
  return chosen(isMap ? exports[path] : path === '.' ? exports : null);
}

function chosen(target) {
  if (typeof target === 'string') return target;
  if (typeof target !== 'object' || target === null) return null;
  for (const [condition, inner] of Object.entries(target)) {
    const file = Array.isArray(target) || /^(import|node|default)$/.test(condition) ? chosen(inner) : null;
    if (file !== null) return file;
  }
  return null;
}

/** What a module of Node's, or a CommonJS one, exports by name; getters are not asked. */
function named(exports, outer) {
  if (outer.types.isModuleNamespaceObject(exports)) return Object.fromEntries(Object.keys(exports).map((key) => [key, exports[key]]));
  const values = { default: exports };
  if ((typeof exports !== 'object' && typeof exports !== 'function') || exports === null) return values;
  for (const key of Object.keys(exports)) {
    const d = Object.getOwnPropertyDescriptor(exports, key);
    if (d !== undefined && 'value' in d && key !== 'default') values[key] = d.value;
  }
  return values;
}

/** A path without `.` and `..`. */
function outerPath(path) {
  const out = [];
  for (const part of path.split('/')) {
    if (part === '..') out.pop();
    else if (part !== '.' && part !== '') out.push(part);
  }
  return `/${out.join('/')}`;
}

/** Without the warning that a feature is experimental, which a plain run does not print. */
function quietly(outer, act) {
  const { process } = outer, { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    act();
  } finally {
    process.emitWarning = emitWarning;
  }
}

module.exports = { Modules };

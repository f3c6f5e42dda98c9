// A program's files before they run: types stripped, parsed, instrumented; and control flow, when it is asked for.
'use strict';

const { Instrumenter, Unsupported } = require('./instrument.js');

const SUFFIX = /\.(js|mjs|cjs|ts|mts|cts)$/;
// Ways by which a property with a getter may come into being; without any of them, reading one calls nothing.
const ACCESSORS = /\b(get|set|eval|Function|Reflect|globalThis|create)\b(?!\s*\()|\b(eval|Function|create)\s*\(|define|\.constructor\b(?!\.name)|\bObject\b(?!\s*\.\s*\w)|__proto__/;
const SYMBOLS = /\bSymbol\b/; // where keys that are symbols come from
const ADDRESSES = /\bURL/;
const HOOKS = /async_hooks|promiseHooks/; // ways to be called when a promise is created
const ASSIGNS = /\b(Proxy|assign|defineProperty|defineProperties|Reflect|eval)\b/; // ways to give a function properties, besides a write
const PATCHES = /\bprototype\b|__proto__|\beval\b|\bFunction\s*\(/;

/** The first error of a source, with its line. */
class SourceError extends Error {}

/** Whether an `import` or `export` of a program names a file: then no line is executed if the file is wrong. */
function isImported(name, source) {
  const stem = name.slice(name.lastIndexOf('/') + 1).replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`\\b(?:from|import)\\s*["'](?:[^"'\\n]*/)?${stem}["']`).test(source);
}

/** The error of another file than the program's own: the message says which. */
function located(error, name) {
  error.file = undefined;
  error.message = /^SyntaxError in line \d+/.test(error.message)
    ? error.message.replace(/^SyntaxError in line \d+/, (place) => `${place} of ${name}`)
    : `${name}: ${error.message}`;
  return error;
}

function isTypeScript(name) {
  return /\.(ts|mts|cts)$/.test(name);
}

function parser(acorn) {
  return (source, module) => {
    const tokens = [];
    const tree = acorn.parse(source, {
      ecmaVersion: 'latest', sourceType: module ? 'module' : 'commonjs', locations: true, preserveParens: true, allowHashBang: true,
      onToken: tokens,
    });
    return { tree, tokens };
  };
}

/** A file's tree, and whether it is an ES module: by its suffix, else by what it says. */
function parse(acorn, name, source, typeModule) {
  const attempt = parser(acorn);
  if (/\.(mjs|mts)$/.test(name) || (typeModule && !/\.(cjs|cts)$/.test(name))) return { ...attempt(source, true), module: true };
  try {
    return { ...attempt(source, false), module: false };
  } catch (error) {
    if (/\.(cjs|cts)$/.test(name)) throw error;
    try {
      return { ...attempt(source, true), module: true };
    } catch (other) {
      throw /^\s*(import|export)\b/m.test(source) ? other : error;
    }
  }
}

function sourceError(name, source, error) {
  const last = source.replace(/\n+$/, '').split('\n').length;
  const place = error.loc ? ` in line ${Math.min(error.loc.line, last)}` : '';
  const found = new SourceError(`SyntaxError${place}: ${error.message.replace(/ \(\d+:\d+\)$/, '')}`);
  found.file = name;
  return found;
}

/** Every file of a program that is JavaScript or TypeScript, instrumented. `load` gives a module of this folder. */
function compile(spec, hook, take, load, flows) {
  const acorn = load('vendor/acorn.js');
  const texts = { ...textsOf(spec.files), [spec.name]: spec.source };
  const all = Object.values(texts).join('\n');
  const options = { hook, take, strict: PATCHES.test(all), firstFunction: 0, firstSite: 0, flow: flows ? load('pass/flow.js').flowTable : null };
  const made = { files: {}, careful: ACCESSORS.test(all), stateful: false, captures: false, symbols: SYMBOLS.test(all), addresses: ADDRESSES.test(all), tellsPromises: HOOKS.test(all), hook };
  const typeModule = isModulePackage(spec.files);
  for (const name of [spec.name, ...Object.keys(texts).filter((each) => each !== spec.name)]) {
    if (!SUFFIX.test(name) && name !== spec.name) continue;
    try {
      const file = compileFile(acorn, name, texts[name], typeModule, options, name === spec.name ? spec.call : null, load);
      made.files[name] = file;
      made.captures ||= file.captures;
      made.stateful ||= file.stateful || ASSIGNS.test(texts[name]);
      options.firstFunction += file.functions.length;
      options.firstSite += file.sites.length;
    } catch (error) {
      if (name === spec.name) throw error;
      if (!isTypeScript(name) && !isImported(name, all)) continue; // its own error, when it is loaded
      throw located(error, name);
    }
  }
  return made;
}

function compileFile(acorn, name, text, typeModule, options, call, load) {
  let source = text;
  try {
    if (isTypeScript(name)) source = load('pass/types.js').strip(text, name, load);
    const { tree, tokens, module } = parse(acorn, name, source, typeModule);
    const base = call ? call.function.split('.')[0] : null;
    const it = new Instrumenter(source, tree, { ...options, file: name, module, tokens, call: base });
    const file = { ...it.program(), module, source };
    return file;
  } catch (error) {
    if (error instanceof Unsupported || error instanceof SourceError) throw error;
    if (error.loc === undefined && !(error instanceof SyntaxError)) throw error;
    throw sourceError(name, text, error);
  }
}

function textsOf(files) {
  return Object.fromEntries(Object.entries(files ?? {}).filter(([, text]) => typeof text === 'string'));
}

function isModulePackage(files) {
  try {
    return JSON.parse(files['package.json']).type === 'module';
  } catch {
    return false;
  }
}

module.exports = { compile, parse, SourceError, Unsupported, isTypeScript };

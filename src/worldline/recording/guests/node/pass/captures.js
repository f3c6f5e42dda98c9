// What a function captures: names of the functions around it, `this` of an arrow function, and functions that capture themselves.
// closures.js reads them from a function that is only a value: it calls the function, which then answers before it does anything.
'use strict';

const { isFunction } = require('./scopes.js');
const { unwrapped, HARMLESS } = require('./dirty.js');

const VARIABLES = new Set(['let', 'const', 'var', 'param', 'catch']);

/** The bindings of functions or blocks around a function that it uses. Those of a module are shown by the module's frame. */
function capturedBindings(it, node) {
  return [...(it.scopes.outer.get(node)?.values() ?? [])].filter((binding) => binding.scope.kind !== 'module' && binding.kind !== 'import');
}

/** The function that a binding holds for good; null where there is none. */
function constantFunction(binding) {
  if (binding.assigned || binding.init === null) return null;
  const init = unwrapped(binding.init);
  return isFunction(init) ? init : null;
}

/** Does a function capture state, or a function that does? */
function isCapturing(it, node) {
  const seen = new Set(), waiting = [node];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (seen.has(next)) continue;
    seen.add(next);
    if (it.scopes.lexical.has(next)) return true;
    for (const binding of capturedBindings(it, next)) {
      const constant = constantFunction(binding);
      if (constant !== null) waiting.push(constant);
      else if (VARIABLES.has(binding.kind)) return true;
    }
  }
  return false;
}

/** Captured names that a call of the function does not pass: [what is shown, the text that reads it]. */
function unpassed(it, node, passed) {
  const own = it.scopes.at.get(node).names, list = [];
  if (it.scopes.lexical.has(node)) list.push(['this', 'this']);
  for (const binding of capturedBindings(it, node)) {
    if (passed.has(binding.name) || own.has(binding.name)) continue;
    const constant = constantFunction(binding);
    if (constant !== null ? constant !== node && isCapturing(it, constant) : VARIABLES.has(binding.kind)) list.push([binding.name, binding.name]);
  }
  return list;
}

/**
 * Arguments that bind a function's parameters and compute nothing, for JSON: null where a default value stands, an object or
 * array where a pattern does. Undefined: there are none.
 */
function harmlessArguments(params) {
  const list = [];
  for (const param of params) {
    if (param.type === 'RestElement') {
      const rest = param.argument.type === 'Identifier' ? [] : harmless(param.argument);
      return Array.isArray(rest) ? [...list, ...rest] : undefined;
    }
    const argument = harmless(param);
    if (argument === undefined) return undefined;
    list.push(argument);
  }
  return list;
}

function harmless(node) {
  switch (node.type) {
    case 'Identifier': return null;
    case 'AssignmentPattern': return harmless(node.left);
    case 'ArrayPattern': return harmlessArguments(node.elements.map((element) => element ?? { type: 'Identifier' }));
    case 'ObjectPattern': return harmlessObject(node);
  }
  return undefined;
}

function harmlessObject(node) {
  const object = {};
  for (const part of node.properties) {
    if (part.type === 'RestElement') continue;
    const value = part.computed || part.key.name === '__proto__' ? undefined : harmless(part.value);
    if (value === undefined) return undefined;
    object[part.key.name ?? part.key.value] = value;
  }
  return object;
}

/** Notes what a function captures in its entry of the tables; the text that answers who reads it, which stands behind the call. */
function noteCaptures(it, fn, node, outer, how) {
  if (how.constructs || !isCapturing(it, node)) return '';
  const args = harmlessArguments(node.params);
  if (args === undefined) return '';
  const captured = new Set(capturedBindings(it, node).map((binding) => binding.name));
  const passed = outer.map(([name]) => name).filter((name) => captured.has(name));
  const rest = unpassed(it, node, new Set(passed));
  const mode = `${node.async ? 'async ' : ''}${node.generator ? 'generator' : ''}`;
  fn.captures = { slots: passed.map((name) => it.slot(fn, name)), rest: rest.map(([name]) => name), args, mode };
  return `if(${it.frame}===null)return ${it.hook}.a(${rest.map(([, text]) => `()=>${text}`).join()});`;
}

/** May a function be a value that a name can show? Not where it is only called, or passed to a method that does not keep it. */
function isHeld(it, node, binding) {
  const method = it.scopes.passed.get(node);
  if (method === null || (method !== undefined && !it.options.strict && HARMLESS.has(method))) return false;
  return binding === undefined || binding.isValue;
}

/** The variables that are captured by functions that may be values: a write to one of them changes such a value. */
function watchedBindings(it) {
  const names = new Map(), watched = new Set(), seen = new Set();
  for (const scope of it.scopes.at.values()) {
    for (const binding of scope.names.values()) if (constantFunction(binding) !== null) names.set(constantFunction(binding), binding);
  }
  const waiting = [...it.scopes.outer.keys()].filter((node) => isHeld(it, node, names.get(node)));
  while (waiting.length > 0) {
    const node = waiting.pop();
    if (seen.has(node)) continue;
    seen.add(node);
    for (const binding of capturedBindings(it, node)) {
      const constant = constantFunction(binding);
      if (constant !== null) waiting.push(constant);
      else watched.add(binding);
    }
  }
  return watched;
}

/** Names of a frame that hold one function for good, of which the frame's other names show all that it captures. */
function plainNames(it, fn) {
  const bindings = new Map();
  for (const scope of it.scopes.at.values()) {
    if (scope.owner !== fn.node) continue;
    for (const [name, binding] of scope.names) bindings.set(name, bindings.has(name) ? null : binding);
  }
  const plain = [];
  for (const [name, binding] of bindings) {
    const k = fn.names.indexOf(name), constant = k < 0 || binding === null ? null : constantFunction(binding);
    if (constant !== null && isCapturing(it, constant) && isWithin(it, constant, fn)) plain.push(k);
  }
  return plain;
}

/** Is all that a function captures, itself or by others, of one frame? */
function isWithin(it, node, fn, seen = new Set()) {
  if (seen.has(node)) return true;
  seen.add(node);
  if (it.scopes.lexical.has(node) && !fn.names.includes('this')) return false;
  return capturedBindings(it, node).every((binding) => {
    if (binding.scope.owner !== fn.node) return false;
    const constant = constantFunction(binding);
    return constant === null || isWithin(it, constant, fn, seen);
  });
}

module.exports = { noteCaptures, plainNames, watchedBindings };

// May a piece of the program change an object that exists already? Decided from its text; where it is unsure, it may.
'use strict';

const { isFunction, kids, patternNames } = require('./scopes.js');

// Methods of built-in objects that change nothing a name can show. One of the program's own of such a name is no
// exception: what it changes, its own lines tell.
const HARMLESS = new Set(`get has includes indexOf lastIndexOf slice concat join map filter reduce reduceRight forEach some every find findIndex
  findLast findLastIndex flat flatMap at keys values entries charCodeAt charAt codePointAt substring substr split toUpperCase toLowerCase
  trim trimStart trimEnd padStart padEnd repeat startsWith endsWith localeCompare normalize toString toFixed toPrecision toExponential
  valueOf hasOwnProperty hasOwn isArray isInteger isSafeInteger isFinite isNaN parseInt parseFloat fromCharCode fromCodePoint from of floor
  ceil round trunc abs sqrt cbrt pow max min sign log log2 log10 exp sin cos tan asin acos atan atan2 hypot random imul fround clz32
  stringify parse info warn error debug assert now getTime getFullYear getMonth getDate getDay getHours getMinutes getSeconds toISOString
  getOwnPropertyNames getPrototypeOf getOwnPropertyDescriptor fromEntries toSorted toReversed toSpliced then deepStrictEqual strictEqual
  equal deepEqual ok notStrictEqual`.split(/\s+/));
const HARMLESS_NAMES = new Set(['parseInt', 'parseFloat', 'String', 'Number', 'Boolean', 'BigInt', 'Symbol', 'isNaN', 'isFinite', 'Array', 'Object', 'setTimeout', 'queueMicrotask', 'structuredClone', 'require']);

const MUTATING = new Set(['push', 'pop', 'shift', 'unshift', 'splice', 'sort', 'reverse', 'fill', 'copyWithin', 'set', 'add', 'delete', 'clear', 'assign', 'call', 'apply']);

function unwrapped(node) {
  let inner = node;
  while (inner.type === 'ParenthesizedExpression' || inner.type === 'ChainExpression') inner = inner.expression;
  return inner;
}

/** A judge of nodes; `strict` is whether built-in methods may have been changed, `watched` has the variables of functions that may be values. */
function judge(watched, strict) {
  function writesWatched(target, scope) {
    return watched.size > 0 && patternNames(unwrapped(target)).some((name) => watched.has(scope.find(name)));
  }

  /** A declaration of what a function that is a value already captured. */
  function declaresWatched(node, scope) {
    return watched.size > 0 && patternNames(node.id).some((name) => {
      const binding = scope.find(name);
      return watched.has(binding) && (binding.seen < node.start || binding.kind === 'var');
    });
  }

  function harmlessCall(node, scope) {
    const callee = unwrapped(node.callee);
    if (node.arguments.some((each) => mayBeNative(unwrapped(each), scope))) return false;
    if (callee.type === 'Super' || isFunction(callee)) return true;
    if (callee.type === 'MemberExpression') {
      return !strict && !callee.computed && callee.property.type === 'Identifier' && HARMLESS.has(callee.property.name);
    }
    if (callee.type !== 'Identifier') return false;
    const binding = scope.find(callee.name);
    if (binding === null) return !strict && HARMLESS_NAMES.has(callee.name);
    if (binding.assigned || binding.init === null) return false;
    return isFunction(unwrapped(binding.init)); // one of the program's own, for good
  }

  /** Might an argument be a function of the interpreter's, which is called back? */
  function mayBeNative(node, scope) {
    if (node.type === 'MemberExpression') return !node.computed && node.property.type === 'Identifier' && MUTATING.has(node.property.name);
    if (node.type !== 'CallExpression' || unwrapped(node.callee).type !== 'MemberExpression') return false;
    return unwrapped(node.callee).property.name === 'bind';
  }

  function writesObject(node) {
    const target = unwrapped(node);
    if (target.type === 'Identifier') return false;
    return target.type === 'MemberExpression' || hasMember(target);
  }

  function hasMember(node) {
    if (node.type === 'MemberExpression') return true;
    if (node.type === 'Identifier') return false;
    return kids(node).some(hasMember);
  }

  function dirty(node, scope) {
    if (!node || isFunction(node)) return false;
    switch (node.type) {
      case 'CallExpression': if (!harmlessCall(node, scope)) return true; break;
      case 'TaggedTemplateExpression': case 'YieldExpression': case 'AwaitExpression': case 'ImportExpression': return true;
      case 'AssignmentExpression': if (writesObject(node.left) || writesWatched(node.left, scope)) return true; break;
      case 'UpdateExpression': if (writesObject(node.argument) || writesWatched(node.argument, scope)) return true; break;
      case 'VariableDeclarator': if (declaresWatched(node, scope)) return true; break;
      case 'UnaryExpression': if (node.operator === 'delete') return true; break;
      case 'ForOfStatement': case 'ForInStatement':
        if (node.await || (node.left.type !== 'VariableDeclaration' && (writesObject(node.left) || writesWatched(node.left, scope)))) return true;
        break;
      case 'ClassDeclaration': case 'ClassExpression': return true;
    }
    return kids(node).some((child) => dirty(child, scope));
  }
  return dirty;
}

module.exports = { judge, unwrapped, HARMLESS };

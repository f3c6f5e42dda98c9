// What V8 tells of a proxy or a promise and JavaScript does not: functions of V8's own, compiled once under a flag that is
// cleared at once. No trap and nothing else of the program's is called. Null where V8 or its binding lacks them.
'use strict';

const FLAG = 'allow-natives-syntax';
const STATES = ['<Promise pending>', '<Promise fulfilled>', '<Promise rejected>'];

/** `setFlags` sets a flag of V8, `compile` is told a text. Called before the program's first line. */
function natives(setFlags, compile) {
  const allowed = (act) => {
    setFlags(`--${FLAG}`);
    try {
      return act();
    } finally {
      setFlags(`--no-${FLAG}`);
    }
  };
  const native = (text) => {
    let f;
    try {
      f = allowed(() => compile(`(${text})`));
    } catch {
      return null; // another V8, or no binding
    }
    return (v) => {
      try {
        return f(v);
      } catch {
        return allowed(() => f(v)); // V8 drops what it compiled of a function that is not called for long
      }
    };
  };
  const status = native('(v) => %PromiseStatus(v)');
  return {
    promise: status === null ? null : (v) => STATES[status(v)] ?? '<Promise>',
    target: native('(v) => %JSProxyGetTarget(v)'),
    handler: native('(v) => %JSProxyGetHandler(v)'),
  };
}

module.exports = { natives };

// What `yield*` and `for await` go over, watched: when it is asked its frame goes on, with what it answers the frame waits.
// The engine asks these objects what it would have asked the program's, which is then asked the same, in the same order.
'use strict';

const apply = Reflect.apply, { getOwnPropertyDescriptor: descriptorOf, getPrototypeOf: prototypeOf, defineProperties } = Object;
const { iterator: SYNC, asyncIterator: ASYNC } = Symbol;
const UNKNOWN = { unknown: true };

function isObject(v) {
  return (typeof v === 'object' && v !== null) || typeof v === 'function';
}

/** A property's value where reading it calls nothing. */
function peek(outer, object, key) {
  for (let o = object; o !== null; o = prototypeOf(o)) {
    if (outer.isProxy(o)) return UNKNOWN;
    const d = descriptorOf(o, key);
    if (d !== undefined) return 'value' in d ? d.value : UNKNOWN;
  }
  return undefined;
}

/**
 * Stands for `source`. `tell('z')` says that the frame goes on, `tell('y', value)` that it waits, `tell('s', value)` what it is to
 * return; `how.awaits` is whether it waits for whatever it is answered, `how.text` what a message calls the source.
 */
function watched(outer, source, how, tell) {
  if (source === null || source === undefined) return source;
  const found = (symbol) => ({
    get() {
      const method = source[symbol];
      if (typeof method === 'function') return () => iterator(outer, apply(method, source, []), how.awaits, symbol, tell);
      if (symbol === SYNC && how.text && (method === null || method === undefined)) throw new outer.TypeError(`${how.text} is not async iterable`);
      return method;
    },
  });
  return defineProperties({}, { [SYNC]: found(SYNC), [ASYNC]: found(ASYNC) });
}

function iterator(outer, real, awaits, symbol, tell) {
  if (!isObject(real)) return real;
  const { next } = real; // as the engine does: once
  const asking = (method, closes) => (typeof method !== 'function' ? method : (...rest) => {
    tell('z');
    const answer = apply(method, real, rest);
    wait(outer, answer, awaits, symbol, tell);
    if (closes && symbol === SYNC && isObject(answer) && peek(outer, answer, 'done') === true) tell('s', peek(outer, answer, 'value'));
    return answer;
  });
  return { next: asking(next, false), get return() { return asking(real.return, true); }, get throw() { return asking(real.throw, false); } };
}

/** The frame waits, unless the answer ends it. */
function wait(outer, answer, awaits, symbol, tell) {
  if (symbol === ASYNC || !isObject(answer)) {
    if (awaits) tell('y', answer);
    return;
  }
  const done = peek(outer, answer, 'done'), value = peek(outer, answer, 'value');
  if (done !== UNKNOWN && value !== UNKNOWN && (awaits || !done)) tell('y', value);
}

/** A generator's `return` says what it was given: inside the generator that cannot be seen. */
function install(outer, recorder) {
  const { generatorPrototype } = outer, real = generatorPrototype.return;
  const method = { return(value) {
    const before = recorder.closing;
    recorder.closing = { value };
    try {
      return apply(real, this, [value]);
    } finally {
      recorder.closing = before;
    }
  } }.return;
  Object.defineProperty(generatorPrototype, 'return', { value: method, writable: true, enumerable: false, configurable: true });
  outer.disguised(method, 'return');
}

module.exports = { install, watched, UNKNOWN };

// What a function of the program captured, where it is only a value. The instrumented function is called with arguments that
// compute nothing; the first hook that it meets takes its captured variables, and it returns before its own first line.
// Classes, bound functions and functions of the interpreter are not read, nor functions whose parameters must be computed.
'use strict';

const apply = Reflect.apply;

class Closures {
  constructor(outer, traits) {
    this.outer = outer;
    this.isSilent = !traits.tellsPromises; // a promise that is created calls nothing of the program's
    this.recorder = null;
    this.entries = new WeakMap();
    this.place = new RegExp(`${outer.hook.replace(/\$/g, '\\$')}\\.c\\((\\d+)`, 'g');
    this.reading = null; // the entry of the function that is to answer
    this.pairs = null; // names and values in turn
  }

  /** The table entry of a function that captures something; null for any other. */
  entryOf(f) {
    let entry = this.entries.get(f);
    if (entry === undefined) this.entries.set(f, entry = this.find(f));
    return entry;
  }

  find(f) {
    if (this.outer.isProxy(f)) return null;
    const text = apply(this.outer.functionText, f, []);
    let id = Infinity; // functions inside it have higher numbers
    for (const [, digits] of text.matchAll(this.place)) if (+digits < id) id = +digits;
    const entry = id === Infinity || text.startsWith('class') ? null : this.recorder.functions[id];
    return entry === null || entry.captures === null || (entry.captures.mode.startsWith('async') && !this.isSilent) ? null : entry;
  }

  /** Names and values in turn. */
  read(f, entry) {
    const { recorder, outer } = this, { active } = recorder, { args, mode } = entry.captures;
    recorder.active = false; // its hook asks `inert` then
    this.reading = entry;
    this.pairs = [];
    try {
      const answer = apply(f, undefined, args);
      if (mode.endsWith('generator')) apply(mode === 'generator' ? outer.generatorNext : outer.asyncGeneratorNext, answer, []);
    } catch {
      // no room on the stack: what was not read is not shown
    } finally {
      recorder.active = active;
      this.reading = null;
    }
    return this.pairs;
  }

  /** The hook at a function's beginning: its arguments are captured variables. */
  take(args) {
    const { names, captures } = this.reading;
    for (const k of captures.slots) if (args[k + 1] !== this.recorder.n) this.pairs.push(names[k], args[k + 1]);
    return null;
  }

  /** What it captured besides. One that has no value yet is left out. */
  rest(readers) {
    const { rest } = this.reading.captures;
    for (let i = 0; i < readers.length; i++) {
      try {
        const value = readers[i]();
        this.pairs.push(rest[i], value);
      } catch {
        // its declaration has not run
      }
    }
  }
}

module.exports = { Closures };

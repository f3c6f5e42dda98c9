// One activation as the recorder holds it: what each of its names looked like when it was last told.
'use strict';

const ABSENT = Symbol('absent');

/** An array of `n` equal things; literals are the quickest. */
function filled(n, x) {
  switch (n) {
    case 0: return [];
    case 1: return [x];
    case 2: return [x, x];
    case 3: return [x, x, x];
    case 4: return [x, x, x, x];
    case 5: return [x, x, x, x, x];
    case 6: return [x, x, x, x, x, x];
  }
  const list = [x, x, x, x, x, x];
  for (let i = 6; i < n; i++) list.push(x);
  return list;
}

class Frame {
  constructor(fn, serial) {
    this.fn = fn;
    this.serial = serial;
    const n = fn.names.length;
    this.last = filled(n, ABSENT);
    this.off = filled(n, -1); // where the text of a name stands in the wire; 0: it is large; -1: the name is not shown
    this.len = filled(n, 0);
    this.large = null; // what large values were told, by slot: of a name whose `off` is 0, the newest
    this.alias = null; // slots of the names that came first, by slot; -1: none
    this.quiet = null; // outer names that have not changed yet
    this.set = -1;
    this.late = null; // slots of names that were told when their scope ended: they are gone one event later, or another of that name is back
    this.epoch = 0;
    this.line = fn.line;
    this.dirty = true;
    this.place = 0; // on the stack; 0: not on it
    this.suspended = false;
    this.yields = 0;
    this.raised = false;
    this.thrown = undefined;
    this.value = undefined; // of a return that is not done yet
    this.opening = this.busy = false; // begun, but not its body yet; while a default value or a field is computed
    this.failed = null; // what left a frame inside that
    this.shared = false;
    this.objects = false;
  }
}

/** The frame of whatever runs before recording begins. */
const INERT = new Frame({ names: [], plain: null, line: 0, suspends: false }, -1);

module.exports = { Frame, ABSENT, INERT, filled };

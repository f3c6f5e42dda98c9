// One activation as the recorder holds it: what each of its names looked like when it was last told.
'use strict';

const ABSENT = Symbol('absent');

class Frame {
  constructor(fn, serial) {
    this.fn = fn;
    this.serial = serial;
    const n = fn.names.length;
    this.last = [];
    this.off = []; // where the text of a name stands in the wire; -1: the name is not shown
    this.len = [];
    this.alias = [];
    for (let i = 0; i < n; i++) {
      this.last.push(ABSENT);
      this.off.push(-1);
      this.len.push(0);
      this.alias.push(-1);
    }
    this.quiet = null; // outer names that have not changed yet
    this.set = -1;
    this.epoch = 0;
    this.line = fn.line;
    this.dirty = true;
    this.place = 0; // on the stack; 0: not on it
    this.suspended = false;
    this.raised = false;
    this.thrown = undefined;
    this.returning = false;
    this.value = undefined;
    this.shared = false;
    this.objects = false;
  }
}

/** The frame of whatever runs before recording begins. */
const INERT = new Frame({ names: [], line: 0, suspends: false }, -1);

module.exports = { Frame, ABSENT, INERT };

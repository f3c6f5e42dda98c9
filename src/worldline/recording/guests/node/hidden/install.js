// Installs the control of one run, before the first line of the program: the tape and all that uses it. Runs in the recorder's realm.
'use strict';

const { Tape } = require('./tape.js');
const randomness = require('./randomness.js');
const clocks = require('./clocks.js');
const machine = require('./machine.js');
const timers = require('./timers.js');
const kernelFiles = require('./kernel_files.js');

/** Controls and records the hidden inputs of this process from now on. */
function install(outer, recorder, control) {
  const tape = new Tape(recorder, control);
  const clock = clocks.install(outer, tape, control);
  timers.install(outer, tape, clock);
  randomness.install(outer, tape);
  machine.install(outer, tape, clock);
  kernelFiles.install(outer, tape, clock);
}

module.exports = { install };

// What the machine says of itself: its load, memory and processors, and what the process has used. Under a seed these are constants, and
// processor time is that of the readings.
'use strict';

const { swap } = require('./swap.js');
const { NUMBERS, FLOATS, INTEGER } = require('./tape.js');
const apply = Reflect.apply;
const MEMORY = { rss: 1 << 26, heapTotal: 1 << 24, heapUsed: 1 << 23, external: 1 << 21, arrayBuffers: 1 << 14 };

function install(outer, tape, clocks) {
  const os = outer.require('os'), { process } = outer, total = os.totalmem();
  const busy = () => Math.floor(clocks.now / 1000);
  swap(outer, os, 'loadavg', (real) => () => outer.global.Array.from(tape.draw('load', FLOATS, tape.live ? Array.from(real()) : [0, 0, 0])));
  swap(outer, os, 'uptime', (real) => () => {
    const fresh = tape.live ? BigInt(Math.round(real() * 100)) * 10_000_000n : clocks.begin.steady + BigInt(clocks.now);
    return Number(tape.draw('clock', INTEGER, fresh) / 10_000_000n) / 100;
  });
  swap(outer, os, 'freemem', (real) => () => tape.draw('usage', NUMBERS, [tape.live ? real() : Math.floor(total / 2), total])[0]);
  swap(outer, os, 'cpus', (real) => () => processors(real(), tape));
  swap(outer, process, 'cpuUsage', (real) => (before) => {
    const [user, system] = tape.draw('usage', NUMBERS, tape.live ? Object.values(real()) : [busy(), 0]);
    if (before !== undefined) real(before); // refuses what is no earlier reading
    return plain(outer, { user: user - (before?.user ?? 0), system: system - (before?.system ?? 0) });
  });
  swap(outer, process, 'resourceUsage', (real) => () => fields(outer, tape, real(), (name) => (name === 'userCPUTime' ? busy() : 0)));
  swap(outer, process, 'memoryUsage', (real) => {
    const ours = () => fields(outer, tape, real(), (name) => MEMORY[name] ?? 0);
    const { rss } = real;
    const size = () => tape.draw('usage', NUMBERS, [tape.live ? rss() : MEMORY.rss, total])[0];
    outer.disguised(size, 'rss');
    return Object.assign(ours, { rss: size });
  });
}

/** An object of numbers, as one hidden input. */
function fields(outer, tape, real, virtual) {
  const names = Object.keys(real);
  const values = tape.draw('usage', NUMBERS, names.map((name) => (tape.live ? real[name] : virtual(name))));
  return plain(outer, Object.fromEntries(names.map((name, i) => [name, values[i]])));
}

/** An object of the program's realm. */
function plain(outer, object) {
  return apply(outer.object.assign, outer.object, [new outer.object(), object]);
}

/** The processors: their speed and times vary. */
function processors(list, tape) {
  const rows = Array.from(list, (each) => [each.speed, ...Object.values(each.times)]);
  const values = tape.draw('usage', NUMBERS, tape.live ? rows.flat() : rows.flatMap((row) => row.map((_, i) => (i === 0 ? 1000 : 0))));
  let at = 0;
  for (const each of list) {
    each.speed = values[at++];
    for (const name of Object.keys(each.times)) each.times[name] = values[at++];
  }
  return list;
}

module.exports = { install };

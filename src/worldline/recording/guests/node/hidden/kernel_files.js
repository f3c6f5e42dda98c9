// Files that the kernel writes anew: `/dev/urandom`, and everything below `/proc`, read at once or in pieces by the functions that wait.
// With a seed, random bytes, UUIDs, the time since the start and the load follow from it.
'use strict';

const { BYTES } = require('./tape.js');
const { dress } = require('./swap.js');
const apply = Reflect.apply;
const RANDOM_DEVICES = ['/dev/urandom', '/dev/random'], UUID = /^\/proc\/sys\/kernel\/random\/\w*id$/;

function install(outer, tape, clocks) {
  const { fs } = outer, { readFileSync, readSync, readlinkSync } = fs;
  let isInside = false;
  const pathOf = (file) => {
    try {
      const path = typeof file === 'number' ? readlinkSync(`/proc/self/fd/${file}`) : file;
      return typeof path === 'string' && (path.startsWith('/proc/') || RANDOM_DEVICES.includes(path)) ? path : '';
    } catch {
      return '';
    }
  };
  /** What a file of the kernel holds in a run with a seed; null where the kernel decides. */
  const seeded = (path) => {
    if (tape.live) return null;
    if (path === '/proc/uptime') return `${(clocks.now / 1e9).toFixed(2)} 0.00\n`;
    if (path === '/proc/loadavg') return '0.00 0.00 0.00 1/1 1\n';
    if (!UUID.test(path)) return null;
    const digits = Array.from(tape.bytes(16), (b) => b.toString(16).padStart(2, '0')).join('');
    return `${[digits.slice(0, 8), digits.slice(8, 12), digits.slice(12, 16), digits.slice(16, 20), digits.slice(20)].join('-')}\n`;
  };
  const asBuffer = (bytes) => {
    const buffer = outer.buffer(bytes.length);
    apply(outer.setBytes, buffer, [bytes]);
    return buffer;
  };
  const whole = (file, options) => {
    const path = pathOf(file);
    if (!path.startsWith('/proc/')) return readFileSync(file, options);
    isInside = true; // Node.js reads some files whole by `fs.readSync`
    let real;
    try {
      real = readFileSync(file);
    } finally {
      isInside = false;
    }
    const text = seeded(path);
    const data = asBuffer(tape.draw('proc', BYTES, text === null ? real : outer.Buffer.from(text)));
    const encoding = typeof options === 'string' ? options : options?.encoding;
    return encoding && encoding !== 'buffer' ? data.toString(encoding) : data;
  };
  const some = (file, buffer, ...rest) => {
    const path = isInside ? '' : pathOf(file), n = readSync(file, buffer, ...rest);
    if (path === '' || n === 0) return n;
    const [first] = rest, from = typeof first === 'number' ? first : (first?.offset ?? 0);
    const view = new outer.global.Uint8Array(buffer.buffer, buffer.byteOffset + from, n);
    const isRandom = RANDOM_DEVICES.includes(path), fresh = isRandom && !tape.live ? tape.bytes(n) : Uint8Array.from(view);
    const data = tape.draw(isRandom ? `urandom ${n}` : 'proc', BYTES, fresh);
    apply(outer.setBytes, view, [data.length > n ? data.slice(0, n) : data]);
    return data.length < n ? data.length : n;
  };
  dress(outer, whole, readFileSync);
  dress(outer, some, readSync);
  Object.assign(fs, { readFileSync: whole, readSync: some });
}

module.exports = { install };

// What a program writes to its standard output and reads from its standard input is told to the recorder.
// Bytes that go around these objects (`fs.writeSync(1, ...)`) are in the recorded output all the same, but are no steps.
'use strict';

const apply = Reflect.apply;

function textOf(outer, chunk) {
  if (typeof chunk === 'string') return chunk;
  if (outer.types.isUint8Array(chunk)) return apply(outer.utf8Slice, chunk, [0, chunk.length]);
  return '';
}

/** A stream that Node makes when it is first asked for, with a method of it watched. */
function lazily(outer, name, method, tell) {
  const { process } = outer;
  const { get } = Object.getOwnPropertyDescriptor(process, name);
  let stream;
  const first = {
    get() {
      if (stream === undefined) {
        stream = apply(get, process, []);
        const real = stream[method];
        Object.defineProperty(stream, method, {
          configurable: true, writable: true, enumerable: false,
          value(chunk, ...rest) {
            tell(chunk);
            return apply(real, this, [chunk, ...rest]);
          },
        });
        Object.defineProperty(stream[method], 'name', { value: method, configurable: true });
        outer.disguised(stream[method], method);
      }
      return stream;
    },
  };
  Object.defineProperty(process, name, { configurable: true, enumerable: true, get: first.get });
  outer.disguised(first.get, 'get');
}

function isStdin(file) {
  return file === 0 || file === '/dev/stdin';
}

/** Watches the streams; before the program's first line. */
function install(outer, recorder) {
  const { fs } = outer;
  lazily(outer, 'stdout', 'write', (chunk) => recorder.output(textOf(outer, chunk)));
  lazily(outer, 'stdin', 'push', (chunk) => { if (chunk !== null) recorder.input(textOf(outer, chunk)); });
  const { readFileSync, readSync } = fs;
  fs.readFileSync = function readFileSync_(file, ...rest) {
    const found = apply(readFileSync, this, [file, ...rest]);
    if (isStdin(file)) recorder.input(textOf(outer, found));
    return found;
  };
  fs.readSync = function readSync_(file, buffer, ...rest) {
    const n = apply(readSync, this, [file, buffer, ...rest]);
    if (file === 0 && n > 0) {
      const first = rest[0], from = typeof first === 'number' ? first : (first?.offset ?? 0);
      if (outer.types.isUint8Array(buffer)) recorder.input(apply(outer.utf8Slice, buffer, [from, from + n]));
    }
    return n;
  };
  outer.disguised(fs.readFileSync, 'readFileSync');
  outer.disguised(fs.readSync, 'readSync');
}

module.exports = { install };

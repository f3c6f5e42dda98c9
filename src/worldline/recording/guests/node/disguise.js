// What a program can see of its own text: functions say what their author wrote, and stack traces stand where they stood.
'use strict';

const apply = Reflect.apply;
const PLACE = /((?:file:\/\/)?\/[^():]+):(\d+):(\d+)/;

class Disguise {
  constructor(outer, files, root) {
    Object.assign(this, { outer, files, root });
    this.natives = new WeakMap();
  }

  install() {
    const { outer } = this, disguise = this;
    const toString = { toString() { return disguise.textOf(this); } }.toString;
    Object.defineProperty(outer.functionPrototype, 'toString', { value: toString, writable: true, enumerable: false, configurable: true });
    this.native(toString, 'toString');
    outer.disguised = (f, name) => this.native(f, name);
    const trace = (error, sites) => this.trace(error, sites);
    Object.defineProperty(outer.Error, 'prepareStackTrace', { value: trace, writable: true, enumerable: false, configurable: true });
    this.native(trace, 'prepareStackTrace');
    outer.then = outer.Promise.prototype.then;
  }

  /** A function of ours that stands where one of Node's did. */
  native(f, name) {
    this.natives.set(f, name);
    Object.setPrototypeOf(f, this.outer.functionPrototype); // its constructor would make functions of the recorder's realm
    Object.defineProperty(f, 'name', { value: name, configurable: true });
  }

  textOf(f) {
    const { outer } = this;
    if (typeof f === 'function' && this.natives.has(f)) return `function ${this.natives.get(f)}() { [native code] }`;
    let text;
    try {
      text = apply(outer.functionText, f, []);
    } catch (error) {
      throw new outer.TypeError(error.message);
    }
    return text.includes(outer.hook) ? this.original(text) : text;
  }

  /** A stretch of the instrumented text as its author wrote it. */
  original(text) {
    for (const file of Object.values(this.files)) {
      const at = file.code.indexOf(text);
      if (at >= 0) return file.source.slice(placeBefore(file.pieces, at, true), placeBefore(file.pieces, at + text.length, false));
    }
    return text;
  }

  // ---- stack traces

  trace(error, sites) {
    let head;
    try {
      head = apply(this.outer.Error.prototype.toString, error, []);
    } catch {
      head = '<error>';
    }
    for (let at = 0; at < sites.length; at++) { // an array of the program's realm
      const line = `${sites[at]}`;
      if (!line.includes(this.outer.folder)) head += `\n    at ${this.moved(line)}`;
    }
    return head;
  }

  /** Columns as they were in the author's text. */
  moved(line) {
    return line.replace(new RegExp(PLACE, 'g'), (whole, path, row, column) => {
      const file = this.fileAt(path);
      return file === undefined ? whole : `${path}:${row}:${this.column(file, +row, +column)}`;
    });
  }

  /** The program's file at a path, or at the address that a module has. */
  fileAt(path) {
    const plain = path.replace('file://', '');
    return plain.startsWith(`${this.root}/`) ? this.files[plain.slice(this.root.length + 1)] : undefined;
  }

  column(file, row, column) {
    file.starts ??= lineStarts(file.code);
    file.sourceStarts ??= lineStarts(file.source);
    const place = placeBefore(file.pieces, (file.starts[row - 1] ?? 0) + column - 1, true);
    return Math.max(1, place - (file.sourceStarts[row - 1] ?? 0) + 1);
  }

  /** On standard error, what Node prints of an exception that nobody caught. */
  report(error) {
    const { outer } = this;
    let text;
    try {
      text = this.message(error);
    } catch {
      text = 'Uncaught exception: what it is cannot be shown';
    }
    outer.fs.writeSync(2, `${text}\n\nNode.js ${outer.process.version}\n`);
  }

  message(error) {
    const { outer } = this;
    const shown = outer.inspect(error);
    if (!outer.types.isNativeError(error)) {
      return `Uncaught:\n${shown}\n(Use \`node --trace-uncaught ...\` to show where the exception was thrown)`;
    }
    const place = PLACE.exec(shown);
    return place === null ? shown : `${this.arrow(place)}${shown}`;
  }

  arrow([, path, row, column]) {
    const file = this.fileAt(path);
    if (file === undefined) return '';
    const line = file.source.split('\n')[+row - 1] ?? '';
    return `${path}:${row}\n${line}\n${' '.repeat(Math.max(0, +column - 1))}^\n\n`;
  }
}

/** Where a place of the new text was in the old one; one inside a piece is where the piece stands. */
function placeBefore(pieces, at) {
  let low = 0, high = pieces.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (pieces[middle][0] <= at) low = middle + 1;
    else high = middle;
  }
  if (low === 0) return at;
  const [start, length, place] = pieces[low - 1];
  return at < start + length ? place : place + (at - start - length);
}

function lineStarts(text) {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

module.exports = { Disguise };

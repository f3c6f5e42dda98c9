// One run of one program, from its first line to the end record. Runs in the recorder's realm.
'use strict';

const { Recorder } = require('./recorder.js');
const { Disguise } = require('./disguise.js');
const streams = require('./streams.js');
const delegate = require('./delegate.js');
const { watchers } = require('./internal.js');
const { argumentsOf } = require('./arguments.js');
const { Modules } = require('./modules.js');

const apply = Reflect.apply;
const NOTES = { child_process: 'processes', cluster: 'processes', worker_threads: 'threads' };

class Run {
  constructor(outer, spec, opened, begun) {
    Object.assign(this, { outer, spec, opened, begun });
    this.root = outer.process.cwd();
    this.made = spec.made ?? null;
    this.recorder = null;
    this.fatal = null; // {error}: nothing caught it
    this.result = ''; // of a call
    this.failed = null;
    this.over = false;
  }

  go() {
    const { outer, spec } = this;
    const { compile, SourceError, Unsupported } = this.compiler();
    let trouble = null;
    try {
      this.made ??= compile(spec, spec.hook, this.take(), outer.load);
    } catch (error) {
      if (!(error instanceof SourceError || error instanceof Unsupported)) throw error;
      trouble = error;
    }
    this.recorder = new Recorder(outer, this.opened, spec.limits, this.made ?? { careful: true, stateful: true, captures: true, symbols: true, addresses: true, tellsPromises: true });
    this.recorder.meta('name', 'node');
    this.recorder.meta('version', outer.process.versions.node);
    this.recorder.meta('core', 'source');
    this.begun();
    if (trouble !== null) this.refuse(trouble);
    for (const file of Object.values(this.made.files)) this.recorder.load(file.functions, file.sites);
    this.setUp();
    this.start();
  }

  compiler() {
    return this.made === null ? this.outer.load('pass/compile.js') : { SourceError: Error, Unsupported: Error };
  }

  /** The text by which a script gets hold of the hooks: a global that is gone once it was read. */
  take() { return `globalThis.${this.spec.hook}`; }

  refuse(error) {
    this.outer.fs.writeSync(2, `${error.file ?? this.spec.name}: ${error.message}\n`);
    this.recorder.end('unsupported', `source: ${error.message}`);
    this.outer.exit(1);
  }

  setUp() {
    const { outer, spec, recorder } = this, { process } = outer;
    this.main = `${this.root}/${spec.name}`;
    process.argv = fresh(outer, [process.argv[0], this.main, ...spec.argv]);
    delete process.env.NODE_PATH; // Node.js has read it by now
    process.execArgv = fresh(outer, spec.vm_flags);
    this.disguise = new Disguise(outer, this.made.files, this.root);
    this.disguise.install();
    streams.install(outer, recorder);
    delegate.install(outer, recorder);
    if (spec.control) outer.load('hidden/install.js').install(outer, recorder, spec.control);
    recorder.renderer.kinds.internal.watchers = watchers(outer, recorder);
    this.watchEnd();
    this.modules = new Modules(this);
    this.modules.install();
    recorder.importer = (from, rest) => this.modules.dynamic(from, rest);
  }

  start() {
    const { spec, outer, recorder } = this;
    recorder.active = spec.call === null;
    const main = this.made.files[spec.name];
    const module = main.module ? this.modules.runModule(spec.name) : this.modules.runScript(this.main);
    if (spec.call === null) return;
    if (module !== null) module.then(() => this.call(null)).catch((error) => { this.rethrow(error); });
    else this.call(outer.process.mainModule.exports);
  }

  rethrow(error) {
    this.outer.process.nextTick(() => { throw error; });
  }

  // ---- a call

  call(exports) {
    const { spec, recorder } = this;
    const path = spec.call.function.split('.');
    let found, owner;
    try {
      found = recorder.target === null ? this.exported(exports, path.shift()) : (path.shift(), recorder.target());
      for (const name of path) { owner = found; found = found[name]; }
    } catch {
      found = undefined;
    }
    if (typeof found !== 'function') this.refuseCall(`${spec.call.function} is not a function of ${spec.name}`);
    const values = argumentsOf(this.outer, spec.call.arguments);
    recorder.active = true;
    const value = apply(found, owner, values);
    this.settle(value);
  }

  exported(exports, name) {
    return exports !== null && (typeof exports === 'object' || typeof exports === 'function') ? exports[name] : undefined;
  }

  refuseCall(why) {
    this.recorder.end('unsupported', `call: ${why}`);
    this.outer.fs.writeSync(2, `${why}\n`);
    this.outer.exit(1);
  }

  /** A promise's value is what it is settled with. */
  settle(value) {
    const { recorder, outer } = this;
    if (!outer.types.isPromise(value) || outer.types.isProxy(value)) {
      this.done(value);
      return;
    }
    apply(outer.then, value, [(result) => this.done(result), (error) => this.rethrow(error)]);
    void recorder;
  }

  done(value) {
    const { recorder } = this;
    if (recorder.wire.ended) return;
    recorder.flush();
    this.result = recorder.text(value);
    recorder.active = false;
  }

  // ---- the end

  /** `process.emit` is what tells of exceptions that nobody caught, and of the end, before and after the program's listeners. */
  watchEnd() {
    const { outer, recorder } = this, { process } = outer, run = this;
    const { emit, reallyExit, exit } = process;
    hidden(process, 'emit', function emit_(name, ...rest) {
      if (name === 'uncaughtExceptionMonitor') run.uncaught(rest[0]);
      const answer = apply(emit, this, [name, ...rest]);
      if (name === 'exit' && this === process && process._exiting) run.end(process.exitCode ?? rest[0] ?? 0);
      return answer;
    });
    hidden(process, 'reallyExit', function reallyExit_(code) {
      run.end(code ?? 0);
      return apply(reallyExit, process, [code]);
    });
    hidden(process, 'exit', function exit_(code) {
      if (!process._exiting && !recorder.wire.ended) run.exited = true;
      if (run.exited) recorder.exit(code ?? process.exitCode ?? 0);
      return apply(exit, process, code === undefined ? [] : [code]);
    });
    for (const name of ['kill', 'abort']) { // without the addon, what is written so far must reach the file first
      const real = process[name];
      hidden(process, name, function leave_(...rest) {
        recorder.wire.flush();
        return apply(real, process, rest);
      });
    }
    for (const name of ['emit', 'reallyExit', 'exit', 'kill', 'abort']) this.disguise.native(process[name], name);
  }

  uncaught(error) {
    const { process } = this.outer;
    if (process.listenerCount('uncaughtException') > 0 || process.hasUncaughtExceptionCaptureCallback()) return;
    this.fatal = { error };
  }

  end(code) {
    if (this.over) return;
    this.over = true;
    const { recorder, outer } = this;
    if (this.fatal !== null && !this.exited) {
      const { error } = this.fatal;
      recorder.end('raised', recorder.text(error));
      this.disguise.report(error);
      recorder.wire.flush();
      outer.exit(typeof code === 'number' && code !== 0 ? code : 1);
    }
    const status = typeof code === 'number' ? code & 0xff : Number(code) & 0xff;
    if (this.exited || status !== 0) recorder.end('exited', `${status}`);
    else recorder.end('returned', this.result);
  }

  note(builtin) {
    const slug = NOTES[builtin];
    if (slug !== undefined) this.recorder.note(slug);
  }
}

/** An array of the program's realm. */
function fresh(outer, list) {
  return new outer.global.Array(...list.map((each) => each), '').slice(0, -1);
}

function hidden(object, name, value) {
  Object.defineProperty(object, name, { value, writable: true, enumerable: false, configurable: true });
}

module.exports = { Run };

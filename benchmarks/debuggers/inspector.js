// The V8 inspector as a witness: a worker steps through the main thread statement by statement and notes where it stands.
// `node inspector.js FILE OUT MOST START ARGUMENT...`: OUT gets the pauses in FILE as JSON: function, line, depth, and the
// values of its names. MOST pauses are enough (0: all); START is the function where they begin ('' as the program does).
'use strict';

const { Worker, isMainThread, workerData } = require('worker_threads');
const fs = require('fs'), vm = require('vm');

function witness() {
  const { Session } = require('inspector');
  const session = new Session(), flags = new Int32Array(workerData.flags), urls = new Map(), pauses = [];
  const mine = (frame) => (urls.get(frame.location.scriptId) ?? '').endsWith(workerData.file);
  session.connectToMainThread();
  session.on('Debugger.scriptParsed', ({ params }) => urls.set(params.scriptId, params.url));
  session.on('Debugger.paused', ({ params }) => {
    const frames = params.callFrames, top = frames[0];
    if (!mine(top)) { session.post(frames.some(mine) ? 'Debugger.stepOut' : 'Debugger.resume'); return; }
    const pause = { name: top.functionName, line: top.location.lineNumber + 1, depth: frames.filter(mine).length, values: {} };
    const scopes = top.scopeChain.filter(({ type }) => ['local', 'block', 'catch'].includes(type));
    let left = scopes.length;
    const next = () => { if (pauses.push(pause) === workerData.most) end(); session.post('Debugger.stepInto'); };
    if (left === 0) next();
    for (const scope of scopes) {
      session.post('Runtime.getProperties', { objectId: scope.object.objectId, ownProperties: true }, (error, found) => {
        for (const { name, value } of found?.result ?? []) if (value && !(name in pause.values)) pause.values[name] = value.type === 'number' || value.type === 'string' || value.type === 'boolean' ? { [value.type]: value.unserializableValue ?? value.value } : null;
        if (--left === 0) next();
      });
    }
  });
  session.post('Debugger.enable', () => {
    session.post('Debugger.setBlackboxPatterns', { patterns: ['^node:', 'inspector\\.js$'] }, () => { Atomics.store(flags, 0, 1); Atomics.notify(flags, 0); });
  });
  // All is told when the program is over. Node may crash when it takes down a thread that debugs another one
  // (nodejs/node#31226), so the process is not left to end by itself.
  const end = () => { fs.writeFileSync(workerData.out, JSON.stringify(pauses)); process.kill(process.pid, 'SIGKILL'); };
  setInterval(() => { if (Atomics.load(flags, 1)) end(); }, 5);
}

// The program's text with a `debugger` statement where the pauses are to begin.
function marked(text, start) {
  return start ? text.replace(new RegExp(`function ${start}\\(.*\\{`), '$& debugger;') : `debugger;${text}`;
}

function main(file, out, most, start, ...given) {
  const flags = new SharedArrayBuffer(8), seen = new Int32Array(flags);
  const worker = new Worker(__filename, { workerData: { flags, file, out, most: Number(most) } });
  const go = () => {
    if (!Atomics.load(seen, 0)) { setTimeout(go, 10); return; }
    process.stdout.write = () => true;
    process.argv.splice(1, Infinity, file, ...given);
    try { vm.runInThisContext(`(function(require,module){${marked(fs.readFileSync(file, 'utf8'), start)}\n})`, { filename: file })(require, { exports: {} }); } catch { /* the program's own */ }
    Atomics.store(seen, 1, 1);
  };
  worker.on('online', go);
}

if (isMainThread) main(...process.argv.slice(2));
else witness();

// outcome: returned
// note: threads
const { Worker } = require('worker_threads');
const w = new Worker('require("worker_threads").parentPort.postMessage(41 + 1)', { eval: true });
w.on('message', (m) => console.log(m));

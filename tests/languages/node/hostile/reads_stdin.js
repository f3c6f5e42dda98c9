// outcome: returned
// stdin: one\ntwo\n
// arg: input 'one\ntwo\n'
// hidden: input
const lines = require('fs').readFileSync(0, 'utf8').split('\n');
console.log(lines.length, lines[1]);

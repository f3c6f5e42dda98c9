// outcome: returned
// stdin: one\ntwo\n
// hidden: input
let all = '';
process.stdin.on('data', (chunk) => { all += chunk; });
process.stdin.on('end', () => { console.log(all.length); });

// outcome: returned
// delta: lines=['a', 'b']
const lines = [];
console.log = (text) => { lines.push(text); };
console.log('a');
console.log('b');
process.stdout.write(`${lines.length}\n`);

// outcome: returned
const fs = require('fs');
fs.writeSync(1, 'direct\n');
process.stdout.write('through\n');
console.error('to stderr');

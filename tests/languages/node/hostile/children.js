// outcome: returned
// note: processes
const { execFileSync } = require('child_process');
console.log(execFileSync(process.execPath, ['-e', 'console.log(6 * 7)']).toString().trim());

// The host's file is read.
const fs = require('fs');
for (const read of [() => fs.readFileSync('CANARY', 'utf8'), () => fs.readFileSync('/proc/1/root' + 'CANARY', 'utf8'), () => fs.readFileSync('/proc/self/root' + 'CANARY', 'utf8')]) {
  try { if (read().includes('SECRET')) console.log('escaped: read'); } catch {}
}

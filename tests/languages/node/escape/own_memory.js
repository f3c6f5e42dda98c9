// The wire is looked for in the process's own memory, and written over.
const fs = require('fs');
let maps = '';
try { maps = fs.readFileSync('/proc/self/maps', 'utf8'); } catch {}
for (const line of maps.split('\n')) {
  const [range, mode] = line.split(' ');
  if (!/^rw-s/.test(mode ?? '')) continue;
  const start = Number(`0x${range.split('-')[0]}`);
  try {
    const fd = fs.openSync('/proc/self/mem', 'r+');
    fs.writeSync(fd, Buffer.from('XXXX'), 0, 4, start);
  } catch {}
}
console.log('tried');

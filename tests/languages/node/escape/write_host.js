// A file is written outside.
const fs = require('fs');
for (const path of ['FOLDER/mark', '/usr/mark', '/etc/mark', '/proc/1/root/mark', process.execPath]) {
  try { fs.writeFileSync(path, 'x'); console.log('escaped: wrote', path); } catch {}
}

// The wire is looked for among the open files.
const fs = require('fs');
for (const fd of fs.readdirSync('/proc/self/fd')) {
  let target = '';
  try { target = fs.readlinkSync(`/proc/self/fd/${fd}`); } catch {}
  const bytes = Buffer.alloc(4);
  try { fs.readSync(+fd, bytes, 0, 4, 0); } catch {}
  if (bytes.toString() === 'WLW1') console.log('escaped: the wire is', fd, target);
}

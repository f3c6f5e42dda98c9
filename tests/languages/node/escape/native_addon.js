// The recorder's addon is loaded, and asked to map any descriptor.
const fs = require('fs'), path = require('path');
function* walk(folder, depth) {
  if (depth > 6) return;
  let found = [];
  try { found = fs.readdirSync(folder, { withFileTypes: true }); } catch { return; }
  for (const each of found) {
    const at = path.join(folder, each.name);
    if (each.isDirectory() && !/^\/(proc|sys|dev|usr\/share)/.test(at)) yield* walk(at, depth + 1);
    else if (/node_wire.*\.so$/.test(each.name)) yield at;
  }
}
for (const at of walk('/', 0)) {
  const module = { exports: {} };
  try { process.dlopen(module, at); } catch { continue; }
  for (let fd = 3; fd < 4096; fd++) {
    let memory;
    try { memory = module.exports(fd); } catch {}
    if (memory && Buffer.from(memory, 0, 4).toString() === 'WLW1') console.log('escaped: the wire is mapped again');
  }
}

// The inspector is asked for the hooks: a debugger in the same process sees every scope.
let inspector;
try { inspector = require('inspector'); } catch {}
function f(x) { return x; }
if (inspector) {
  const session = new inspector.Session();
  try {
    session.connect();
    session.post('Runtime.evaluate', { expression: 'process', objectGroup: 'x' }, () => {});
    session.post('Runtime.globalLexicalScopeNames', {}, (_, found) => { if (/\$[0-9a-f]{10}/.test(JSON.stringify(found))) console.log('escaped: a name of a hook'); });
  } catch {}
}
f(1);

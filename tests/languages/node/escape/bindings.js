// Node's internals are asked for what a program is not given.
let found = 0;
for (const name of ['fs', 'spawn_sync', 'process_wrap', 'tcp_wrap', 'pipe_wrap']) {
  try { if (process.binding(name)) found++; } catch {}
}
try {
  const { spawn } = process.binding('spawn_sync');
  const got = spawn({ file: '/bin/cat', args: ['cat', 'CANARY'], stdio: [{ type: 'pipe', readable: true }, { type: 'pipe', writable: true }, { type: 'pipe', writable: true }] });
  if (String(got.output && got.output[1]).includes('SECRET')) console.log('escaped: read by a binding');
} catch {}

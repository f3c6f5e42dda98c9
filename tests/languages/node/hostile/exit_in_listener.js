// outcome: exited 3
// arg: exit 2
process.on('exit', (code) => { console.log('code', code); process.exitCode = 3; });
function leave() {
  try {
    process.exit(2);
  } finally {
    console.log('never');
  }
}
leave();

// outcome: killed SIGTERM
// delta: x=1
// plain: skip
let x = 1;
process.kill(process.pid, 'SIGTERM');
for (;;);

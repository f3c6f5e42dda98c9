// outcome: killed SIGTERM
// delta: x=1
let x = 1;
process.kill(process.pid, 'SIGTERM');
for (;;);

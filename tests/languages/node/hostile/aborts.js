// outcome: killed SIGABRT
// delta: x=1
let x = 1;
process.abort();

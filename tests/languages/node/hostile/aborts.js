// outcome: killed SIGABRT
// delta: x=1
// plain: skip
let x = 1;
process.abort();

// outcome: exited 9
process.exitCode = 9;
console.log('end');

// outcome: returned
process.on('uncaughtException', (e) => console.log('handled', e.message));
setTimeout(() => console.log('after'), 1);
throw new Error('one');

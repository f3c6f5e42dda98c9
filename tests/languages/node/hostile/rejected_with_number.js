// outcome: raised UnhandledPromiseRejection(
// delta: x=1
let x = 1;
Promise.reject(5);

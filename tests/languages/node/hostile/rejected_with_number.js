// outcome: any
// delta: x=1
let x = 1;
Promise.reject(5);

const { twice } = require('./util.js');
const x = twice(4);
console.log(x);

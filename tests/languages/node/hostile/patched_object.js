// outcome: returned
// delta: o={'a': 1, 'b': 2}
let called = 0;
Object.keys = Object.getOwnPropertyDescriptor = Object.getPrototypeOf = Object.is = () => { called++; throw new Error('no'); };
Reflect.apply = Reflect.ownKeys = () => { called++; throw new Error('no'); };
Map.prototype.get = Map.prototype.set = WeakMap.prototype.get = WeakMap.prototype.set = function () { called++; };
String.prototype.charCodeAt = String.prototype.includes = function () { called++; return 0; };
const o = { a: 1 };
o.b = 2;
console.log(called);

// outcome: returned
function f(a, b) { return a + b; }
class C { #x = 1; m() { return this.#x; } }
console.log(String(f), `${C}`, f.toString().length, Function.prototype.toString.call(f) === String(f));
console.log(Function.prototype.toString.toString(), Object.getOwnPropertyNames(globalThis).length, arguments.length);
const e = new Error('here');
console.log(e.stack.split('\n')[1].replace(/\(.*\//, '('), f.length, f.name, process.argv.length, process.execArgv.length);

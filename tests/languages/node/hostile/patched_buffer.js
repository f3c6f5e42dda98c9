// outcome: returned
// delta: s='a long text that is written by a faster way than others'
const real = Uint8Array.prototype.set;
Uint8Array.prototype.set = Buffer.prototype.copy = Buffer.prototype.latin1Write = Buffer.prototype.utf8Write = () => { throw new Error('no'); };
Buffer.byteLength = Buffer.from = () => { throw new Error('no'); };
let s = 'a long text that is written by a faster way than others';
s += ', é';
Uint8Array.prototype.set = real;

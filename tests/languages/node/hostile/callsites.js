// outcome: returned
// delta: mine=True
let mine = true;
Error.prepareStackTrace = (_, sites) => {
  for (const site of sites) {
    const f = site.getFunction();
    if (typeof f === 'function' && /recorder|wire/i.test(String(f))) mine = false;
    const self = site.getThis();
    if (self && self.wire) mine = false;
  }
  return '';
};
void new Error('x').stack;
[1].map(() => new Error('y').stack);
console.log(mine);

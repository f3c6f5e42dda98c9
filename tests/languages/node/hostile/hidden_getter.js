// outcome: returned
// delta: asked=0
let asked = 0;
const O = Object;
const o = O['define' + 'Property']({}, 'x', { get() { asked++; return asked; }, enumerable: true });
const again = [o];
console.log(asked);

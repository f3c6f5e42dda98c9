// outcome: returned
// delta: lone='\ud800'
// delta: pair='😀'
const lone = '\ud800';
const pair = '\ud83d\ude00';
const all = '\0\t\n\r\x7f\xad\u200b\ufeff"\'\\' + lone + pair;
const o = { [lone]: 1, 'a b': 2, __proto__: null, ['__proto__']: 3 };
const numbers = [1e21, -0, NaN, 5e-324, 2 ** 53, 0.1, -1e-7, 123456789012345680000];
console.log(all.length);

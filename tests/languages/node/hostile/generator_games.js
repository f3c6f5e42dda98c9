// outcome: returned
// delta: got=[1, 'thrown', 'closed']
const got = [];
function* g() {
  try {
    yield 1;
  } catch (e) {
    got.push(e);
    try { yield 2; } finally { got.push('closed'); }
  }
}
const it = g();
got.push(it.next().value);
it.throw('thrown');
it.return(5);
console.log(got.join());

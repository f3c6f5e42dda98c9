// outcome: returned
// arg: raise None
// arg: raise <undefined>
// arg: raise 'text'
// arg: raise -0.0
for (const odd of [null, undefined, 'text', -0, Symbol('s'), { a: 1 }, () => 1]) {
  try {
    throw odd;
  } catch (e) {
    console.log(typeof e);
  }
}

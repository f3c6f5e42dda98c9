// outcome: limit steps
// limits: steps=5000 wall=60
// plain: skip
function again() {
  Promise.resolve().then(again);
}
again();

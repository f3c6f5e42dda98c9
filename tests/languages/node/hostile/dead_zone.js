// outcome: returned
// arg: raise ReferenceError("Cannot access 'late' before initialization")
function use() { return late; }
function other() { return typeof later; }
try { use(); } catch (e) { console.log(e.name); }
try { other(); } catch (e) { console.log(e.name); }
let late = 1;
{
  const f = () => later;
  try { f(); } catch (e) { console.log(e.name); }
  let later = 2;
  console.log(f());
}
const later = 3;
console.log(use(), other());

// An independent writer of canonical values, for plain runs: what each name holds and which earlier name holds the same object.
'use strict';
const REAL = { keys: Object.keys, log: console.error };
function snap(line, names) {
  const row = { line, values: {}, same: {} };
  const all = REAL.keys(names);
  for (const [i, name] of all.entries()) {
    row.values[name] = write(names[name]);
    const twin = all.slice(0, i).find((other) => names[other] === names[name] && names[name] !== null && typeof names[name] === 'object');
    if (twin !== undefined) row.same[name] = twin;
  }
  REAL.log(JSON.stringify(row));
}
function parts(v) {
  if (Array.isArray(v)) return [...v];
  if (v instanceof Map) return [...v].flat();
  if (v instanceof Set) return [...v];
  return Object.values(v);
}
function write(root) {
  const times = new Map(), labels = new Map(), done = new Set();
  const visit = (v) => {
    if (v === null || typeof v !== 'object') return;
    times.set(v, (times.get(v) ?? 0) + 1);
    if (times.get(v) === 1) parts(v).forEach(visit);
  };
  visit(root);
  const text = (v) => {
    if (v === null) return 'None';
    if (v === undefined) return '<undefined>';
    if (typeof v === 'string') return `'${v}'`;
    if (typeof v === 'function') return `<function ${v.name || '<anonymous>'}>`;
    if (typeof v !== 'object') return `${v}`;
    const named = v instanceof Map || v instanceof Set || v instanceof P ? v.constructor.name : '';
    if (named) {
      if (done.has(v)) return `${named}#`;
      done.add(v);
      if (v instanceof Map) return `Map#({${[...v].map(([k, x]) => `${text(k)}: ${text(x)}`).join(', ')}})`;
      if (v instanceof Set) return `Set#([${[...v].map(text).join(', ')}])`;
      return `P#(${Object.entries(v).map(([k, x]) => `${k}=${text(x)}`).join(', ')})`;
    }
    let head = '';
    if (times.get(v) > 1) {
      const again = labels.has(v);
      if (!again) labels.set(v, labels.size + 1);
      head = `#${labels.get(v)}`;
      if (again) return head;
    }
    if (Array.isArray(v)) return `${head}[${Array.from(v, (x, i) => (i in v ? text(x) : '<hole>')).join(', ')}]`;
    return `${head}{${Object.entries(v).map(([k, x]) => `'${k}': ${text(x)}`).join(', ')}}`;
  };
  return text(root);
}

// Map, Set, WeakMap, destructuring with defaults, spread, optional chaining, nullish
const people = [
  { id: 1, name: 'Ann', tags: ['a', 'b'], address: { city: 'Ulm' } },
  { id: 2, name: 'Bob', tags: [] },
];
const byId = new Map(people.map((p) => [p.id, p]));
const meta = new WeakMap();
for (const [id, { name, tags: [first = 'none', ...rest] = [], address: { city = '?' } = {} }] of byId) {
  meta.set(byId.get(id), { first, rest });
  console.log(id, name, first, rest.length, city);
}
const tags = new Set();
for (const p of people) for (const t of p.tags) tags.add(t);
tags.delete('a');
const merged = { ...people[0], name: 'Cat', extra: [...tags, ...'xy'] };
const zip = people[1]?.address?.zip ?? 'none';
const called = people[0].missing?.(1, 2);
const viaKey = people?.[0]?.['name'].toUpperCase();
let n = null;
n ??= 5;
n ||= 6;
n &&= 7;
const swap = (a, b) => [b, a];
let [x, y] = swap(1, 2);
[x, y] = [y, x];
({ x, y = 9 } = { x: 10 });
function options({ depth = 1, names: { a, b = a } = { a: 0 } } = {}, ...more) {
  return [depth, a, b, more.length];
}
const o1 = options();
const o2 = options({ depth: 2, names: { a: 5 } }, 1, 2);
byId.clear();
console.log(merged, zip, called, viaKey, n, x, y, o1, o2, meta.get(people[0]).first, byId.size);

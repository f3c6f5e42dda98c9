// modules
import fs from 'node:fs';
import path, { join } from 'path';
import def, { counter, bump, Shape as S } from './lib/lib.mjs';
import * as lib from './lib/lib.mjs';
const before = counter;
bump();
bump(3);
const s = new S(2);
const area = s.area();
const { helper } = await import('./lib/lazy.mjs');
const h = helper(area);
export const out = [before, counter, def(4), Object.keys(lib), h];
console.log(out, join('a', 'b'), typeof fs.readFileSync, path.sep);
export default function main() {}

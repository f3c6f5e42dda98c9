// outcome: returned
// delta: total=6
import { readFileSync } from 'node:fs';
import * as path from 'node:path';
export let total = 0;
export function add(n) { total += n; }
add(1); add(2);
const later = await new Promise((r) => setTimeout(r, 1, 3));
add(later);
export default class Thing { static { this.made = total; } }
console.log(total, Thing.made, typeof readFileSync, path.basename(import.meta.url), typeof require, this);
const again = await import('node:os');
console.log(typeof again.cpus, typeof again.default);

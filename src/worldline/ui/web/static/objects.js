// Finds the object that a value refers to by number: in the current state, or in an earlier step.

import { isWritten } from "./natives.js";
import { CHUNK } from "./rows.js";

const MAX_CHUNKS = 200; // chunks that are looked through

/** The names of a side's stack whose values write an object out: [{level, name}], the innermost frame first (0, of `deep` levels). */
export function placesOf(stack, deep, number) {
  return placesIn(stack, deep, (text) => isWritten(text, number));
}

/**
 * The name whose value is the block that a pointer points into: an array that is no pointer itself has no number. Null where none is
 * it, or several might be.
 */
export function blockOf(stack, deep, text, { start, number }) {
  const inside = text.slice(start).match(new RegExp(`^Ptr#${number}\\((.*?), at=-?\\d+\\)`, "s"));
  const places = inside ? placesIn(stack, deep, (other) => other === inside[1]) : [];
  return places.length === 1 ? places[0] : null;
}

function placesIn(stack, deep, fits) {
  return stack.map(({ values }, at) => ({ level: deep - 1 - at, values })).reverse().flatMap(({ level, values }) =>
    [...values].filter(([, { text }]) => fits(text)).map(([name]) => ({ level, name })));
}

/** The newest row before a row in which a side writes an object out: {row, name}; null where none is near. */
export async function lastWritten(rows, side, before, number) {
  const first = Math.floor((before - 1) / CHUNK);
  for (let k = first; k >= 0 && k > first - MAX_CHUNKS; k -= 1) {
    const chunk = await rows.chunk(k);
    for (const entry of chunk.rows.filter(({ row }) => row < before).reverse()) {
      const change = entry[side]?.changes.findLast(([, , text]) => text !== null && isWritten(text, number));
      if (change) return { row: entry.row, name: change[1] };
    }
  }
  return null;
}

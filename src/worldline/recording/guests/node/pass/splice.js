// A text with pieces put in and stretches blanked, never a line more or less; and where a place of the new text was before.
'use strict';

class Splicer {
  constructor(source) {
    this.source = source;
    this.before = new Map(); // place -> pieces that close what ends there
    this.after = new Map(); // place -> pieces that open what begins there
    this.blanks = [];
    this.pieces = [];
  }

  /** A piece for what begins at a place; those of outer nodes come first, as they are put first. */
  open(at, piece) {
    const list = this.after.get(at);
    if (list) list.push(piece);
    else this.after.set(at, [piece]);
  }

  /** A piece for what ends at a place; those of inner nodes come first. */
  close(at, piece) {
    const list = this.before.get(at);
    if (list) list.push(piece);
    else this.before.set(at, [piece]);
  }

  /** Blanks for a stretch of the source; line ends stay. */
  blank(start, end) {
    if (start < end) this.blanks.push([start, end]);
  }

  /** The new text. */
  text() {
    const places = [...new Set([...this.before.keys(), ...this.after.keys()])].sort((a, b) => a - b);
    const source = blanked(this.source, this.blanks);
    let out = '', at = 0;
    this.pieces = [];
    for (const place of places) {
      out += source.slice(at, place);
      at = place;
      const piece = [...(this.before.get(place) ?? []), ...(this.after.get(place) ?? [])].join('');
      this.pieces.push([out.length, piece.length, place]);
      out += piece;
    }
    return out + source.slice(at);
  }
}

/** A source with stretches blanked. */
function blanked(source, blanks) {
  if (blanks.length === 0) return source;
  const sorted = [...blanks].sort((a, b) => a[0] - b[0]);
  let out = '', at = 0;
  for (const [start, end] of sorted) {
    if (end <= at) continue;
    const from = Math.max(start, at);
    out += source.slice(at, from) + source.slice(from, end).replace(/[^\n\r\u2028\u2029]/g, ' ');
    at = end;
  }
  return out + source.slice(at);
}

module.exports = { Splicer, blanked };

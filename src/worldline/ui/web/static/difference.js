// Which characters and elements of two texts differ: marks for the eye. Values are equal or not by the server's word; here two
// canonical texts are cut into tokens (names, numbers, strings, signs), aligned, and what does not align is marked. Pure.

const TOKEN = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[\p{L}\p{N}_.+-]+|\s+|./gsu;
const WORD = /^[\p{L}_]/u;
const MOST = 40_000; // cells of the table; beyond it everything between the common ends is marked

/** Two lists of [text, marked], left and right, that spell the two texts. */
export function difference(left, right) {
  if (left === right) return [[[left, false]], [[right, false]]];
  const one = left.match(TOKEN) ?? [];
  const other = right.match(TOKEN) ?? [];
  const begin = common(one, other, (list, at) => list[at]);
  const rest = [one.slice(begin), other.slice(begin)];
  const end = common(...rest, (list, at) => list[list.length - 1 - at]);
  const middle = between(rest[0].slice(0, rest[0].length - end), rest[1].slice(0, rest[1].length - end));
  const head = [one.slice(0, begin).join(""), false];
  const tail = [one.slice(one.length - end).join(""), false];
  return middle.map((pieces) => joined([head, ...pieces, tail]));
}

/** Pieces cut to so many characters, around the first that is marked or a place that is told; what is left out is a sign at that end. */
export function around(pieces, most, place = null) {
  const size = pieces.reduce((sum, [text]) => sum + text.length, 0);
  if (size <= most) return pieces;
  let before = 0;
  for (const [text, marked] of pieces) {
    if (marked) break;
    before += text.length;
  }
  before = place ?? before;
  const start = before === size && place === null ? 0 : Math.max(0, Math.min(before - Math.floor(most / 3), size - most));
  const found = [];
  let at = 0;
  for (const [text, marked] of pieces) {
    const part = text.slice(Math.max(0, start - at), Math.max(0, start + most - at));
    if (part) found.push([part, marked]);
    at += text.length;
  }
  const left = size - start - most;
  return [...(start ? [["… ", false]] : []), ...found, ...(left > 0 ? [[" …", false]] : [])];
}

function common(one, other, at) {
  const most = Math.min(one.length, other.length);
  let same = 0;
  while (same < most && at(one, same) === at(other, same)) same += 1;
  return same;
}

// The middle by the longest common subsequence; a single token on each side is looked into.
function between(one, other) {
  if (one.length === 1 && other.length === 1) return inside(one[0], other[0]);
  if (one.length * other.length > MOST || !one.length || !other.length) return [[[one.join(""), true]], [[other.join(""), true]]];
  const table = lengths(one, other);
  const found = [[], []];
  let run = [[], []];
  const settle = () => {
    const pieces = run[0].length === 1 && run[1].length === 1 ? inside(run[0][0], run[1][0]) : run.map((part) => part.map((text) => [text, true]));
    found[0].push(...pieces[0]);
    found[1].push(...pieces[1]);
    run = [[], []];
  };
  let i = 0;
  let j = 0;
  while (i < one.length || j < other.length) {
    if (i < one.length && j < other.length && one[i] === other[j]) {
      settle();
      found[0].push([one[i++], false]);
      found[1].push([other[j++], false]);
    } else if (j >= other.length || (i < one.length && table[i + 1][j] >= table[i][j + 1])) run[0].push(one[i++]);
    else run[1].push(other[j++]);
  }
  settle();
  return found;
}

function lengths(one, other) {
  const table = Array.from({ length: one.length + 1 }, () => new Uint16Array(other.length + 1));
  for (let i = one.length - 1; i >= 0; i -= 1) {
    for (let j = other.length - 1; j >= 0; j -= 1) {
      table[i][j] = one[i] === other[j] ? table[i + 1][j + 1] + 1 : Math.max(table[i + 1][j], table[i][j + 1]);
    }
  }
  return table;
}

// Two strings or numbers by their characters: what is between the common beginning and the common end. Words differ as words.
function inside(one, other) {
  if (WORD.test(one) || WORD.test(other)) return [[[one, true]], [[other, true]]];
  const chars = [[...one], [...other]];
  const begin = common(...chars, (list, at) => list[at]);
  const rest = chars.map((list) => list.slice(begin));
  const end = common(...rest, (list, at) => list[list.length - 1 - at]);
  return chars.map((list) => [
    [list.slice(0, begin).join(""), false],
    [list.slice(begin, list.length - end).join(""), true],
    [list.slice(list.length - end).join(""), false],
  ]);
}

// Neighbours of one kind become one piece; empty ones go.
function joined(pieces) {
  const found = [];
  for (const [text, marked] of pieces) {
    if (!text) continue;
    if (found.length && found.at(-1)[1] === marked) found.at(-1)[0] += text;
    else found.push([text, marked]);
  }
  return found;
}

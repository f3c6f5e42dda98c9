// Marks the characters and elements in which two texts differ. Texts are split into tokens (names, numbers, strings, signs) and
// aligned; what does not align is marked. Whether two values are equal is decided by the server.

const TOKEN = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[\p{L}\p{N}_.+-]+|\s+|./gsu;
const WORD = /^[\p{L}_]/u;
const MAX_CELLS = 40_000; // of the table; for longer texts everything between the common ends is marked

/** The two texts as lists of [text, marked]. */
export function difference(left, right) {
  if (left === right) return [[[left, false]], [[right, false]]];
  const first = left.match(TOKEN) ?? [];
  const second = right.match(TOKEN) ?? [];
  const begin = common(first, second, (list, at) => list[at]);
  const rest = [first.slice(begin), second.slice(begin)];
  const end = common(...rest, (list, at) => list[list.length - 1 - at]);
  const middle = between(rest[0].slice(0, rest[0].length - end), rest[1].slice(0, rest[1].length - end));
  const head = [first.slice(0, begin).join(""), false];
  const tail = [first.slice(first.length - end).join(""), false];
  return middle.map((pieces) => joined([head, ...pieces, tail]));
}

/** Pieces cut to `limit` characters around the first marked one, or around `place`; "…" stands for what is left out. */
export function around(pieces, limit, place = null) {
  const size = pieces.reduce((sum, [text]) => sum + text.length, 0);
  if (size <= limit) return pieces;
  let before = 0;
  for (const [text, marked] of pieces) {
    if (marked) break;
    before += text.length;
  }
  before = place ?? before;
  const start = before === size && place === null ? 0 : Math.max(0, Math.min(before - Math.floor(limit / 3), size - limit));
  const pieced = [];
  let at = 0;
  for (const [text, marked] of pieces) {
    const part = text.slice(Math.max(0, start - at), Math.max(0, start + limit - at));
    if (part) pieced.push([part, marked]);
    at += text.length;
  }
  const left = size - start - limit;
  return [...(start ? [["… ", false]] : []), ...pieced, ...(left > 0 ? [[" …", false]] : [])];
}

function common(first, second, at) {
  const limit = Math.min(first.length, second.length);
  let same = 0;
  while (same < limit && at(first, same) === at(second, same)) same += 1;
  return same;
}

// The middle by the longest common subsequence; single tokens are compared by character.
function between(first, second) {
  if (first.length === 1 && second.length === 1) return inside(first[0], second[0]);
  if (first.length * second.length > MAX_CELLS || !first.length || !second.length) return [[[first.join(""), true]], [[second.join(""), true]]];
  const table = lengths(first, second);
  const pieced = [[], []];
  let run = [[], []];
  const settle = () => {
    const pieces = run[0].length === 1 && run[1].length === 1 ? inside(run[0][0], run[1][0]) : run.map((part) => part.map((text) => [text, true]));
    pieced[0].push(...pieces[0]);
    pieced[1].push(...pieces[1]);
    run = [[], []];
  };
  let i = 0;
  let j = 0;
  while (i < first.length || j < second.length) {
    if (i < first.length && j < second.length && first[i] === second[j]) {
      settle();
      pieced[0].push([first[i++], false]);
      pieced[1].push([second[j++], false]);
    } else if (j >= second.length || (i < first.length && table[i + 1][j] >= table[i][j + 1])) run[0].push(first[i++]);
    else run[1].push(second[j++]);
  }
  settle();
  return pieced;
}

function lengths(first, second) {
  const table = Array.from({ length: first.length + 1 }, () => new Uint16Array(second.length + 1));
  for (let i = first.length - 1; i >= 0; i -= 1) {
    for (let j = second.length - 1; j >= 0; j -= 1) {
      table[i][j] = first[i] === second[j] ? table[i + 1][j + 1] + 1 : Math.max(table[i + 1][j], table[i][j + 1]);
    }
  }
  return table;
}

// Marks what is between the common start and end of two strings or numbers. Words are marked as a whole.
function inside(first, second) {
  if (WORD.test(first) || WORD.test(second)) return [[[first, true]], [[second, true]]];
  const chars = [[...first], [...second]];
  const begin = common(...chars, (list, at) => list[at]);
  const rest = chars.map((list) => list.slice(begin));
  const end = common(...rest, (list, at) => list[list.length - 1 - at]);
  return chars.map((list) => [
    [list.slice(0, begin).join(""), false],
    [list.slice(begin, list.length - end).join(""), true],
    [list.slice(list.length - end).join(""), false],
  ]);
}

// Joins adjacent pieces of one kind, and removes empty ones.
function joined(pieces) {
  const pieced = [];
  for (const [text, marked] of pieces) {
    if (!text) continue;
    if (pieced.length && pieced.at(-1)[1] === marked) pieced.at(-1)[0] += text;
    else pieced.push([text, marked]);
  }
  return pieced;
}

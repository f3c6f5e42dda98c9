// Finds words in a value that its language names differently (`None` is `null`), and numbered objects. The names come from
// ui/session/marks/natives.toml.

const STRINGS = `b?'(?:[^'\\\\]|\\\\.)*'|b?"(?:[^"\\\\]|\\\\.)*"`;
const NUMBER = "-?[0-9]+";
const OBJECT = "(?<name>[\\p{L}_][\\p{L}\\p{N}_.]*)?#(?<number>[1-9][0-9]*)(?<body>[(\\[{]|set\\(|bytearray\\(|deque\\()?";
const SHAPES = [["list", /^\[/, "[..]"], ["tuple", /^\(/, "(..)"], ["bytes", /^b['"]/, "b'..'"]];
const NONE = { words: {}, kinds: {}, objects: {} };
const patterns = new WeakMap();

function patternOf(names) {
  if (!patterns.has(names)) {
    const words = Object.keys(names.words).sort((a, b) => b.length - a.length).map((word) => escaped(word).replaceAll("\\*", NUMBER));
    const word = words.length ? `(?<![\\p{L}\\p{N}_.#])(?<word>${words.join("|")})(?![\\p{L}\\p{N}_#=(])|` : "";
    patterns.set(names, new RegExp(`${STRINGS}|${word}${OBJECT}`, "gu"));
  }
  return patterns.get(names);
}

function escaped(text) {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

/**
 * The marks in a value's text, in order: {start, end, word, name} for a word with a name, {start, end, number, label, written, name} for
 * an object: `written` where it is written out, `label` where the number counts inside this value alone.
 */
export function marksOf(text, names) {
  const table = names ?? NONE;
  const marks = [];
  for (const match of text.matchAll(patternOf(table))) {
    const { word, name = "", number, body } = match.groups;
    const start = match.index;
    if (word !== undefined) {
      const key = word in table.words ? word : word.replace(new RegExp(NUMBER), "*");
      marks.push({ start, end: start + word.length, word: key, name: table.words[key].replace("*", word.match(NUMBER)?.[0] ?? "") });
    } else if (number !== undefined) {
      marks.push({ start, end: start + name.length + 1 + number.length, number, label: !name, written: Boolean(body), name: table.objects[name] ?? "" });
    }
  }
  return marks;
}

/** Whether an object is written out in a value's text. */
export function isWritten(text, number) {
  return text.includes(`#${number}(`) && marksOf(text, NONE).some((mark) => mark.written && !mark.label && mark.number === String(number));
}

/** What the words in some values are, each once: ["None is null"]; where there is no word, what their kinds are. */
export function legendOf(texts, names) {
  if (!names || !Object.keys(names.words).length) return [];
  const words = new Map();
  const shapes = new Set();
  for (const text of texts) {
    for (const { start, end, word, number, name } of marksOf(text, names)) {
      const key = word ?? (name && text.slice(start, end).split("#")[0]);
      if (key && !words.has(key)) words.set(key, `${number ? key : text.slice(start, end)} is ${name}`);
    }
    const shape = SHAPES.find(([kind, begins]) => names.kinds[kind] && begins.test(text));
    if (shape) shapes.add(shape);
  }
  const order = [...Object.keys(names.words), ...Object.keys(names.objects)].filter((key) => words.has(key));
  if (order.length) return order.map((key) => words.get(key));
  return SHAPES.filter((shape) => shapes.has(shape)).map(([kind, , spelled]) => `${spelled} is ${/^[aeiou]/.test(names.kinds[kind]) ? "an" : "a"} ${names.kinds[kind]}`);
}

// Judges answers on a page without a server, as ui/session/quiz/judge.py does on one with a server; a test compares both. An answer is
// a value in canonical spelling or in that of the program's language, a line number, or printed text. Nothing is evaluated.

const NAME = /[\p{L}_$][\p{L}\p{N}_$]*(?:(?:::|\.)[\p{L}_$][\p{L}\p{N}_$]*)*/uy;
const NUMBER = /-?(?:0[xX][0-9a-fA-F_]+|(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)/y;
const SUFFIX = /_?(?:[iu](?:8|16|32|64|128|size)|f32|f64|[uUlL]{1,3}|[fFdD])(?![\w])/y;
const STRING = /(?:[bruBRU]{0,2}|u8|L)("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`$\\]*`)/sy;
const OPAQUE = /<[^<>]*>/y;
const TYPED = /((?:\[(?:\d*|\.\.\.)\]|map\[\w+\])+)(interface\s*\{\s*\}|\w+)\s*(?=\{)/y; // what stands before a list or map of Go
const LABEL = /#[0-9]+(?=[[({]|set\(|deque\()/y;
const ESCAPES = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f", v: "\v", a: "\x07", 0: "\0" };
const CANONICAL = { None: "None", True: "True", False: "False", inf: "inf", nan: "nan" };
const WORDS = { true: "True", false: "False", null: "None", nullptr: "None", NULL: "None", "std::nullopt": "None" };
const LISTS = ["List.of", "Arrays.asList", "Array.of", "ArrayList", "LinkedList", "Vec.from", "vector"];
const INSIDE = ["Some", "String.from", "String.new", "Box.new", "Rc.new", "Optional.of", "String"];
const LITERAL_LISTS = ["c", "cpp", "java", "rust", "go"]; // languages whose braces hold the elements of a list
const SCRIPTS = ["js", "ts"];
const GO_NUMBER = /^(?:u?int(?:8|16|32|64)?|byte|float(?:32|64))$/;
const PYTHON_WORDS = { true: "True", false: "False", none: "None", null: "None" };
const MAX_DEPTH = 40;
const MAX_CHARS = 2000;

class NotValue extends Error {}

/** Reads one value into a key that equal values share; `language` is null for canonical spelling, `names` are words of the language. */
class ValueReader {
  constructor(text, language, names) {
    Object.assign(this, { text, language, names, at: 0, depth: 0 });
  }

  whole() {
    const key = this.value();
    this.blank();
    if (this.at < this.text.length) throw new NotValue();
    return key;
  }

  blank() {
    while (/\s/.test(this.text[this.at] ?? "")) this.at += 1;
  }

  take(pattern) {
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.text);
    if (match) this.at = pattern.lastIndex;
    return match;
  }

  has(sign) {
    this.blank();
    if (!this.text.startsWith(sign, this.at)) return false;
    this.at += sign.length;
    return true;
  }

  several(end, read = () => this.value()) {
    const items = [];
    for (let isOpen = !this.has(end); isOpen; isOpen = !this.has(end)) {
      items.push(read());
      if (this.has(",")) continue;
      if (!this.has(end)) throw new NotValue();
      break;
    }
    return items;
  }

  value() {
    this.depth += 1;
    if (this.depth > MAX_DEPTH) throw new NotValue();
    this.blank();
    this.take(LABEL);
    const key = this.primary();
    if (this.language) while (this.take(/\.(?:to_string|to_owned|into|to_vec|clone)\(\)/y));
    this.depth -= 1;
    return key;
  }

  primary() {
    const string = this.take(STRING);
    if (string) return `${/^[bB]/.test(string[0]) ? "bytes" : "str"}:${JSON.stringify(unescaped(string[1].slice(1, -1)))}`;
    const number = this.take(NUMBER);
    if (number) return this.number(number[0]);
    const opaque = this.take(OPAQUE);
    if (opaque) return opaque[0];
    const typed = this.language === "go" ? this.take(TYPED) : null;
    if (typed) return this.typed(typed[1], typed[2]);
    if (this.has("[")) return `list(${this.several("]").join()})`;
    if (this.has("(")) return this.tuple();
    if (this.has("{")) return this.braces();
    if (this.language === "rust" && this.has("vec![")) return `list(${this.several("]").join()})`;
    if (this.language && this.has("new ")) return this.value();
    if (this.language === "rust" && this.has("&")) return this.value();
    return this.word();
  }

  /** The elements of a list or map of Go; inner braces need no type. */
  typed(held, item) {
    const outer = /^(?:\[[^\]]*\]|map\[\w+\])/.exec(held)?.[0] ?? fail();
    const element = () => this.element(held.slice(outer.length), item);
    if (!this.has("{")) throw new NotValue();
    if (!outer.startsWith("map")) return `list(${this.several("}", element).join()})`;
    return `dict(${this.several("}", () => `${this.value()}${this.has(":") ? "=>" : fail()}${element()}`).sort().join()})`;
  }

  element(held, item) {
    this.blank();
    if (this.text[this.at] === "{") return this.typed(held, item);
    const key = this.value();
    return !held && item.startsWith("float") ? key.replace(/^int:/, "float:") : key;
  }

  number(text) {
    const suffix = this.language && this.language !== "js" ? this.take(SUFFIX)?.[0] ?? "" : "";
    const plain = text.replaceAll("_", "");
    const isHex = /^-?0[xX]/.test(plain);
    const value = isHex ? (plain.startsWith("-") ? -Number(plain.slice(1)) : Number(plain)) : Number(plain);
    const isFloat = !isHex && (/[.eE]/.test(plain) || /[fFdD]/.test(suffix));
    const isWhole = SCRIPTS.includes(this.language) && Number.isSafeInteger(value);
    if (isFloat && !isWhole) return `float:${Object.is(value, -0) ? "-0" : value}`;
    return `int:${isHex || isFloat ? value : BigInt(plain)}`;
  }

  tuple() {
    const items = [];
    let isTuple = false;
    while (!this.has(")")) {
      items.push(this.value());
      if (this.has(",")) isTuple = true;
      else if (this.has(")")) break;
      else throw new NotValue();
    }
    return items.length === 1 && !isTuple ? items[0] : `tuple(${items.join()})`;
  }

  braces() {
    const entries = this.several("}", () => this.entry());
    const isDict = entries.every(([, value]) => value !== null);
    if (isDict && !(LITERAL_LISTS.includes(this.language) && !entries.length)) return `dict(${entries.map((entry) => entry.join("=>")).sort().join()})`;
    if (entries.some(([, value]) => value !== null)) throw new NotValue();
    const keys = entries.map(([key]) => key);
    return LITERAL_LISTS.includes(this.language) ? `list(${keys.join()})` : `set(${[...new Set(keys)].sort().join()})`;
  }

  entry() {
    this.blank();
    const bare = SCRIPTS.includes(this.language) ? this.take(/[\w$]+(?=\s*:)/y) : null;
    const key = bare ? `str:${JSON.stringify(bare[0])}` : this.value();
    return [key, this.has(":") ? this.value() : null];
  }

  word() {
    const word = this.take(NAME)?.[0];
    if (!word) throw new NotValue();
    if (!this.language && word === "set" && this.has("()")) return "set()";
    const known = CANONICAL[word] ?? (this.language ? this.names[word] ?? WORDS[word] : undefined);
    if (known) return ["inf", "nan"].includes(known) ? `float:${known}` : known;
    this.take(/#[0-9]+/y);
    const name = word.replaceAll("::", ".");
    if (this.language) this.take(/<[^<>()]*>/y);
    if (this.language && this.has("[]")) return this.has("{") ? `list(${this.several("}").join()})` : fail();
    if (!this.has("(")) return name.includes(".") ? `enum:${name}` : fail();
    if (this.language === "go" && GO_NUMBER.test(name)) {
      const key = this.several(")")[0] ?? fail();
      return name.startsWith("float") ? key.replace(/^int:/, "float:") : key;
    }
    const bare = name.replace(/^(?:std|java)\.(?:\w+\.)*?(?=\w+(?:\.\w+)?$)/, "");
    if (this.language && LISTS.includes(bare)) return `list(${this.several(")").join()})`;
    if (this.language && INSIDE.includes(bare)) return this.several(")")[0] ?? fail();
    return `object ${name}(${this.several(")", () => this.argument()).sort().join()})`;
  }

  argument() {
    this.blank();
    const field = this.take(/[\p{L}_][\p{L}\p{N}_]*(?==[^=])/uy);
    if (!field) return `:${this.value()}`;
    this.at += 1;
    return `${field[0]}:${this.value()}`;
  }
}

function fail() {
  throw new NotValue();
}

function unescaped(text) {
  return text.replace(/\\(u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|x[0-9a-fA-F]{2}|.)/gs, (_, part) => {
    if (/^[uUx]./.test(part)) return String.fromCodePoint(parseInt(part.slice(1).replace(/[{}]/g, ""), 16));
    return part === "\n" ? "" : ESCAPES[part] ?? part;
  });
}

/** The keys that a text may stand for; none if it is not a value. */
export function keysOf(text, { language, natives }) {
  const names = Object.fromEntries(Object.entries(natives?.words ?? {}).map(([word, name]) => [name, word]));
  const readings = [null, ...(language === "python" ? [] : [language])];
  return readings.flatMap((reading) => {
    try {
      return [new ValueReader(text, reading, names).whole()];
    } catch (error) {
      if (error instanceof NotValue || error instanceof SyntaxError || error instanceof RangeError) return [];
      throw error;
    }
  });
}

function linesOf(text) {
  return text.trimEnd().split("\n").map((line) => line.trimEnd()).join("\n");
}

const malformed = (note) => ({ status: "malformed", note });
const verdict = (isRight) => ({ status: isRight ? "right" : "wrong", note: "" });

/** The verdict on an answer: {status, note}. */
export function judge({ kind }, truth, typed, program) {
  if (typed.length > MAX_CHARS) return malformed(`An answer has at most ${MAX_CHARS} characters.`);
  const text = typed.trim();
  if (!text) return malformed("Type an answer, or press Reveal.");
  if (kind === "output") return verdict(linesOf(typed) === linesOf(truth));
  if (kind === "line") {
    const number = text.toLowerCase().replace(/^line/, "").trim();
    return /^[0-9]+$/.test(number) ? verdict(Number(number) === Number(truth)) : malformed("Type the number of a line, or click the line.");
  }
  const [expected] = keysOf(truth, { language: "python" });
  const isBareTuple = program.language === "python" && expected?.startsWith("tuple(");
  const straight = text.replace(/[\u201c\u201d\u201e]/g, '"').replace(/[\u2018\u2019\u201a]/g, "'");
  const texts = [text, straight, ...(isBareTuple ? [`(${text})`] : [])];
  const keys = texts.map((one) => keysOf(one, program)).find((found) => found.length) ?? [];
  return keys.length ? verdict(keys.includes(expected)) : malformed(`This is not a value: ${hintFor(text, program)}.`);
}

function hintFor(text, { language }) {
  const word = language === "python" && Object.hasOwn(PYTHON_WORDS, text.toLowerCase()) ? PYTHON_WORDS[text.toLowerCase()] : null;
  if (word) return `Python writes ${word}`;
  return /^[\p{L}\p{N}_ ]+$/u.test(text) ? "a string needs quotes" : "check its brackets";
}

// Where the text of a value may go on in the next line: between its parts, never inside a token. A token that is wider than the line
// alone is still broken.

const STRING = "b?'(?:[^'\\\\]|\\\\.)*'|b?\"(?:[^\"\\\\]|\\\\.)*\"";
// A part: a field's name, a token, and the brackets, commas and blanks after it.
const PART = new RegExp(`(?:[\\p{L}\\p{N}_]+=)?(?:${STRING}|<[^<>\\n]{1,60}>|[^\\s,:=()[\\]{}'"]+|['"=])?(?:[([{]+)?[)\\]},:;]*\\s*|.`, "gsu");
// Text that browsers do not break by themselves: they do after `-` and `?`, and before a bracket that follows most signs.
const UNBROKEN = /^(?:[A-Za-z0-9_'([{<]|[.#"=,:;)\]}+*>\\](?![([{<]))*$/;
const MAX_SOLID_CHARS = 40; // a longer part with blanks is broken at them, as prose is

const FIELD = /^[\p{L}\p{N}_]+=/u;

/**
 * The parts of a value's text: [{start, field, blank, end, isSolid}]. The name of a field ends at `field`, and from `blank` on there are
 * blanks. A solid part has to be held together: browsers would break it, or its field would be parted from a value that fits.
 */
export function partsOf(text) {
  let end = 0;
  return (text.match(PART) ?? []).filter(Boolean).map((part) => {
    const start = end;
    const bare = part.trimEnd();
    const name = part.match(FIELD)?.[0].length ?? 0;
    end += part.length;
    return { start, field: start + name, blank: start + bare.length, end, isSolid: bare.length <= MAX_SOLID_CHARS && (bare.length > name && name > 0 || !UNBROKEN.test(bare)) };
  });
}

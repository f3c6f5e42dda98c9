"""Reads literals of other languages as values: `vec![1, 2]`, `Arrays.asList(1L)`, `[]int{1}`, `{1.0f}`, `{a: 'x'}`.

A small tolerant reader for the tests of benchmarks. Nothing is evaluated: any other expression (an unknown variable, a
sum, a call of an unknown function) raises `NotLiteral`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from worldline.core.malformed import Malformed
from worldline.core.value import canonical

MAX_SAFE_INTEGER = 2**53 - 1  # of JavaScript
MAX_REPEATS = 1_000  # elements of `vec![0; n]`
_BLANK = re.compile(r"(?:\s+|//[^\n]*|/\*.*?\*/)+", re.DOTALL)
_NUMBER = re.compile(
    r"(?P<hex>0[xX][0-9a-fA-F_]+)(?P<end>[uUlLn]*)|"
    r"(?P<digits>(?:\d[\d_]*\.?[\d_]*|\.\d+)(?:[eE][+-]?\d+)?)(?P<kind>(?:[fFdD](?![\w])|_?f(?:32|64)|_?[iu](?:8|16|32|64|128|size)|[uUlL]+|n)?)"
)
_QUOTED = re.compile(r'(?:std::)?(r|R|u8|u|L)?("(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|`[^`$\\]*`)', re.DOTALL)
_WORD = re.compile(r"(?:[A-Za-z_$][\w$]*)(?:\s*(?:::|\.)\s*(?:<[^<>()]*>|[A-Za-z_$][\w$]*))*")
_CAST = re.compile(
    r"\(\s*(?:const\s+)?[A-Za-z_][\w:.]*(?:\s*<[\w\s:,.<>?\[\]]*>)?(?:\s*\[\s*\])*[\s*&]*\)\s*(?=[\w\"'({\[.-])"
)
# A type of Go that is followed by its elements or by a value: `[]int{`, `map[string][]int{`, `[]int(`.
_TYPED = re.compile(
    r"(?P<held>(?:\[(?:\d*|\.\.\.)\]|map\[\w+\])+)(?P<item>interface\s*\{\s*\}|struct\s*\{\s*\}|\w+)\s*(?=[{(])"
)
_OUTER_TYPE = re.compile(r"\[[^\]]*\]|map\[\w+\]")
_ESCAPE = re.compile(
    r"\\(u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|x[0-9a-fA-F]{2}|[0-7]{1,3}|\n\s*|.)", re.DOTALL
)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "a": "\a"}
_WORDS = {"true": True, "false": False} | dict.fromkeys(("null", "nullptr", "NULL", "None", "std::nullopt"))
_INSIDE = {  # wrappers of one value, with their value when empty
    "String": "", "string": "", "String.from": "", "String.new": "", "Box.new": None, "Some": None, "Rc.new": None,
    "Optional.of": None, "optional": None, "make_optional": None, "Long.valueOf": None, "Integer.valueOf": None,
    "Array.from": (), "Double.valueOf": None, "long": None, "int": None, "double": None, "float": None,
    "Optional": None,
}  # fmt: skip
_LISTS, _FROM_LIST, _TUPLES, _MAPS, _SETS, _NONE = (  # constructors by what they make of their arguments
    {"Arrays.asList", "List.of", "vector.of", "Array.of"},
    {"ArrayList", "LinkedList", "Vec.from", "Vec.new", "vector", "list", "deque", "array", "VecDeque.from"},
    {"make_tuple", "make_pair", "tuple", "pair", "Pair.with", "Triplet.with", "Map.entry", "Pair", "tuple.tuple"},
    {"map", "unordered_map", "HashMap", "TreeMap", "LinkedHashMap", "HashMap.from", "HashMap.new", "BTreeMap.from",
     "BTreeMap.new"},
    {"Set.of", "HashSet", "TreeSet", "HashSet.from", "HashSet.new", "BTreeSet.from", "set", "unordered_set"},
    {"Optional.empty", "nullopt", "Option.None"},
)  # fmt: skip
_GO_NUMBERS = {"int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64", "byte"}
_GO_FLOATS = {"float32", "float64"}
_IDENTITY_METHODS = ("to_owned", "into", "to_vec", "clone", "as_str", "iter", "collect")
_TO_TEXT = ("to_string", "toString")


class NotLiteral(ValueError):
    """The text is not a literal that this reader knows."""


@dataclass(frozen=True)
class LiteralSyntax:
    """How languages differ in their literals.

    Attributes:
        borrows: `&` before a value is skipped.
        casts: A type in parentheses before a value is skipped.
        has_objects: Braces hold names with values, and `new` makes an object.
        has_tuples: Several values in parentheses are a tuple.
        joins_texts: Adjacent texts are joined.
        has_doubles_only: Every number is a float.
        has_types_first: The type of a list or map stands before its braces, and `nil` is None.
    """

    borrows: bool = False
    casts: bool = True
    has_objects: bool = False
    has_tuples: bool = False
    joins_texts: bool = False
    has_doubles_only: bool = False
    has_types_first: bool = False


_SCRIPT = LiteralSyntax(casts=False, has_objects=True, has_doubles_only=True)
_C = LiteralSyntax(joins_texts=True)
LITERALS = {
    "js": _SCRIPT,
    "ts": _SCRIPT,
    "java": LiteralSyntax(),
    "c": _C,
    "cpp": _C,
    "rust": LiteralSyntax(borrows=True, has_tuples=True),
    "go": LiteralSyntax(casts=False, has_types_first=True),
}


@dataclass
class Reader:
    """Reads a text of one language from the position `at`; `known` are the values of names."""

    text: str
    language: str
    at: int = 0
    known: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._syntax = LITERALS[self.language]

    def blank(self) -> None:
        """Skip spaces and comments."""
        if match := _BLANK.match(self.text, self.at):
            self.at = match.end()

    def has(self, sign: str) -> bool:
        """Return whether a sign is next, and skip it."""
        self.blank()
        is_next = self.text.startswith(sign, self.at)
        self.at += len(sign) * is_next
        return is_next

    def need(self, sign: str) -> None:
        """Skip a sign that must be next."""
        if not self.has(sign):
            raise NotLiteral(f"no {sign!r} at {self.at}")

    def several(self, end: str) -> list[Any]:
        """Read values separated by commas up to a closing sign."""
        values: list[Any] = []
        while not self.has(end):
            values.append(self.value())
            if not self.has(","):
                self.need(end)
                break
        return values

    def value(self) -> Any:
        """Read one value, with its casts and identity methods."""
        self.blank()
        while self._syntax.borrows and self.has("&"):
            if self.text.startswith("mut ", self.at):
                self.at += 4
        if cast := _CAST.match(self.text, self.at) if self._syntax.casts else None:
            self.at = cast.end()
            return self.value()
        return self._after(self._primary())

    def _primary(self) -> Any:
        if self.has("-"):
            number = self.value()
            if isinstance(number, bool) or not isinstance(number, int | float):
                raise NotLiteral("only a number is negative")
            return -number
        if self.has("("):
            return self._bracket()
        if self._syntax.has_types_first and (typed := _TYPED.match(self.text, self.at)):
            self.at = typed.end()
            return self._typed(typed["held"], typed["item"])
        if self.has("["):
            return self._repeated("]")
        if self.has("{"):
            return self._object() if self._syntax.has_objects else self.several("}")
        if quoted := _QUOTED.match(self.text, self.at):
            return self._quoted(quoted)
        if number := _NUMBER.match(self.text, self.at):
            return self._number(number)
        return self._word()

    def _bracket(self) -> Any:
        """One value in parentheses, or a tuple."""
        values = self.several(")")
        if len(values) == 1 and self.text[: self.at].rstrip(") \n")[-1:] != ",":
            return values[0]
        if not self._syntax.has_tuples:
            raise NotLiteral("only Rust has tuples")
        return tuple(values)

    def _repeated(self, end: str) -> list[Any]:
        """A list, or `[value; count]`."""
        start = self.at
        try:
            return self.several(end)
        except NotLiteral:
            self.at = start
            first = self.value()
            self.need(";")
            count = self.value()
            self.need(end)
            if not isinstance(count, int) or not 0 <= count <= MAX_REPEATS:
                raise NotLiteral("the list is too long") from None
            return [first] * count

    def _typed(self, held: str, item: str) -> Any:
        """The elements of a list or map of Go; inner braces need no type."""
        if self.has("("):  # []int(nil)
            if self.several(")") != [None]:
                raise NotLiteral("a conversion of a list")
            return None
        outer = _OUTER_TYPE.match(held)
        self.need("{")
        if outer is None:
            raise NotLiteral(f"the fields of {item}")
        is_map, pairs = outer[0].startswith("map"), list[list[Any]]()
        while not self.has("}"):
            pairs.append([self.value()] if is_map else [])
            if is_map:
                self.need(":")
            pairs[-1].append(self._element(held[outer.end() :], item))
            if not self.has(","):
                self.need("}")
                break
        return mapping(pairs) if is_map else [value for (value,) in pairs]

    def _element(self, held: str, item: str) -> Any:
        self.blank()
        if self.text.startswith("{", self.at):
            return self._typed(held, item)
        value = self.value()
        is_whole = isinstance(value, int) and not isinstance(value, bool)
        return float(value) if is_whole and not held and item in _GO_FLOATS else value

    def _object(self) -> dict[str, Any]:
        """An object of JavaScript."""
        entries: dict[str, Any] = {}
        while not self.has("}"):
            self.blank()
            if quoted := _QUOTED.match(self.text, self.at):
                key = str(self._quoted(quoted))
            elif word := re.compile(r"[\w$]+").match(self.text, self.at):
                key, self.at = word[0], word.end()
            else:
                raise NotLiteral("a key")
            self.need(":")
            entries[key] = self.value()
            if not self.has(","):
                self.need("}")
                break
        return entries

    def _quoted(self, match: re.Match[str]) -> str:
        self.at = match.end()
        body = match[2][1:-1]
        text = body if match[1] in ("r", "R") else _ESCAPE.sub(_unescaped, body)
        self.blank()
        is_joined = self._syntax.joins_texts and match[2][0] == '"'
        if is_joined and (more := _QUOTED.match(self.text, self.at)):
            return text + self._quoted(more)
        return text

    def _number(self, match: re.Match[str]) -> int | float:
        self.at = match.end()
        if match["hex"]:
            return int(match["hex"].replace("_", ""), 16)  # hexadecimals of tests are small
        kind, digits = match["kind"], match["digits"].replace("_", "")
        if kind == "n":
            raise NotLiteral("a BigInt")
        is_float = kind.lower() in ("f", "d", "f32", "f64", "_f32", "_f64") or not digits.isdigit()
        if not self._syntax.has_doubles_only:
            return float(digits) if is_float else int(digits)
        number = float(digits)  # JavaScript has only floats; safe integers are shown as integers
        return int(number) if number.is_integer() and number <= MAX_SAFE_INTEGER else number

    def _word(self) -> Any:
        match = _WORD.match(self.text, self.at)
        if match is None:
            raise NotLiteral(f"unknown text at {self.at}")
        word = re.sub(r"\s+", "", match[0])
        if word == "new":
            self.at = match.end()
            self.blank()
            match = _WORD.match(self.text, self.at)
            if match is None or self._syntax.has_objects:
                raise NotLiteral("an object")
            word = re.sub(r"\s+", "", match[0])
        self.at = match.end()
        if word in _WORDS:
            return _WORDS[word]
        if word == "nil" and self._syntax.has_types_first:
            return None
        if word in self.known:
            return self.known[word]
        return self._construct(_bare(word))

    def _construct(self, name: str) -> Any:
        """The value of a constructor or a macro."""
        if name == "vec" and self.has("!"):
            self.need("[")
            return self._repeated("]")
        self._types()
        if self.has("[]"):  # new int[]{1, 2}
            while self.has("[]"):
                pass
            self.need("{")
            return self.several("}")
        if name in _NONE:
            self.has("()")
            return None
        if self.has("{"):
            arguments = [self.several("}")] if name in _FROM_LIST | _MAPS | _SETS else self.several("}")
        else:
            self.need("(")
            arguments = self.several(")")
        if self._syntax.has_types_first:
            return _converted(name, _only(arguments, None))
        return construct(name, arguments)

    def _types(self) -> None:
        """Skip type arguments: `<Long, List<Long>>`, `::<i32>`."""
        self.has("::")
        if not self.has("<"):
            return
        depth = 1
        while depth and self.at < len(self.text):
            depth += {"<": 1, ">": -1}.get(self.text[self.at], 0)
            self.at += 1
        if self.has("::"):  # Vec::<i32>::new
            self.has("new")

    def _after(self, value: Any) -> Any:
        """Skip methods that return the value itself or its text."""
        while match := re.compile(r"\s*\.\s*(\w+)\s*(?:::\s*<[^()]*>)?\s*\(\s*\)").match(self.text, self.at):
            if match[1] not in (*_IDENTITY_METHODS, *_TO_TEXT):
                raise NotLiteral(f"a call of {match[1]}")
            self.at = match.end()
            if match[1] in _TO_TEXT and not isinstance(value, str):
                value = str(value)
        self.blank()
        if self.text.startswith(("+", "*", "/", "%", ".", "?", "[", "-"), self.at):
            raise NotLiteral("more than a literal")
        return value


def _converted(name: str, value: Any) -> int | float | str:
    """Return a value as a basic type of Go; a letter is no number here."""
    if name == "string" and isinstance(value, str):
        return value
    if name not in _GO_NUMBERS | _GO_FLOATS or isinstance(value, bool) or not isinstance(value, int | float):
        raise NotLiteral(f"a call of {name}")
    if name in _GO_FLOATS:
        return float(value)
    if value != int(value):
        raise NotLiteral(f"{value} as {name}")
    return int(value)


def construct(name: str, arguments: list[Any]) -> Any:
    """Return the value of a constructor; NotLiteral if its name is unknown."""
    if name in _LISTS:
        return arguments
    if name in _TUPLES:
        return tuple(arguments)
    if name in ("Map.of", "Map.ofEntries"):
        pairs = arguments if name == "Map.ofEntries" else list(zip(arguments[::2], arguments[1::2], strict=True))
        return mapping(pairs)
    if name in _SETS:
        items = arguments if name == "Set.of" else _only(arguments, [])
        return _hashed(lambda: set(items))
    if name in _MAPS:
        held = _only(arguments, [])
        return held if isinstance(held, dict) else mapping(held)
    if name in _FROM_LIST:
        return list(_only(arguments, []))
    if name in _INSIDE:
        return _only(arguments, _INSIDE[name])
    raise NotLiteral(f"a call of {name}")


def mapping(pairs: Any) -> dict[Any, Any]:
    """Make a dict of pairs."""
    if not isinstance(pairs, list) or not all(isinstance(pair, list | tuple) and len(pair) == 2 for pair in pairs):
        raise NotLiteral("a map of pairs")
    entries: dict[Any, Any] = _hashed(lambda: dict(pairs))
    return entries


def spelled(value: Any) -> str:
    """Return a value as canonical text."""
    text = canonical(repr(value))
    if isinstance(text, Malformed):
        raise NotLiteral(f"{value!r} has no canonical text")
    return text


def _only(arguments: list[Any], otherwise: Any) -> Any:
    if len(arguments) > 1:
        raise NotLiteral("several values in place of one")
    return arguments[0] if arguments else otherwise


def _hashed(make: Callable[[], Any]) -> Any:
    try:
        return make()
    except TypeError:
        raise NotLiteral("a key that cannot be hashed") from None


def _bare(word: str) -> str:
    """`std::collections::HashMap::from` as `HashMap.from`: the last two names."""
    parts = [part for part in re.split(r"::|\.", re.sub(r"<[^<>]*>", "", word)) if part]
    if parts[0] in ("std", "java") or len(parts) > 2:
        parts = parts[1:] if len(parts) <= 3 else parts[-2:]
    while len(parts) > 2 or (len(parts) == 2 and parts[0] in ("std", "collections", "util")):
        parts = parts[1:]
    return ".".join(parts)


def _unescaped(match: re.Match[str]) -> str:
    word = match[1]
    if word[0] in "uU" and len(word) > 1:
        return chr(int(word[1:].strip("{}"), 16))
    if word[0] == "x" and len(word) > 1:
        return chr(int(word[1:], 16))
    if word.isdigit():
        return chr(int(word, 8))
    return "" if word[0] == "\n" else _ESCAPED.get(word, word)

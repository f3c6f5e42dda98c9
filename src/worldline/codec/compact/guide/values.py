"""The grammar of canonical values (docs/reference/format.md, section 1) as one automaton with a stack, byte by byte.

It corresponds to `core.grammar` for whole texts. Not checked: the order of a set's elements, what labels and
references refer to, whether floats are the shortest spelling, and depth.
"""

from __future__ import annotations

from functools import cache, partial

from worldline.codec.compact.guide.nodes import (
    DIGITS,
    DONE,
    HEX,
    LETTERS,
    Node,
    Tree,
    beyond_ascii,
    chain,
    later,
    spell,
)
from worldline.codec.compact.guide.numbers import NumberAutomaton, nan_bits
from worldline.core.spelling import RESERVED, WORDS

_STR_ESCAPES: Tree = {
    "\\nrt": None,
    "x": {"0": {"012345678bcef": None}, "189": {HEX: None}, "7": {"f": None}, "a": {"0d": None}},
    "u": {
        "0": {"3": {"4": {"f": None}}, "6": {"1": {"c": None}}},
        "1": {"6": {"8": {"0": None}}, "8": {"0": {"e": None}}},
        "2": {"0": {"06": {HEX: None}, "2": {"89abcdef": None}, "5": {"f": None}}},
        "3": {"0": {"0": {"0": None}}},
        "d": {"89abcdef": {HEX: {HEX: None}}},
        "f": {"e": {"f": {"f": None}}, "f": {"f": {"9ab": None}}},
    },
    "U": {"0": {"0": {"0": {"e": {"0": {"0": {"01234567": {HEX: None}}}}}}}},
}
_BYTES_ESCAPES: Tree = {"\\nrt": None, "x": {"0": {"012345678bcef": None}, "189abcdef": {HEX: None}, "7": {"f": None}}}
_PLAIN = frozenset(range(0x20, 0x7F)) - frozenset(b"'\"\\")


class ValueAutomaton:
    """The nodes of the grammar.

    `value` reads one value; `path` and `gone` read what follows a name in an edit; `name` reads any name, `maybe` a
    name or nothing, `text` a str.
    """

    def __init__(self) -> None:
        self._numbers = NumberAutomaton()
        self.value = later(partial(self._start, self._numbers))
        self._argument = later(partial(self._start, self._numbers, equals=True))
        self._exception, self._object, self._fields = Node(), Node(), Node()
        self._words = self._called()
        self._close_classes()
        self.path, self.gone = later(self._path), later(partial(self._path, deletes=True))
        self.name, self.maybe = later(self._names), later(self._names, final=True)
        self.text = Node()
        quoted(self.text, DONE)

    def _start(self, numbers: NumberAutomaton, *, equals: bool = False) -> Node:
        """What a value starts with. With `equals`, a name may turn out to be that of a field."""
        words, start = self._words, Node()
        start.edges.update(numbers.start.edges)
        start.on(b"[", self._sequence(b"]"))
        start.on(b"(", self._tuple())
        start.on(b"{", self._brace())
        start.on(b"<", self._opaque())
        start.on(b"#", self._label(words))
        start.on(b".", chain(b"..<", _name_then(_count_then(b" ", b">"))))
        self._classes(start, words, equals=equals)
        return start

    def _classes(self, start: Node, words: dict[str, Node], *, equals: bool) -> None:
        """Names of classes, reserved words, and strings, which may be names too."""
        name, text = Node(), Node(final=True)
        _identifier(start, name)
        for node in (name, text):
            node.on(b"(", self._exception)
            node.on(b"#", self._number())
            node.on(b".", self._member())
            if equals:
                node.on(b"=", self.value, push=self._fields, drop=True)
        _continue(name, name)
        quoted(start, text)
        self._reserve(start, name, words, equals=equals)

    def _reserve(self, start: Node, name: Node, words: dict[str, Node], *, equals: bool) -> None:
        """The reserved words, and `b` before quotes: prefixes of them are still names."""
        for word in (*RESERVED, "b"):
            node = start
            for byte in word.encode():
                target = node.edges[byte][0]
                if target is name:
                    target = Node()
                    target.edges.update(name.edges)
                    node.on([byte], target)
                node = target
            if word == "b":
                _bytes(node, DONE)
                continue
            node.edges.pop(ord("."))
            node.edges.pop(ord("("))
            if word in WORDS or word in ("inf", "nan"):
                node.edges.pop(ord("#"))
                node.final = True
            if word in ("None", "True", "False") and equals:
                node.edges.pop(ord("="))
            if word in words:
                node.on(b"(", words[word])

    def _called(self) -> dict[str, Node]:
        close = chain(b")", DONE)
        real, whole, step = (
            NumberAutomaton(ints=False),
            NumberAutomaton(floats=False),
            NumberAutomaton(floats=False, units=False),
        )
        for node in (real.start, real.start.edges[ord("-")][0]):
            node.on(b"i", chain(b"nf", DONE))
        nan = Node(final=True)
        nan.on(b"(", nan_bits(DONE))
        real.start.on(b"n", spell({"a": {"n": None}}, nan))
        three = Node()
        three.on(b")", DONE)
        three.on(b",", chain(b" ", _entering(step.start, close)))
        data = Node()
        literal = Node()
        _bytes(literal, DONE)
        data.on(b"b", literal, push=close)
        return {
            "set": close,
            "frozenset": self._frozenset(),
            "bytearray": data,
            "deque": chain(b"[", self._deque()),
            "slice": self._entered(_separate(self._entered(_separate(self._entered(close))))),
            "complex": _entering(real.start, _separate(_entering(real.start, close))),
            "range": _entering(whole.start, _separate(_entering(whole.start, three))),
            "nan": nan_bits(DONE),
        }

    def _entered(self, then: Node, node: Node | None = None) -> Node:
        """A node that reads a value and continues at `then`."""
        node = node or Node()
        node.enter(self.value, then)
        return node

    def _sequence(self, close: bytes) -> Node:
        first, after = Node(), Node()
        after.on(b",", chain(b" ", self._entered(after)))
        for node in (first, after):
            node.on(close, DONE)
        return self._entered(after, first)

    def _tuple(self) -> Node:
        first, single, comma, after = Node(), Node(), Node(), Node()
        first.on(b")", DONE)
        single.on(b",", comma)
        comma.on(b")", DONE)
        comma.on(b" ", more := self._entered(after))
        after.on(b",", chain(b" ", more))
        after.on(b")", DONE)
        return self._entered(single, first)

    def _brace(self) -> Node:
        first, single, pair, element, colon = Node(), Node(), Node(), Node(), Node()
        value = self._entered(pair)
        colon.on(b":", chain(b" ", value))
        single.on(b":", chain(b" ", value))
        more = self._entered(element)
        for node in (single, element):
            node.on(b",", chain(b" ", more))
        pair.on(b",", chain(b" ", self._entered(colon)))
        for node in (first, single, pair, element):
            node.on(b"}", DONE)
        return self._entered(single, first)

    def _frozenset(self) -> Node:
        first, after = Node(), Node()
        first.on(b")", DONE)
        first.on(b"{", more := self._entered(after))
        after.on(b",", chain(b" ", more))
        after.on(b"}", chain(b")", DONE))
        return first

    def _deque(self) -> Node:
        first, after, end = Node(), Node(), Node()
        end.on(b")", DONE)
        end.on(b",", _count_then(b" maxlen=", b")"))
        after.on(b",", chain(b" ", self._entered(after)))
        for node in (first, after):
            node.on(b"]", end)
        return self._entered(after, first)

    def _label(self, words: dict[str, Node]) -> Node:
        """A number, then a mutable container or, for a reference, nothing."""
        return _positive(self._mutable(words))

    def _mutable(self, words: dict[str, Node]) -> Node:
        node = Node(final=True)
        node.on(b"[", self._sequence(b"]"))
        node.on(b"{", self._brace())
        for word in ("set", "bytearray", "deque"):
            node.on(word[:1].encode(), chain(word[1:].encode() + b"(", words[word]))
        return node

    def _number(self) -> Node:
        """The number of an object: a reference, or the object itself."""
        node = Node(final=True)
        node.on(b"(", self._object)
        return _positive(node)

    def _member(self) -> Node:
        """After the dot of a name: the member of an enum, or more of a class name."""
        start, name, member, flag = Node(), Node(final=True), Node(), Node()
        parts = [name]
        for node, then in ((start, name), (member, Node(final=True)), (flag, Node(final=True))):
            _identifier(node, then)
            quoted(node, text := Node(final=True))
            _continue(then, then)
            parts += [then, text]
        name.on(b"(", self._exception)
        name.on(b"#", self._number())
        for part in parts:
            part.on(b"|", flag)
        # The parts before a flag.
        for part in parts[:5]:
            part.on(b".", start if part is name else member)
        return start

    def _opaque(self) -> Node:
        after, close = Node(), chain(b">", DONE)
        after.on(b">", DONE)
        after.on(b" ", second := Node())
        _name(second, close)
        inner = Node()
        inner.on(b">", close)
        angle, rest = Node(), inner
        _continue(rest, rest)
        _identifier(angle, rest)
        second.on(b"<", angle)
        second.on(b"?", close)
        return _name_then(after)

    def _close_classes(self) -> None:
        """Inside the parentheses of exceptions and objects: values, then fields."""
        positional, field = Node(), Node()
        self._exception.enter(self._argument, positional)
        self._object.enter(self._argument, self._fields)
        more = Node()
        more.enter(self._argument, positional)
        positional.on(b",", chain(b" ", more))
        equals = Node()
        equals.on(b"=", self.value)
        start = Node()
        _part(start, equals)
        field.enter(start, self._fields)
        self._fields.on(b",", chain(b" ", field))
        for node in (self._exception, self._object, positional, self._fields):
            node.on(b")", DONE)

    def _path(self, *, deletes: bool = False) -> Node:
        """A path and an operand, or for a deletion the path alone."""
        more, colon, close = Node(final=deletes), Node(), Node()
        key = self._start(self._numbers if deletes else NumberAutomaton(colon=colon))
        close.on(b"]", more)
        colon.edges.update(_natural(chain(b"]=", self.value), 9).edges)
        opened, field = Node(), Node(final=deletes)
        opened.enter(key, close)
        _identifier(field, ident := Node(final=deletes))
        first = Node()
        for node in (first, more, field, ident):
            node.on(b"[", opened)
            node.on(b".", field)
            if not deletes:
                node.on(b"=", self.value)
                for sign in (b"+", b"-"):
                    node.on(sign, chain(b"=", self.value))
        _continue(ident, ident)
        if not deletes:
            first.edges.pop(ord("="))
        return first

    def _names(self) -> Node:
        """Any name of a frame: an identifier, a dot and digits, or a str."""
        start, name = Node(), Node(final=True)
        _identifier(start, name)
        _continue(name, name)
        digits = Node(final=True)
        digits.on(DIGITS, digits)
        start.on(b".", dot := Node())
        dot.on(DIGITS, digits)
        quoted(start, DONE)
        return start


@cache
def values() -> ValueAutomaton:
    """Return the automaton. It does not depend on a program, so there is one."""
    return ValueAutomaton()


def quoted(node: Node, end: Node, *, escapes: Tree = _STR_ESCAPES, wide: bool = True) -> None:
    """Add a canonical str or bytes literal: single-quoted unless it has ' and no double quote."""

    def fill(body: Node) -> None:
        body.on(_PLAIN, body)
        body.on(b"\\", escape := Node(partial(spell, escapes, body)))
        if body in after_quote:
            body.on(b'"', mixed)
            escape.on(b"'", after_quote[body])
        if wide:
            beyond_ascii(body, body)

    single, mixed, escaped, double, closed = (Node(fill) for _ in range(5))
    after_quote = {single: escaped, mixed: mixed, escaped: escaped}
    node.on(b"'", single)
    node.on(b'"', double)
    for body in (single, mixed):
        body.on(b"'", end)
    for body in (double, closed):
        body.on(b"'", closed)
    closed.on(b'"', end)


def _bytes(node: Node, end: Node) -> None:
    quoted(node, end, escapes=_BYTES_ESCAPES, wide=False)


def bytes_literal() -> Node:
    """Return a node that reads a canonical bytes literal."""
    node, start = Node(), Node()
    _bytes(node, DONE)
    start.on(b"b", node)
    return start


def counted_bytes(size: int) -> Node:
    """Return a node that reads the quoted part of a canonical bytes literal of exactly `size` bytes."""

    @cache
    def body(mode: str, left: int) -> Node:
        return Node(partial(fill, mode, left))

    def fill(mode: str, left: int, node: Node) -> None:
        if not left:
            if mode in ("single", "mixed", "closed"):
                node.on(b'"' if mode == "closed" else b"'", DONE)
            return
        # Two modes still need one more byte.
        if left > 1 or mode not in ("double", "escaped"):
            node.on(_PLAIN, body(mode, left - 1))
            node.on(b"\\", escape := spell(_BYTES_ESCAPES, body(mode, left - 1)))
            if mode == "mixed" or (left > 1 and mode in ("single", "escaped")):
                escape.on(b"'", body("mixed" if mode == "mixed" else "escaped", left - 1))
        if mode in ("double", "closed"):
            node.on(b"'", body("closed", left - 1))
        else:
            node.on(b'"', body("mixed", left - 1))

    start = Node()
    start.on(b"'", body("single", size))
    if size:
        start.on(b'"', body("double", size))
    return start


def _entering(start: Node, then: Node) -> Node:
    node = Node()
    node.enter(start, then)
    return node


def _separate(then: Node) -> Node:
    return chain(b", ", then)


def _identifier(node: Node, rest: Node) -> None:
    node.on(LETTERS, rest)
    beyond_ascii(node, rest)


def _continue(node: Node, rest: Node) -> None:
    node.on(LETTERS | DIGITS, rest)
    beyond_ascii(node, rest)


def _part(node: Node, then: Node) -> None:
    """An identifier or a str, then what `then` reads."""
    name = Node()
    name.edges.update(then.edges)
    _identifier(node, name)
    _continue(name, name)
    quoted(node, then)


def _name(node: Node, then: Node) -> None:
    """A class name, dotted or not, then what `then` reads."""
    name, text, dotted = Node(), Node(), Node()
    _identifier(node, name)
    quoted(node, text)
    _identifier(dotted, name)
    for part in (name, text):
        part.edges.update(then.edges)
        part.on(b".", dotted)
    _continue(name, name)


def _name_then(then: Node) -> Node:
    node = Node()
    _name(node, then)
    return node


def _positive(then: Node) -> Node:
    """A number from 1 on; `then` may end or continue after it."""
    return _digits(then, 19)


def _digits(then: Node, limit: int) -> Node:
    node: Node | None = None
    for _ in range(limit):
        before = Node(final=then.final)
        before.edges.update(then.edges)
        if node is not None:
            before.on(DIGITS, node)
        node = before
    start = Node()
    assert node is not None
    start.on(DIGITS - {0x30}, node)
    return start


def _natural(then: Node, limit: int) -> Node:
    start = _digits(then, limit)
    zero = Node(final=then.final)
    zero.edges.update(then.edges)
    start.on(b"0", zero)
    return start


def _count_then(before: bytes, after: bytes) -> Node:
    return chain(before, _natural(chain(after, DONE), 19))

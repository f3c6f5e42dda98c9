"""Whether a value as Meta's format shows it matches a true value: everything that its repr says, and nothing else.

A repr says less than a canonical value: no sharing, no object numbers, of most objects only the class, of an
exception neither cause nor context. What it does say must match. The repr of a class that defines its own is not in
a recording: such an object may be spelled in any way. Recursion is only into sets; the work is bounded by what was
written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

from worldline.codec.cwm.reprs import OwnReprs, own_reprs
from worldline.codec.cwm.text import UNCHANGED
from worldline.core.language import LANGUAGES
from worldline.core.node import text
from worldline.core.value import Malformed, Value, canonical, equal, parse, unquote

NodePair = tuple[Value, Value, frozenset[int]]
"""A true node, the node that is compared with it, and the numbers of the nodes around it."""
# Types whose repr has another name.
ALIASES = {"compile": "Pattern", "namespace": "SimpleNamespace"}
# The fields that a library class shows without their names, in its order.
ARGUMENTS = {"Fraction": ("_numerator", "_denominator")}
ITERATORS = frozenset({"<zip>", "<map>", "<filter>", "<enumerate>", "<reversed>"})
_BRACKETS = {"list": ("[", "]"), "tuple": ("(", ")"), "dict": ("{", "}")}
_SEQUENCES = ("list", "tuple", "deque", "slice")
_SPELLED_OTHERWISE = ("ref", "cut", "set", "frozenset", "complex", "enum", "deque", "slice")
_LIBRARY = ("date", "datetime", "time", "timedelta")
_OPENING = "(<class '"
_TRIPLE = re.compile(r"\(<class '([\w.<>]*)('(?:>(?:, ?)?)?)?(.*)", re.DOTALL)
# Elements of sets that are compared pairwise, in one value.
_MAX_COMPARISONS = 1024
_MAX_NESTED_SETS = 16
_PART = re.compile(
    r"""\s*+(?:(?P<text>(?P<prefix>[bB]?)(?P<quote>['"])(?P<body>(?:(?!(?P=quote))[^\\]|\\.)*+)(?P<closed>(?P=quote))?+"""
    r"""(?:\\\Z)?+)|(?P<word>[\w.+-]+)|(?P<mark>\S))""",
    re.DOTALL,
)
_HALF = re.compile(r"\\(?:x[0-9a-fA-F]?|u[0-9a-fA-F]{0,3}|U[0-9a-fA-F]{0,7})\Z")
# Stands for what a repr does not determine.
_UNKNOWN = "\0"


@dataclass
class ReprEquality:
    """Compares values of one program and remembers the results.

    Only Python has tracers with their own spelling of values: values of other languages are canonical.
    """

    source: str
    language: str = "python"
    _known: dict[tuple[str, str], bool] = field(default_factory=dict)

    @property
    def is_traced(self) -> bool:
        """Whether a text may come from a Python tracer, whose values and steps differ from a recording."""
        return LANGUAGES[self.language].runs_in_interpreter

    def holds(self, wanted: str, got: str) -> bool:
        """Whether `got`, respelled, shows the canonical value `wanted`."""
        if wanted == got:
            return True
        if (wanted, got) not in self._known:
            self._known[wanted, got] = equal(wanted, got) or (self.is_traced and self._shows(wanted, got))
        return self._known[wanted, got]

    def may_begin(self, wanted: str, got: str, *, raised: bool = False) -> bool:
        """Whether `got` may be the beginning of a text that shows `wanted`, as far as is known."""
        triple = _TRIPLE.match(got) if raised else None
        # The class comes first; the name of a module may precede it.
        if triple is not None:
            if not triple[2] or not wanted.startswith(_last(triple[1]) + "("):
                return not triple[2]
            got = triple[3]
        elif raised and _OPENING.startswith(got):
            return True
        if UNCHANGED.startswith(got) or wanted.startswith(got):
            return True
        if not self.is_traced:
            return _may_begin(got, wanted)
        true = parse(wanted)
        return isinstance(true, Malformed) or _may_begin(got, _Comparison(true, own_reprs(self.source)).certain_text())

    def _shows(self, wanted: str, got: str) -> bool:
        # Most values that differ are plain.
        if wanted.isalnum():
            return False
        true = parse(wanted)
        if isinstance(true, Malformed):
            return False
        comparison = _Comparison(true, own_reprs(self.source))
        spelled = canonical(got)
        if isinstance(spelled, Malformed):
            return comparison.fits(got)
        shown = parse(spelled)
        if isinstance(shown, Malformed):
            return False
        return comparison.alike([(true, shown, frozenset())]) or (comparison.is_partly_unknown and comparison.fits(got))


class _Comparison:
    """One true value, and its containers and objects by number."""

    def __init__(self, true: Value, reprs: OwnReprs) -> None:
        self.true, self.reprs = true, reprs
        self.labels: dict[int, Value] = {}
        self.objects: dict[int, Value] = {}
        self.is_partly_unknown = self.is_unfinished = False
        self.tried = self.nested = 0
        for node in _nodes(true):
            if node.label:
                self.labels.setdefault(node.label, node)
            if node.kind == "object":
                self.objects.setdefault(node.number, node)
            self.is_partly_unknown = self.is_partly_unknown or self._is_own(node)

    def _is_own(self, node: Value) -> bool:
        name = node.atom.partition(".")[0] if node.kind == "enum" else node.atom
        return node.kind in ("object", "exception", "enum") and name in self.reprs.own

    def alike(self, pending: list[NodePair]) -> bool:
        """Whether all pairs match."""
        while pending:
            true, shown, around = pending.pop()
            parts = self._parts(true, shown, around)
            if parts is None:
                return False
            pending.extend(parts)
        return True

    def _parts(self, true: Value, shown: Value, around: frozenset[int]) -> Sequence[NodePair] | None:
        """The pairs that must match for this pair to match, or None if it cannot."""
        if true.kind == "ref":
            name, _, number = true.atom.rpartition("#")
            known = (self.objects if name else self.labels).get(int(number))
            if known is None or int(number) in around:
                return () if _is_dots(shown) or (name and _class(shown) == _last(name)) else None
            true = known
        if true.label or true.number:
            around = around | {true.label or true.number}
        if self._is_own(true) or true.kind == "cut":
            return () if self._is_own(true) or _is_cut(true, shown) else None
        if true.kind == "object":
            return self._object(true, shown, around)
        if true.kind == "opaque":
            return () if _opaque(true.atom, shown) else None
        if true.kind == "exception":
            return self._exception(true, shown, around)
        if true.kind != shown.kind or (true.kind == "deque" and true.atom != shown.atom):
            return None
        if true.kind in ("dict", "set", "frozenset", *_SEQUENCES):
            return self._container(true, shown, around)
        return () if text(true) == text(shown) else None

    def _container(self, true: Value, shown: Value, around: frozenset[int]) -> Sequence[NodePair] | None:
        if len(true.items) != len(shown.items):
            return None
        if true.kind == "dict":
            return _entries(true, shown, around)
        if true.kind in _SEQUENCES:
            return _zip_nodes(true.items, shown.items, around)
        return () if self._set(true, shown, around) else None

    def _set(self, true: Value, shown: Value, around: frozenset[int]) -> bool:
        """Match elements in any order: those with equal text first, then each with the first that fits."""
        left = {text(item): item for item in shown.items}
        rest = [item for item in true.items if left.pop(text(item), None) is None]
        self.nested += 1
        for item in rest:
            partner = next((key for key, candidate in left.items() if self._try(item, candidate, around)), None)
            if partner is None:
                return False
            del left[partner]
        self.nested -= 1
        return True

    def _try(self, true: Value, shown: Value, around: frozenset[int]) -> bool:
        self.tried += 1
        is_worth = self.tried <= _MAX_COMPARISONS and self.nested <= _MAX_NESTED_SETS
        return is_worth and self.alike([(true, shown, around)])

    def _exception(self, true: Value, shown: Value, around: frozenset[int]) -> Sequence[NodePair] | None:
        if shown.kind == "opaque" and _class(shown) == true.atom:
            return ()
        if shown.kind != "exception" or _last(shown.atom) != true.atom or len(true.items) != len(shown.items):
            return None
        fields = _fields(true, shown, around)
        return None if fields is None else [*_zip_nodes(true.items, shown.items, around), *fields]

    def _object(self, true: Value, shown: Value, around: frozenset[int]) -> Sequence[NodePair] | None:
        """Match by class alone, by a repr that looks like a call, or by the builtin value of the object."""
        is_known = true.atom in self.reprs.classes
        if shown.kind == "opaque":
            return () if _class(shown) == true.atom else None
        if shown.kind != "exception":
            return [(true.items[0], shown, around)] if true.items else None
        if _class(shown) != true.atom:
            return None
        if true.items:
            parts = _of_base(true.items[0], shown, around)
        elif shown.fields:
            parts = _fields(true, shown, around)
        else:
            parts = _positional(true, shown, around) if is_known or true.atom in ARGUMENTS else None
        return parts if parts is not None or is_known else ()

    # ---- text that is not a value, because it holds the repr of a class that defines its own

    def fits(self, got: str) -> bool:
        """Whether a text is this value with anything in place of what is unknown."""
        fixed = "".join(self._written()).split(_UNKNOWN)
        if len(fixed) == 1:
            return False
        at = len(fixed[0])
        if not got.startswith(fixed[0]) or not got.endswith(fixed[-1]) or at + len(fixed[-1]) > len(got):
            return False
        for piece in fixed[1:-1]:
            at = got.find(piece, at, len(got) - len(fixed[-1]))
            if at < 0:
                return False
            at += len(piece)
        return True

    def certain_text(self) -> str:
        """The repr, with NUL for everything that is not the same in every repr."""
        self.is_unfinished = True
        return "".join(self._written())

    def _written(self) -> Iterator[str]:
        """The value as a repr writes it, with NUL for what is unknown."""
        waiting: list[Value | str] = [self.true]
        while waiting:
            node = waiting.pop()
            if isinstance(node, str):
                yield node
            else:
                waiting.extend(reversed(list(self._spelled(node))))

    def _spelled(self, node: Value) -> Iterator[Value | str]:
        if self._is_own(node) or self._is_open(node):
            yield _UNKNOWN
        elif node.kind == "object":
            yield f"<{node.atom}>"
        elif node.kind == "str":
            yield repr(unquote(node.atom))
        elif node.kind == "exception":
            yield from _listed(node, f"{node.atom}(", ")")
        elif node.kind in ("list", "tuple", "dict"):
            opening, closing = _BRACKETS[node.kind]
            yield from _listed(node, opening, ",)" if node.kind == "tuple" and len(node.items) == 1 else closing)
        else:
            yield text(node)

    def _is_open(self, node: Value) -> bool:
        """Whether a repr may contain something unknown here or, for an unfinished value, in an unknown order."""
        is_loose = self.is_partly_unknown or self.is_unfinished
        if node.kind == "object":
            return is_loose or node.atom not in self.reprs.classes
        if node.kind == "opaque":
            return self.is_unfinished or not _is_fully_shown(node.atom)
        is_hex = node.atom.lstrip("-").startswith("0x")
        return (is_loose and node.kind in _SPELLED_OTHERWISE) or (
            self.is_unfinished and (is_hex or node.atom in _LIBRARY)
        )


def _listed(node: Value, opening: str, closing: str) -> Iterator[Value | str]:
    yield opening
    for i, item in enumerate(node.items):
        yield ": " if node.kind == "dict" and i % 2 else ", " if i else ""
        yield item
    yield closing


def _nodes(value: Value) -> Iterator[Value]:
    waiting = [value]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += node.items
        waiting += (item for _, item in node.fields)


def _zip_nodes(true: Sequence[Value], shown: Sequence[Value], around: frozenset[int]) -> list[NodePair]:
    return [(a, b, around) for a, b in zip(true, shown, strict=True)]


def _entries(true: Value, shown: Value, around: frozenset[int]) -> list[NodePair] | None:
    """Pair the entries of two dicts by the texts of their keys; the others in their order."""
    left = {text(key): (key, value) for key, value in zip(shown.items[::2], shown.items[1::2], strict=True)}
    pairs, rest = list[NodePair](), list[tuple[Value, Value]]()
    for key, value in zip(true.items[::2], true.items[1::2], strict=True):
        partner = left.pop(text(key), None)
        if partner is None:
            rest.append((key, value))
        else:
            pairs.append((value, partner[1], around))
    # A key was written twice.
    if len(rest) != len(left):
        return None
    for entry, other in zip(rest, left.values(), strict=True):
        pairs += _zip_nodes(entry, other, around)
    return pairs


def _fields(true: Value, shown: Value, around: frozenset[int]) -> list[NodePair] | None:
    """Pair the written fields with the true ones, or return None if a field does not exist."""
    known = dict(true.fields)
    if any(name not in known for name, _ in shown.fields):
        return None
    return [(known[name], value, around) for name, value in shown.fields]


def _positional(true: Value, shown: Value, around: frozenset[int]) -> list[NodePair] | None:
    """Pair the arguments of a call with the fields, in the order of the class or of the fields."""
    known = dict(true.fields)
    names = ARGUMENTS.get(true.atom, tuple(known))
    if len(names) != len(shown.items) or not known.keys() >= set(names):
        return None
    return _zip_nodes([known[name] for name in names], shown.items, around)


def _of_base(base: Value, other: Value, around: frozenset[int]) -> list[NodePair] | None:
    """Pair a builtin value with the call that writes it: the fields of a named tuple, or the last argument."""
    if base.kind == "tuple" and other.fields and not other.items:
        values = [value for _, value in other.fields]
        return _zip_nodes(base.items, values, around) if len(values) == len(base.items) else None
    if not other.items:
        return None if base.items else []
    shown = other.items[-1]
    if base.kind == "dict" and shown.kind == "list":  # an OrderedDict, before 3.12
        flat = [part for item in shown.items for part in item.items]
        return _zip_nodes(base.items, flat, around) if len(flat) == len(base.items) else None
    return [(base, shown, around)]


def _opaque(wanted: str, shown: Value) -> bool:
    """Whether a value without structure is shown: by its kind and name, or by a call of its type."""
    kind = wanted[1:-1]
    if shown.kind == "opaque":
        if _is_fully_shown(wanted):
            return wanted == shown.atom or (wanted, shown.atom) == ("<str_ascii_iterator>", "<str_iterator>")
        return shown.atom[1:-1].partition(" ")[0] == kind
    return shown.kind == "exception" and _class(shown) == kind


def _is_fully_shown(opaque: str) -> bool:
    """Whether a repr shows only the kind and name of such a value; for library types it may show more."""
    return " " in opaque or opaque.endswith("iterator>") or opaque in ITERATORS


def _class(node: Value) -> str:
    """The class that a node names."""
    if node.kind == "opaque":
        return node.atom[1:-1]
    name = _last(node.atom)
    return ALIASES.get(name, name) if node.kind in ("exception", "object") else ""


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _is_dots(node: Value) -> bool:
    """`...`, `[...]` or `{...}`: what a repr writes for a value inside itself."""
    inner = node.items[0] if node.kind in ("list", "set") and len(node.items) == 1 else node
    return text(inner) == "Ellipsis"


def _is_cut(true: Value, shown: Value) -> bool:
    """Whether a value may be the one of which the recording has only the kind and the length."""
    kind, _, count = text(true)[4:-1].rpartition(" ")
    if shown.kind in ("object", "exception", "opaque"):
        return _class(shown) == kind
    size = len(unquote(shown.atom)) if shown.kind == "str" else len(shown.items) // (2 if kind == "dict" else 1)
    return shown.kind == kind and (kind in ("int", "bytes", "bytearray") or size == int(count))


# ---- unfinished values


def _may_begin(written: str, true: str) -> bool:
    """Whether `written` is a beginning of `true`, a repr with NUL from where on nothing is known.

    Literals are compared one by one, so that quotes, blanks and escapes may be spelled differently.
    """
    known, mark, _ = true.partition(_UNKNOWN)
    got = list(_PART.finditer(written))
    for i, (expected, actual) in enumerate(zip_longest(_PART.finditer(known), got)):
        if actual is None or expected is None:
            return actual is None or bool(mark)
        if not _literals_match(expected, actual, i == len(got) - 1):
            return False
    return True


def _literals_match(expected: re.Match[str], actual: re.Match[str], is_last: bool) -> bool:
    true, got = expected[0].strip(), actual[0].strip()
    if expected["text"] is None or actual["text"] is None:
        return true == got or (is_last and true.startswith(got)) or equal(true, got)
    if expected["prefix"] != actual["prefix"].lower():
        return False
    if is_last and actual["closed"] is None:
        body = _HALF.sub("", actual["body"])
        return _content(expected["quote"], expected["body"]).startswith(_content(actual["quote"], body))
    return _content(expected["quote"], expected["body"]) == _content(actual["quote"], actual["body"])


def _content(quote: str, body: str) -> str:
    """The content of a literal; with an invalid escape, its characters."""
    try:
        return unquote(quote + body + quote)
    except ValueError:
        return body

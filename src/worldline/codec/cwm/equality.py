"""Whether a value as Meta's format shows it is a true one's: all that its repr tells is compared, and nothing else.

A repr tells less than a canonical value: no sharing, no number of an object, of most objects the class alone, of an
exception neither cause nor context. What it does tell must be so. The repr of a class that has one of its own is not in
a recording: such an object may be spelled in any way. No recursion but into sets; work is bounded by what was written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from worldline.codec.cwm.beginning import UNTOLD, may_begin
from worldline.codec.cwm.own_reprs import OwnReprs, own_reprs
from worldline.codec.cwm.text import UNCHANGED
from worldline.core.language import LANGUAGES
from worldline.core.node import text
from worldline.core.value import Malformed, Value, canonical, equal, parse, unquote

NodePair = tuple[
    Value, Value, frozenset[int]
]  # a true node, the one beside it, the numbers of those around it
# What a repr calls another type than `type` does.
ALIASES = {"compile": "Pattern", "namespace": "SimpleNamespace"}
# The fields that a class of the library shows without their names, in its order.
ARGUMENTS = {"Fraction": ("_numerator", "_denominator")}
ITERATORS = frozenset({"<zip>", "<map>", "<filter>", "<enumerate>", "<reversed>"})
_BRACKETS = {"list": ("[", "]"), "tuple": ("(", ")"), "dict": ("{", "}")}
_SEQUENCES = ("list", "tuple", "deque", "slice")
_SPELLED_OTHERWISE = ("ref", "cut", "set", "frozenset", "complex", "enum", "deque", "slice")
_LIBRARY = ("date", "datetime", "time", "timedelta")
_OPENING = "(<class '"
_TRIPLE = re.compile(r"\(<class '([\w.<>]*)('(?:>(?:, ?)?)?)?(.*)", re.DOTALL)
MOST_TRIED = 1024  # elements of sets that are compared each with each, in one value
NESTED_SETS = 16


@dataclass
class ReprEquality:
    """Compares values of one program; what was compared is remembered.

    Only of Python are there tracers that spell values in their own way: in other languages values are canonical.
    """

    source: str
    language: str = "python"
    _known: dict[tuple[str, str], bool] = field(default_factory=dict)

    @property
    def is_traced(self) -> bool:
        """Whether a text may be a Python tracer's, with values and steps that only such a tracer has."""
        return LANGUAGES[self.language].runs_in_interpreter

    def holds(self, wanted: str, got: str) -> bool:
        """Whether `got`, respelled, shows the canonical value `wanted`."""
        if wanted == got:
            return True
        if (wanted, got) not in self._known:
            self._known[wanted, got] = equal(wanted, got) or (self.is_traced and self._shows(wanted, got))
        return self._known[wanted, got]

    def may_begin(self, wanted: str, got: str, *, raised: bool = False) -> bool:
        """Whether `got` may be the beginning of what shows the canonical value `wanted`, as far as can be told."""
        triple = _TRIPLE.match(got) if raised else None
        if triple is not None:  # the class comes first, and a module's name may come before it
            if not triple[2] or not wanted.startswith(_last(triple[1]) + "("):
                return not triple[2]
            got = triple[3]
        elif raised and _OPENING.startswith(got):
            return True
        if UNCHANGED.startswith(got) or wanted.startswith(got):
            return True
        if not self.is_traced:
            return may_begin(got, wanted)
        true = parse(wanted)
        return isinstance(true, Malformed) or may_begin(
            got, _Comparison(true, own_reprs(self.source)).foretold()
        )

    def _shows(self, wanted: str, got: str) -> bool:
        if wanted.isalnum():  # most values that differ are plain
            return False
        true = parse(wanted)
        if isinstance(true, Malformed):
            return False
        comparison = _Comparison(true, own_reprs(self.source))
        spelled = canonical(got)
        if isinstance(spelled, Malformed):
            return comparison.fits(got)
        found = parse(spelled)
        if isinstance(found, Malformed):
            return False
        return comparison.alike([(true, found, frozenset())]) or (
            comparison.is_untold and comparison.fits(got)
        )


class _Comparison:
    """One true value, and what is met in it by number."""

    def __init__(self, true: Value, reprs: OwnReprs) -> None:
        self.true, self.reprs = true, reprs
        self.labels: dict[int, Value] = {}
        self.objects: dict[int, Value] = {}
        self.is_untold = self.is_ahead = False
        self.tried = self.nested = 0
        for node in _nodes(true):
            if node.label:
                self.labels.setdefault(node.label, node)
            if node.kind == "object":
                self.objects.setdefault(node.number, node)
            self.is_untold = self.is_untold or self._is_own(node)

    def _is_own(self, node: Value) -> bool:
        name = node.atom.partition(".")[0] if node.kind == "enum" else node.atom
        return node.kind in ("object", "exception", "enum") and name in self.reprs.own

    def alike(self, pending: list[NodePair]) -> bool:
        """Whether each pair is alike."""
        while pending:
            one, other, around = pending.pop()
            parts = self._parts(one, other, around)
            if parts is None:
                return False
            pending.extend(parts)
        return True

    def _parts(self, one: Value, other: Value, around: frozenset[int]) -> Sequence[NodePair] | None:
        """The pairs that must be alike for this one to be; None where it cannot be."""
        if one.kind == "ref":
            name, _, number = one.atom.rpartition("#")
            known = (self.objects if name else self.labels).get(int(number))
            if known is None or int(number) in around:
                return () if _is_dots(other) or (name and _class(other) == _last(name)) else None
            one = known
        if one.label or one.number:
            around = around | {one.label or one.number}
        if self._is_own(one) or one.kind == "cut":
            return () if self._is_own(one) or _is_cut(one, other) else None
        if one.kind == "object":
            return self._object(one, other, around)
        if one.kind == "opaque":
            return () if _opaque(one.atom, other) else None
        if one.kind == "exception":
            return self._exception(one, other, around)
        if one.kind != other.kind or (one.kind == "deque" and one.atom != other.atom):
            return None
        if one.kind in ("dict", "set", "frozenset", *_SEQUENCES):
            return self._container(one, other, around)
        return () if text(one) == text(other) else None

    def _container(self, one: Value, other: Value, around: frozenset[int]) -> Sequence[NodePair] | None:
        if len(one.items) != len(other.items):
            return None
        if one.kind == "dict":
            return _entries(one, other, around)
        if one.kind in _SEQUENCES:
            return _beside(one.items, other.items, around)
        return () if self._set(one, other, around) else None

    def _set(self, one: Value, other: Value, around: frozenset[int]) -> bool:
        """Elements in any order: those of one text first, then each with the first that it is like."""
        left = {text(item): item for item in other.items}
        rest = [item for item in one.items if left.pop(text(item), None) is None]
        self.nested += 1
        for item in rest:
            found = next((key for key, each in left.items() if self._tried(item, each, around)), None)
            if found is None:
                return False
            del left[found]
        self.nested -= 1
        return True

    def _tried(self, one: Value, other: Value, around: frozenset[int]) -> bool:
        self.tried += 1
        is_worth = self.tried <= MOST_TRIED and self.nested <= NESTED_SETS
        return is_worth and self.alike([(one, other, around)])

    def _exception(self, one: Value, other: Value, around: frozenset[int]) -> Sequence[NodePair] | None:
        if other.kind == "opaque" and _class(other) == one.atom:
            return ()
        if other.kind != "exception" or _last(other.atom) != one.atom or len(one.items) != len(other.items):
            return None
        fields = _fields(one, other, around)
        return None if fields is None else [*_beside(one.items, other.items, around), *fields]

    def _object(self, one: Value, other: Value, around: frozenset[int]) -> Sequence[NodePair] | None:
        """By its class alone, by what its class writes as a call does, or by the builtin value that it is."""
        is_known = one.atom in self.reprs.classes
        if other.kind == "opaque":
            return () if _class(other) == one.atom else None
        if other.kind != "exception":
            return [(one.items[0], other, around)] if one.items else None
        if _class(other) != one.atom:
            return None
        if one.items:
            parts = _of_base(one.items[0], other, around)
        elif other.fields:
            parts = _fields(one, other, around)
        else:
            parts = _positional(one, other, around) if is_known or one.atom in ARGUMENTS else None
        return parts if parts is not None or is_known else ()

    # ---- text that is no value: a repr of a class's own stands in it

    def fits(self, got: str) -> bool:
        """Whether a text is this value with anything in the places of what cannot be told."""
        fixed = "".join(self._written()).split(UNTOLD)
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

    def foretold(self) -> str:
        """The repr, with NUL for all that is not the same in every repr."""
        self.is_ahead = True
        return "".join(self._written())

    def _written(self) -> Iterator[str]:
        """The value as a repr writes it, with NUL for what cannot be told."""
        waiting: list[Value | str] = [self.true]
        while waiting:
            node = waiting.pop()
            if isinstance(node, str):
                yield node
            else:
                waiting.extend(reversed(list(self._spelled(node))))

    def _spelled(self, node: Value) -> Iterator[Value | str]:
        if self._is_own(node) or self._is_open(node):
            yield UNTOLD
        elif node.kind == "object":
            yield f"<{node.atom}>"
        elif node.kind == "str":
            yield repr(unquote(node.atom))
        elif node.kind == "exception":
            yield from _listed(node, f"{node.atom}(", ")")
        elif node.kind in ("list", "tuple", "dict"):
            opening, closing = _BRACKETS[node.kind]
            yield from _listed(
                node, opening, ",)" if node.kind == "tuple" and len(node.items) == 1 else closing
            )
        else:
            yield text(node)

    def _is_open(self, node: Value) -> bool:
        """Whether a repr may say of it what is not known here; of a value that is only begun, or in what order."""
        is_loose = self.is_untold or self.is_ahead
        if node.kind == "object":
            return is_loose or node.atom not in self.reprs.classes
        if node.kind == "opaque":
            return self.is_ahead or not _is_told(node.atom)
        is_hex = node.atom.lstrip("-").startswith("0x")
        return (is_loose and node.kind in _SPELLED_OTHERWISE) or (
            self.is_ahead and (is_hex or node.atom in _LIBRARY)
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


def _beside(one: Sequence[Value], other: Sequence[Value], around: frozenset[int]) -> list[NodePair]:
    return [(a, b, around) for a, b in zip(one, other, strict=True)]


def _entries(one: Value, other: Value, around: frozenset[int]) -> list[NodePair] | None:
    """The entries of two dicts: by the texts of their keys, those that have no such partner in their order."""
    left = {text(key): (key, value) for key, value in zip(other.items[::2], other.items[1::2], strict=True)}
    pairs, rest = list[NodePair](), list[tuple[Value, Value]]()
    for key, value in zip(one.items[::2], one.items[1::2], strict=True):
        found = left.pop(text(key), None)
        if found is None:
            rest.append((key, value))
        else:
            pairs.append((value, found[1], around))
    if len(rest) != len(left):  # a key was written twice
        return None
    for mine, yours in zip(rest, left.values(), strict=True):
        pairs += _beside(mine, yours, around)
    return pairs


def _fields(one: Value, other: Value, around: frozenset[int]) -> list[NodePair] | None:
    """The fields that were written, each beside the true one; None where there is no such field."""
    known = dict(one.fields)
    if any(name not in known for name, _ in other.fields):
        return None
    return [(known[name], value, around) for name, value in other.fields]


def _positional(one: Value, other: Value, around: frozenset[int]) -> list[NodePair] | None:
    """The arguments of a call beside the fields, in the order of the class or in that of the fields."""
    known = dict(one.fields)
    names = ARGUMENTS.get(one.atom, tuple(known))
    if len(names) != len(other.items) or not known.keys() >= set(names):
        return None
    return _beside([known[name] for name in names], other.items, around)


def _of_base(base: Value, other: Value, around: frozenset[int]) -> list[NodePair] | None:
    """A builtin value in the call that writes it: a named tuple's fields, or the last argument."""
    if base.kind == "tuple" and other.fields and not other.items:
        values = [value for _, value in other.fields]
        return _beside(base.items, values, around) if len(values) == len(base.items) else None
    if not other.items:
        return None if base.items else []
    shown = other.items[-1]
    if base.kind == "dict" and shown.kind == "list":  # an OrderedDict, before 3.12
        flat = [part for item in shown.items for part in item.items]
        return _beside(base.items, flat, around) if len(flat) == len(base.items) else None
    return [(base, shown, around)]


def _opaque(wanted: str, other: Value) -> bool:
    """Whether what has no structure is shown: by its kind and name, or by a call of its type."""
    kind = wanted[1:-1]
    if other.kind == "opaque":
        if _is_told(wanted):
            return wanted == other.atom or (wanted, other.atom) == ("<str_ascii_iterator>", "<str_iterator>")
        return other.atom[1:-1].partition(" ")[0] == kind
    return other.kind == "exception" and _class(other) == kind


def _is_told(opaque: str) -> bool:
    """Whether a repr says no more of it than its kind and name: of a type of the library it may."""
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


def _is_cut(one: Value, other: Value) -> bool:
    """Whether a value may be the one of which the recording kept only the kind and the length."""
    kind, _, count = text(one)[4:-1].rpartition(" ")
    if other.kind in ("object", "exception", "opaque"):
        return _class(other) == kind
    size = (
        len(unquote(other.atom)) if other.kind == "str" else len(other.items) // (2 if kind == "dict" else 1)
    )
    return other.kind == kind and (kind in ("int", "bytes", "bytearray") or size == int(count))

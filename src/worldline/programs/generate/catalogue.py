"""How one line of an operation table becomes an entry: a result type, a template with typed slots, a precedence.

A line is `[weight] type template [@precedence]`. A slot stands between backquotes: a type and, after it, what may stand
there: nothing (any expression), `.` a primary, `*` `+` `<` `&` an operand of that kind of operator, `$` a variable,
`#` a literal, `=` the variable of the main slot again. `T?` stands for `T` and, in a second entry, for `T!` throughout
(see `values` for the types).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

PRIMARY = 15
_NEED = {"": 1, ".": PRIMARY, "*": 11, "+": 10, "<": 6, "&": 5, "$": PRIMARY, "#": PRIMARY, "=": PRIMARY}
_SLOT = re.compile(r"`(\w+!?)([.*+<&$#=]?)`")
_BOUND = re.compile(r"\b(?:for|lambda) (\w+(?:, \w+)*)(?: in\b|:)")
_OTHER_NAMES = {
    "x": ("x", "n", "num", "v", "e", "y"),
    "w": ("w", "word", "t", "s", "item", "e"),
    "k": ("k", "key"),
    "v": ("v", "val", "value"),
    "i": ("i", "idx", "j"),
    "c": ("c", "ch", "char"),
    "row": ("row", "r", "sub"),
    "p": ("p", "pair", "item"),
    "d": ("d", "digit", "c"),
    "a": ("a", "x"),
    "b": ("b", "y"),
    "n": ("n", "count"),
}

# What a value of a type may also be used as.
_PARENTS = {
    "small": ("cnt", "pos"),
    "cnt": ("int",),
    "pos": ("int",),
    "idx": ("int",),
    "char": ("sub",),
    "sub": ("str!",),
    "sep": ("str!",),
    "bool": (),
}
_SIZED_TEXT = "str ints strs floats lists pairs people tup counts names groups table iset sset bytes"
_SIZED = tuple(_SIZED_TEXT.split())


# Types of variables that are there to be passed, not to begin with.
ASIDE = frozenset(("char", "sub", "sep", "small", "pos", "idx", "bool", "member"))


def _uses(kind: str) -> tuple[str, ...]:
    out = [kind]
    for parent in (kind[:-1],) if kind.endswith("!") else _PARENTS.get(kind, ()):
        out += [use for use in _uses(parent) if use not in out]
    return tuple(out)


_OTHERS = ("int", "float", "rec", "none", "member", "digits", "hexes")
USES = {kind: _uses(kind) for kind in (*_PARENTS, *_SIZED, *(name + "!" for name in _SIZED), *_OTHERS)}


@dataclass(frozen=True)
class Slot:
    """A hole of a template: its type, the precedence it needs, and whether only a variable or a literal will do."""

    kind: str
    need: int
    only: str


@dataclass(frozen=True)
class Entry:
    """One operation: the texts around the slots (in several `variants` of the names bound inside) and the slots."""

    result: str
    variants: tuple[tuple[tuple[str, ...], frozenset[str]], ...]
    slots: tuple[Slot, ...]
    level: int
    weight: int
    grows: bool = False
    last: bool = False  # nothing is done to its result: a format, a pair
    main: int = 0  # the slot that the rest is about


_LEFT = {
    "in": 6,
    "if": 2,
    "+": 11,
    "-": 11,
    "*": 12,
    "/": 12,
    "//": 12,
    "%": 12,
    ">": 6,
    "<": 6,
    "==": 6,
    "!=": 6,
}
_RIGHT = {
    "+": 10,
    "-": 10,
    "*": 11,
    "/": 11,
    "//": 11,
    "%": 11,
    ">": 6,
    "<": 6,
    "==": 6,
    "!=": 6,
    "in": 6,
    "not": 6,
}


def _beside(before: str, after: str) -> int:
    """The precedence that the operators on both sides of a slot ask for."""
    left = before.rsplit(" ", 2)[-2:]
    need = _LEFT.get(left[0].lstrip("(["), 1) if len(left) == 2 and not left[1] else 1
    if after.startswith((".", "[")):
        return PRIMARY
    right = after.split(" ", 2)
    if len(right) > 1 and not right[0]:
        need = max(need, _RIGHT.get(right[1], 1))
    return need


def _rank(kind: str) -> int:
    kind = kind.rstrip("!")
    if kind in _SIZED and kind not in ("str", "bytes"):
        return 3
    return 0 if kind in ASIDE or kind in ("width", "byte", "pairs2") else 2


def _entry(line: str, *, chars: bool = False) -> Entry:
    line, _, level = line.partition("  @")
    head, _, rest = line.partition(" ")
    weight = 1
    if head.isdigit():
        weight = int(head)
        head, _, rest = rest.partition(" ")
    found = _SLOT.split(rest.strip())
    slots = tuple(
        Slot(kind, max(_NEED[flag], _beside(before, after)), flag if flag in "$#=" else "")
        for kind, flag, before, after in zip(found[1::3], found[2::3], found[0::3], found[3::3], strict=False)
    )
    variants = _variants(tuple(found[0::3]))
    grows = "`width" in rest or "` * `small" in rest or "` * 2" in rest or ":>1" in rest or ":^1" in rest
    last = re.match(r"f?'|\(|divmod\(|format\(|repr\(|str\(`(ints|tup|bool)", rest) is not None
    ranks = [_rank(slot.kind) if slot.only not in ("=", "#") else -1 for slot in slots]
    main = 0 if chars or not slots else ranks.index(max(ranks))
    return Entry(head, variants, slots, int(level) if level else PRIMARY, weight, grows, last, main)


def _variants(pieces: tuple[str, ...]) -> tuple[tuple[tuple[str, ...], frozenset[str]], ...]:
    bound = {name for names in _BOUND.findall("".join(pieces)) for name in names.split(", ")}
    out = [(pieces, frozenset(bound))]
    for turn in range(1, 6 if bound else 1):
        names = {name: _OTHER_NAMES.get(name, (name,)) for name in bound}
        chosen = {name: others[turn % len(others)] for name, others in names.items()}
        if len(set(chosen.values())) == len(chosen):
            renamed = tuple(_rename(piece, chosen) for piece in pieces)
            out.append((renamed, frozenset(chosen.values())))
    return tuple(out)


def _rename(piece: str, names: dict[str, str]) -> str:
    return re.sub(r"(?<![\w.'])[a-z]+\b(?!['(])", lambda found: names.get(found[0], found[0]), piece)


def entries(table: str, *, chars: bool = False) -> list[Entry]:
    """The entries of a table; blank lines are skipped. In a table of `chars` the first slot is always the main one."""
    out = []
    for raw in table.splitlines():
        line = raw.strip()
        if not line:
            continue
        if re.search(r"\w\?[ .*+<&$=`]", line):
            out.append(_entry(re.sub(r"(\w)\?(?=[ .*+<&$=`])", r"\1", line), chars=chars))
            out.append(_entry(re.sub(r"(\w)\?(?=[ .*+<&$=`])", r"\1!", line), chars=chars))
        else:
            out.append(_entry(line, chars=chars))
    return out


class Index:
    """Entries by the type of their main slot, by (main slot, result), with cumulative weights for drawing."""

    def __init__(self, items: Iterable[Entry]) -> None:
        self.items = tuple(items)
        self._first: dict[str, tuple[list[Entry], list[int]]] = defaultdict(lambda: ([], []))
        self._link: dict[tuple[str, str], tuple[list[Entry], list[int]]] = defaultdict(lambda: ([], []))
        for entry in self.items:
            if not entry.slots:
                continue
            for kind, uses in USES.items():
                main = entry.slots[entry.main].kind
                if main not in uses or (kind == "char" and main != "char"):
                    continue  # a single character has operations of its own
                _add(self._first[kind], entry)
                for result in USES.get(entry.result, (entry.result,)):
                    _add(self._link[kind, result], entry)

    def by_first(self, kind: str) -> tuple[list[Entry], list[int]]:
        """The entries whose main slot takes a value of type `kind`."""
        return self._first.get(kind, _NOTHING)

    def links(self, kind: str, result: str) -> tuple[list[Entry], list[int]]:
        """The entries that make a `result` of a `kind`."""
        return self._link.get((kind, result), _NOTHING)


_NOTHING: tuple[list[Entry], list[int]] = ([], [])


def _add(to: tuple[list[Entry], list[int]], entry: Entry) -> None:
    to[0].append(entry)
    to[1].append((to[1][-1] if to[1] else 0) + entry.weight)

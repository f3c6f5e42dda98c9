"""How one line of an operation table becomes an entry: a result type, a template with typed slots, a precedence.

A line is `[weight] type template [@precedence]`. A slot is a typed hole, `‹int+›`: a type and, after it, what may stand
there: nothing (any expression), `.` a primary, `*` `+` `<` `&` an operand of that kind of operator, `$` a variable,
`#` a literal, `=` the variable of the main slot again. `T?` stands for `T` and, in a second entry, for `T!` throughout
(see `kinds` for the types).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from worldline.programs.generate.kinds import ASIDE, LITERALS, SIZED, USES
from worldline.programs.generate.language.library import pools
from worldline.programs.generate.language.template import Pieces, TypedHole, parse

PRIMARY = 15
_NEED = {"": 1, ".": PRIMARY, "*": 11, "+": 10, "<": 6, "&": 5, "$": PRIMARY, "#": PRIMARY, "=": PRIMARY}
_GROWING = ("‹width", "› * ‹small", "› * 2", ":>1", ":^1")
_LAST = re.compile(r"f?'|\(|divmod\(|format\(|repr\(|str\(‹(ints|tup|bool)")
_BOUND = re.compile(r"\b(?:for|lambda) (\w+(?:, \w+)*)(?: in\b|:)")


@dataclass(frozen=True)
class Slot:
    """A hole of a template: its type, the precedence it needs, and whether it takes only a variable or a literal."""

    kind: str
    need: int
    only: str


@dataclass(frozen=True)
class Production:
    """One operation: its slots and the texts around them, in `variants` that differ in bound names."""

    result: str
    variants: tuple[tuple[tuple[str, ...], frozenset[str]], ...]
    slots: tuple[Slot, ...]
    level: int
    weight: int
    grows: bool = False
    last: bool = False  # nothing is done to its result: a format, a pair
    main: int = 0  # the slot that the rest is about
    own: str = ""  # its text without the slots


_LEFT = {"in": 6, "if": 2, "+": 11, "-": 11, "*": 12, "/": 12, "//": 12, "%": 12, ">": 6, "<": 6, "==": 6, "!=": 6}
_RIGHT = {"+": 10, "-": 10, "*": 11, "/": 11, "//": 11, "%": 11, ">": 6, "<": 6, "==": 6, "!=": 6, "in": 6, "not": 6}


def _beside(before: str, after: str) -> int:
    """Return the precedence that the operators on both sides of a slot require."""
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
    if kind in SIZED and kind not in ("str", "bytes"):
        return 3
    return 0 if kind in ASIDE or kind in LITERALS else 2


def _entry(line: str, *, chars: bool = False) -> Production:
    line, _, level = line.partition("  @")
    head, _, rest = line.partition(" ")
    weight = 1
    if head.isdigit():
        weight = int(head)
        head, _, rest = rest.partition(" ")
    texts, holes = _cut(parse(rest.strip()))
    slots = tuple(
        Slot(hole.kind, max(_NEED[hole.flag], _beside(before, after)), hole.flag if hole.flag in "$#=" else "")
        for hole, before, after in zip(holes, texts, texts[1:], strict=False)
    )
    variants = _variants(texts)
    grows = any(mark in rest for mark in _GROWING)
    last = _LAST.match(rest) is not None
    ranks = [_rank(slot.kind) if slot.only not in ("=", "#") else -1 for slot in slots]
    main = 0 if chars or not slots else ranks.index(max(ranks))
    return Production(
        head, variants, slots, int(level) if level else PRIMARY, weight, grows, last, main, "".join(texts)
    )


def _cut(pieces: Pieces) -> tuple[tuple[str, ...], list[TypedHole]]:
    """Split pieces into the texts around the holes, and the holes."""
    texts, holes = [""], []
    for piece in pieces:
        if isinstance(piece, TypedHole):
            holes.append(piece)
            texts.append("")
        else:
            assert isinstance(piece, str), piece
            texts[-1] += piece
    return tuple(texts), holes


def _variants(pieces: tuple[str, ...]) -> tuple[tuple[tuple[str, ...], frozenset[str]], ...]:
    others = pools("vocabulary/bound")
    bound = {name for names in _BOUND.findall("".join(pieces)) for name in names.split(", ")}
    out = [(pieces, frozenset(bound))]
    for turn in range(1, 6 if bound else 1):
        names = {name: others.get(name, (name,)) for name in bound}
        chosen = {name: others[turn % len(others)] for name, others in names.items()}
        if len(set(chosen.values())) == len(chosen):
            renamed = tuple(_rename(piece, chosen) for piece in pieces)
            out.append((renamed, frozenset(chosen.values())))
    return tuple(out)


def _rename(piece: str, names: dict[str, str]) -> str:
    return re.sub(r"(?<![\w.'])[a-z]+\b(?!['(])", lambda match: names.get(match[0], match[0]), piece)


def entries(table: str, *, chars: bool = False) -> list[Production]:
    """Parse the productions of a table and skip blank lines.

    Args:
        table: The text of the table.
        chars: Whether the first slot is always the main one.
    """
    out = []
    for raw in table.splitlines():
        line = raw.strip()
        if not line:
            continue
        if re.search(r"\w\?[ .*+<&$=›]", line):
            out.append(_entry(re.sub(r"(\w)\?(?=[ .*+<&$=›])", r"\1", line), chars=chars))
            out.append(_entry(re.sub(r"(\w)\?(?=[ .*+<&$=›])", r"\1!", line), chars=chars))
        else:
            out.append(_entry(line, chars=chars))
    return out


class ProductionIndex:
    """Productions by the type of their main slot and by (main slot, result), with cumulative weights."""

    def __init__(self, items: Iterable[Production]) -> None:
        self.items = tuple(items)
        self._first: dict[str, tuple[list[Production], list[int]]] = defaultdict(lambda: ([], []))
        self._link: dict[tuple[str, str], tuple[list[Production], list[int]]] = defaultdict(lambda: ([], []))
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

    def by_first(self, kind: str) -> tuple[list[Production], list[int]]:
        """Return the productions whose main slot takes a value of type `kind`."""
        return self._first.get(kind, _NOTHING)

    def links(self, kind: str, result: str) -> tuple[list[Production], list[int]]:
        """Return the productions that make a `result` of a `kind`."""
        return self._link.get((kind, result), _NOTHING)


_NOTHING: tuple[list[Production], list[int]] = ([], [])


def _add(to: tuple[list[Production], list[int]], entry: Production) -> None:
    to[0].append(entry)
    to[1].append((to[1][-1] if to[1] else 0) + entry.weight)

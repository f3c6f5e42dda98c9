"""What is known at a point of a program under construction: the variables in reach, the names taken, the lines so far.

A `Scope` is the one mutable thing of the generator; expressions read it, statements write it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random

from worldline.programs.generate import names
from worldline.programs.generate.catalogue import USES

_WORD = re.compile(r"[A-Za-z_]\w*")


@dataclass
class Var:
    """A variable: its type, how often it was read, and whether it may still be changed in place."""

    name: str
    kind: str
    used: int = 0
    fixed: bool = False
    local: bool = True
    changed: bool = False
    born: str = ""
    words: tuple[str, ...] = ()  # the names in its text: two for `data[i]`

    def __post_init__(self) -> None:
        self.born = self.born or self.kind
        self.words = (self.name,) if self.name.isidentifier() else tuple(_WORD.findall(self.name))


@dataclass
class Scope:
    """The state of one function under construction."""

    rng: Random
    taken: set[str] = field(default_factory=set)
    vars: list[Var] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    depth: int = 1
    hidden: frozenset[str] = frozenset()
    busy: list[str] = field(default_factory=list)
    lean: bool = False  # inside a loop: nothing that makes texts or lists much longer

    def emit(self, line: str) -> None:
        """Add a line at the current indentation."""
        self.lines.append("    " * self.depth + line if line else "")

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """Lines under `head`; variables born inside are forgotten after it."""
        self.emit(head)
        self.depth += 1
        known = len(self.vars)
        yield
        del self.vars[known:]
        self.depth -= 1

    def new(self, kind: str, *, name: str | None = None, local: bool = True, fixed: bool = False) -> Var:
        """A new variable of the type."""
        var = Var(
            name or names.fresh(self.rng, kind, self.taken, local=local), kind, fixed=fixed, local=local
        )
        self.taken.add(var.name)
        self.vars.append(var)
        return var

    def candidates(self, kind: str) -> list[Var]:
        """The variables that can stand where a `kind` is wanted."""
        return [var for var in self.vars if kind in USES[var.kind] and self.hidden.isdisjoint(var.words)]

    def pick(self, kind: str, *, again: bool = False) -> Var | None:
        """A variable of the type, one not read yet before others; None where there is none.

        Without `again`, none that the current expression names already.
        """
        found = self.candidates(kind)
        if not again:
            found = [var for var in found if var.words[0] not in self.busy]
        return self.weigh(found) if found else None

    def weigh(self, found: list[Var]) -> Var:
        """One of the variables: unread and recent ones first."""
        if len(found) == 1:
            return found[0]
        last = len(self.vars)
        weights = [(6 if not var.used else 1) + (2 if i >= last - 2 else 0) for i, var in enumerate(found)]
        return self.rng.choices(found, weights)[0]

    def read(self, var: Var) -> str:
        """The variable's name, noted as read by the current expression."""
        var.used += 1
        self.busy += var.words
        return var.name

    def unused(self) -> list[Var]:
        """The variables nothing has read yet."""
        return [var for var in self.vars if not var.used]

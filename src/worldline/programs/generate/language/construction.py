"""The state of a program under construction, the only mutable object of the generator.

Templates read and fill names, keyed choices and the values of the call; the typed grammar adds variables and
lines. Only names are drawn here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Any

from worldline.programs.generate.kinds import USES
from worldline.programs.generate.language import vocabulary

_WORD = re.compile(r"[A-Za-z_]\w*")
# Ranges that the numbers of one program are drawn from, its data and its thresholds alike.
SPANS: tuple[tuple[int, int], ...] = (
    (0, 9), (1, 5), (-9, 9), (0, 30), (-50, 99), (1, 100), (0, 3), (100, 999), (-3, 3), (10, 5000), (1, 20), (0, 9),
    (1, 10), (-5, 15), (0, 20),
)  # fmt: skip


@dataclass
class Variable:
    """A variable: its type, how often it was read, and whether it may still change in place."""

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
class Construction:
    """The state of one program, or of one of its functions, under construction."""

    rng: Random
    taken: set[str] = field(default_factory=set)
    strange: float = 0.06  # how often a name is a random one
    odd: float = 0.03  # how often a value is spelled in a less common way
    names: dict[str, str] = field(default_factory=dict)  # by role
    places: dict[str, int] = field(default_factory=dict)  # by the key of alternatives
    passed_values: list[Any] = field(default_factory=list)  # the values passed, as far as they are drawn
    passing: bool = False  # values made now are arguments of the call
    annotated: bool = False
    span: tuple[int, int] = (0, 9)
    variables: list[Variable] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    depth: int = 1
    hidden: frozenset[str] = frozenset()
    busy: list[str] = field(default_factory=list)
    lean: bool = False  # inside a loop: nothing that makes texts or lists much longer

    # Names.

    def name(self, role: str) -> str:
        """Return the name of a role; draw it at the first use."""
        name = self.names.get(role)
        if name is None:
            name = self.names[role] = self.fresh(role.rstrip("0123456789"))
        return name

    def fresh(self, role: str) -> str:
        """Draw an unused name that suits the role, and reserve it."""
        rng = self.rng
        pool = vocabulary.suiting(role, self.names)
        name = rng.choice(pool)
        if rng.random() < self.strange:
            name = vocabulary.strange(rng)
            if role[0].isupper() or role == "cls":
                name = name.strip("_").title().replace("_", "")
        if name in self.taken:
            pool = vocabulary.pool(role)
            name = next(
                (candidate for candidate in rng.sample(pool, min(4, len(pool))) if candidate not in self.taken), name
            )
        stem, start = name, rng.randrange(3) if name in self.taken else 0
        for suffix in vocabulary.SUFFIXES[start:] if name in self.taken else ():
            if stem + suffix not in self.taken:
                name = stem + suffix
                break
        while name in self.taken:
            name = vocabulary.strange(rng)
        self.taken.add(name)
        return name

    def function(self, own: Sequence[str] = (), *, helper: bool = False) -> str:
        """Draw a function name and reserve it.

        Args:
            own: Names to choose from; half of the time the name is `f`.
            helper: Whether to draw from the names of helpers.
        """
        rng = self.rng
        pool = vocabulary.pool("helper" if helper else "function")
        name = ("f" if rng.random() < 0.5 else rng.choice(own)) if own else rng.choice(pool)
        while name in self.taken or name in vocabulary.RESERVED:
            name = rng.choice(vocabulary.pool("helper")) if rng.random() < 0.4 else vocabulary.strange(rng)
        self.taken.add(name)
        return name

    # Lines.

    def emit(self, line: str) -> None:
        """Add a line at the current indentation."""
        self.lines.append("    " * self.depth + line if line else "")

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """Write lines under `head`; forget the variables of the block afterwards."""
        self.emit(head)
        self.depth += 1
        known = len(self.variables)
        yield
        del self.variables[known:]
        self.depth -= 1

    # Variables.

    def new(self, kind: str, *, name: str | None = None, local: bool = True, fixed: bool = False) -> Variable:
        """Create a variable of the type."""
        if name is None:
            use = vocabulary.LOCAL if local and self.rng.random() < 0.75 else vocabulary.PARAMETER
            name = self.fresh(vocabulary.role_of(kind, use=use))
        variable = Variable(name, kind, fixed=fixed, local=local)
        self.taken.add(name)
        self.variables.append(variable)
        return variable

    def candidates(self, kind: str) -> list[Variable]:
        """Return the variables that may stand where a `kind` is expected."""
        return [
            variable
            for variable in self.variables
            if kind in USES.get(variable.kind, ()) and self.hidden.isdisjoint(variable.words)
        ]

    def pick(self, kind: str, *, again: bool = False) -> Variable | None:
        """Choose a variable of the type, preferring unread ones; None if there is none.

        Args:
            kind: The type.
            again: Whether to allow a variable that the current expression already uses.
        """
        variables = self.candidates(kind)
        if not again:
            variables = [variable for variable in variables if variable.words[0] not in self.busy]
        return self.weigh(variables) if variables else None

    def weigh(self, variables: list[Variable]) -> Variable:
        """Choose one of the variables, preferring unread and recent ones."""
        if len(variables) == 1:
            return variables[0]
        last = len(self.variables)
        weights = [
            (6 if not variable.used else 1) + (2 if i >= last - 2 else 0) for i, variable in enumerate(variables)
        ]
        return self.rng.choices(variables, weights)[0]

    def read(self, variable: Variable) -> str:
        """Return the variable's name and record that the current expression reads it."""
        variable.used += 1
        self.busy += variable.words
        return variable.name

    def unused(self) -> list[Variable]:
        """Return the variables that nothing has read yet."""
        return [variable for variable in self.variables if not variable.used]

"""Random C programs about who shares memory, with a model that says what every variable is after every statement.

Arrays on the stack, in static memory and on the heap, cells linked to each other, and pointers into all of them. The
model is plain Python; the program prints all of its numbers at its end, which checks the model itself.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass, field

ARRAYS, POINTERS, CELLS, LINKS = (("a0", "a1", "a2"), ("p0", "p1", "p2", "p3"), ("c0", "c1", "c2"), ("q0", "q1"))
HEAD = ("#include <stdio.h>", "#include <stdlib.h>", "struct Cell { int v; struct Cell *next; };")
HOW = {"a0": "int a0[{n}] = {{0}};", "a1": "static int a1[{n}];", "a2": "int *a2 = calloc({n}, sizeof *a2);"}


@dataclass
class Model:
    """What the program's memory holds: numbers by array, where pointers point, cells and their links."""

    arrays: dict[str, list[int]]
    pointers: dict[str, tuple[str, int] | None] = field(default_factory=lambda: dict.fromkeys(POINTERS))
    values: dict[str, int] = field(default_factory=lambda: dict.fromkeys(CELLS, 0))
    links: dict[str, str | None] = field(default_factory=lambda: dict.fromkeys((*CELLS, *LINKS)))

    def shown(self, name: str) -> object:
        """What a variable is: a shape that no number of an object is in, only who it is of."""
        if name == "a2":
            return ("pointer", "a2", tuple(self.arrays["a2"]), 0)
        if name in ARRAYS:
            return tuple(self.arrays[name])
        if name in POINTERS:
            to = self.pointers[name]
            return to and ("pointer", to[0], tuple(self.arrays[to[0]]), to[1])
        if name in CELLS:
            return self._cell(name, frozenset())
        to_cell = self.links[name]
        return to_cell and self._cell(to_cell, frozenset())

    def _cell(self, name: str, seen: frozenset[str]) -> object:
        if name in seen:
            return ("again", name)
        to = self.links[name]
        return ("cell", name, self.values[name], to and self._cell(to, seen | {name}))


def _statement(draw: random.Random, model: Model) -> str | None:
    """One statement, made in the model too; None where what was drawn is not possible now."""
    kind = draw.randrange(9)
    array, pointer, cell = draw.choice(ARRAYS), draw.choice(POINTERS), draw.choice(CELLS)
    at, number = draw.randrange(len(model.arrays[array])), draw.randrange(-99, 100)
    to = model.pointers[pointer]
    if kind == 0:
        model.arrays[array][at] = number
        return f"{array}[{at}] = {number};"
    if kind == 1:
        model.pointers[pointer] = (array, at)
        return f"{pointer} = &{array}[{at}];"
    if kind == 2 and to is not None and to[1] < len(model.arrays[to[0]]):
        model.arrays[to[0]][to[1]] += number
        return f"*{pointer} += {number};"
    if kind == 3 and to is not None and to[1] < len(model.arrays[to[0]]):
        model.pointers[pointer] = (to[0], to[1] + 1)
        return f"{pointer}++;"
    if kind == 4:
        other = draw.choice(POINTERS)
        model.pointers[pointer] = model.pointers[other]
        return f"{pointer} = {other};"
    if kind == 5:
        model.values[cell] = number
        return f"{cell}.v = {number};"
    if kind == 6:
        other = draw.choice(CELLS)
        model.links[cell] = other
        return f"{cell}.next = &{other};"
    link = draw.choice(LINKS)
    target = model.links[link]
    if kind == 7:
        model.links[link] = cell
        return f"{link} = &{cell};"
    if target is not None:
        model.values[target] = number
        return f"{link}->v = {number};"
    return None


def program(seed: int, length: int = 40) -> tuple[str, dict[int, dict[str, object]], str]:
    """A source, what each variable is after the statement of a line, and what the program prints."""
    draw = random.Random(seed)
    model = Model({name: [0] * draw.randrange(2, 6) for name in ARRAYS})
    lines = [*HEAD, "int main(void) {"]
    lines += [f"    {HOW[name].format(n=len(values))}" for name, values in model.arrays.items()]
    lines += [f"    int *{name} = NULL;" for name in POINTERS]
    lines += [f"    struct Cell {name} = {{0, NULL}};" for name in CELLS]
    lines += [f"    struct Cell *{name} = NULL;" for name in LINKS]
    after: dict[int, dict[str, object]] = {}
    while len(after) < length:
        made = _statement(draw, model)
        if made is not None:
            lines.append(f"    {made}")
            after[len(lines)] = {name: model.shown(name) for name in (*ARRAYS, *POINTERS, *CELLS, *LINKS)}
    numbers = [(f"{name}[{at}]", value) for name, row in model.arrays.items() for at, value in enumerate(row)]
    numbers += [(f"{name}.v", model.values[name]) for name in CELLS]
    lines += [f'    printf("%d ", {place});' for place, _ in numbers] + ["    return 0;", "}"]
    return "\n".join(lines) + "\n", after, "".join(f"{value} " for _, value in numbers)


def together(seeds: Iterable[int]) -> tuple[str, dict[int, dict[int, dict[str, object]]], str]:
    """Several programs as functions of one file, `f7` of seed 7; what each says of its lines, and what all print.

    Their static arrays do not touch: the place behind one would be the next one's beginning, and no address says which.
    """
    lines, models, printed = list(HEAD), dict[int, dict[int, dict[str, object]]](), ""
    for seed in seeds:
        source, after, words = program(seed)
        offset = len(lines) - len(HEAD)
        body = source.replace("static int a1[", "static _Alignas(64) int a1[").splitlines()[len(HEAD) :]
        lines += [f"static int f{seed}(void) {{", *body[1:]]
        models[seed] = {line + offset: shown for line, shown in after.items()}
        printed += words
    calls = [f"    f{seed}();" for seed in models]
    return "\n".join([*lines, "int main(void) {", *calls, "    return 0;", "}"]) + "\n", models, printed

"""Focused drills: one operation or method on varied inputs.

The operations come from the tables and are drawn evenly, not by how common they are; some need an argument that
occurs in the receiver.
"""

from __future__ import annotations

from functools import cache
from random import Random

from worldline.core.program import Program
from worldline.programs.generate.kinds import ELEMENTS, LITERALS, bare
from worldline.programs.generate.language import library
from worldline.programs.generate.language.construction import Construction, Variable
from worldline.programs.generate.typed.catalogue import Production, Slot, entries
from worldline.programs.generate.typed.functions import begin, finish
from worldline.programs.generate.values import texts
from worldline.programs.generate.values.literals import literal
from worldline.programs.generate.values.spelling import spell


@cache
def _table(*names: str) -> list[Production]:
    """Return the operations of several tables in order."""
    return [
        entry for name in names for entry in entries(library.text(f"operations/{name}"), chars=name == "characters")
    ]


def _slots(rng: Random, entry: Production, scope: Construction) -> tuple[list[str], list[Variable]]:
    """Return the text of each slot: parameters for most, literals for some; and the parameters."""
    main = scope.new(entry.slots[entry.main].kind, local=False)
    params = [main]
    filled: list[str] = []
    for i, slot in enumerate(entry.slots):
        if slot.only == "=" or i == entry.main:
            filled.append(main.name)
        elif _is_literal(rng, slot):
            filled.append(literal(scope, slot.kind))
        else:
            params.append(scope.new(slot.kind, local=False))
            filled.append(params[-1].name)
    return filled, params


def _is_literal(rng: Random, slot: Slot) -> bool:
    if slot.kind in LITERALS:
        return True
    if slot.only == "#":
        return rng.random() < 0.6
    return slot.only != "$" and slot.kind != "member" and rng.random() < 0.45


def _text(rng: Random, entry: Production, filled: list[str]) -> str | None:
    pieces, bound = rng.choice(entry.variants)
    if bound.intersection(filled):
        pieces, bound = entry.variants[0]
        if bound.intersection(filled):
            return None
    parts = [pieces[0]]
    for i, after in enumerate(pieces[1:]):
        inner = filled[i]
        parts += [f"({inner})" if inner[0] == "-" and entry.slots[i].need > 12 else inner, after]
    return "".join(parts)


def drill(rng: Random, table: list[Production]) -> Program:
    """Draw a function of one operation of the table."""
    while True:
        entry = rng.choice(table)
        scope, _ = begin(rng, ())
        filled, params = _slots(rng, entry, scope)
        text = _text(rng, entry, filled)
        if text is not None:
            break
    name = scope.function()
    roll = rng.random()
    if entry.result in ("more", "less", "same"):
        scope.emit(text)
        scope.emit(f"return {params[0].name}")
    elif roll < 0.55:
        scope.emit(f"return {text}")
    elif roll < 0.85:
        var = scope.new(entry.result if entry.result != "none" else "any")
        scope.emit(f"{var.name} = {text}")
        scope.emit(f"return {var.name}")
    elif roll < 0.93 and entry.result == "bool":
        with scope.block(f"if {text}:"):
            scope.emit(f"return {literal(scope, 'str')}")
        scope.emit(f"return {literal(scope, 'str')}")
    else:
        scope.emit(f"return ({text}, {params[0].name})")
    return _long(rng, finish(rng, name, params, scope), name, params)


def _long(rng: Random, program: Program, name: str, params: list[Variable]) -> Program:
    """Sometimes call the program with a long text instead."""
    if len(params) != 1 or bare(params[0].kind) != "str" or rng.random() > 0.3:
        return program
    text = texts.phrase(rng, 5, 14) if rng.random() < 0.5 else texts.letters(rng, rng.randint(20, 80))
    return Program(source=program.source, call=f"{name}({spell(rng, text[:100])})")


def text(rng: Random) -> Program:
    """Draw a str operation."""
    return drill(rng, _table("text", "pieces", "characters"))


def formats(rng: Random) -> Program:
    """Draw an f-string, a format spec or a % format."""
    return drill(rng, _table("formats"))


def octets(rng: Random) -> Program:
    """Draw a bytes operation."""
    return drill(rng, _table("bytes"))


def lists(rng: Random) -> Program:
    """Draw a list or tuple operation."""
    return drill(rng, _table("lists", "strs", "nested"))


def maps(rng: Random) -> Program:
    """Draw a dict or set operation."""
    return drill(rng, _table("people", "dicts", "sets"))


def numbers(rng: Random) -> Program:
    """Draw an operation on numbers or booleans."""
    return drill(rng, _table("numbers"))


def changes(rng: Random) -> Program:
    """Draw an in-place change."""
    return drill(rng, _table("changes" if rng.random() < 0.75 else "sure_changes"))


def sure(rng: Random) -> Program:
    """Draw an operation whose argument occurs in the receiver (`index`, `d[key]`), or that parses a text."""
    return drill(rng, _table("sure"))


def slices(rng: Random) -> Program:
    """Draw a slice of any shape: signs, steps, omitted and out-of-range bounds, of a str, list, tuple or bytes."""
    kind = rng.choice(("str!", "str!", "str!", "str!", "ints!", "strs!", "tup!", "bytes!"))
    scope, params = begin(rng, [kind])
    parts = []
    for place in range(3):
        roll = rng.random()
        if place == 2 and roll < 0.55:
            break
        if roll < 0.3:
            parts.append("")
        elif roll < 0.85:
            parts.append(str(rng.choice((-3, -2, -1, 2, 3, 1) if place == 2 else (*range(-6, 9), 12, 100, -100))))
        else:
            var = scope.new("small")
            params.append(var)
            parts.append(var.name if rng.random() < 0.7 else "-" + var.name)
    seq = params[0].name
    text = f"{seq}[{':'.join(parts)}]" if len(parts) > 1 else f"{seq}[{parts[0] or 1}:]"
    roll = rng.random()
    if roll < 0.5:
        scope.emit(f"return {text}")
    elif roll < 0.65:
        scope.emit(f"{scope.new(kind).name} = {text}")
        scope.emit(f"return {scope.variables[-1].name}")
    elif roll < 0.8:
        cut = rng.choice([var.name for var in params[1:]] or [str(rng.randint(-4, 6))])
        scope.emit(f"return {seq}[{cut}:] + {seq}[:{cut}]")
    elif roll < 0.9 and kind == "ints!":
        scope.emit(f"{rng.choice(('del ', ''))}{text}" if len(parts) > 1 else f"del {text}")
        scope.emit(f"return {seq}")
    else:
        scope.emit(f"return {text}, len({text})")
    return finish(rng, scope.function(), params, scope)


def lookups(rng: Random) -> Program:
    """Draw `in`, `is`, comparisons of containers, or chained comparisons."""
    kind = rng.choice(("str!", "ints!", "strs!", "tup!", "counts!", "iset!", "lists!"))
    scope, params = begin(rng, [kind, "member" if rng.random() < 0.6 else ELEMENTS[bare(kind)]])
    a, b = params[0].name, params[1].name
    scope.emit(
        rng.choice(
            (
                f"return {b} in {a}",
                f"return {b} not in {a}",
                f"return {a} is not None and {b} in {a}",
                f"return [{b} in {a}, len({a}) > 3, not {a}]",
                f"return 'yes' if {b} in {a} else 'no'",
                f"return {a} == {b}, {a} != {b}",
                f"return 1 < len({a}) < 5 or {b} in {a}",
            )
        )
    )
    return finish(rng, scope.function(), params, scope)

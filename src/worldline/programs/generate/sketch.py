"""Program sketches: text with holes, for constructs that a flat grammar writes badly (classes, recursion, generators).

`«a|b»` is a choice, nested or not; an alternative may begin a line. `$name` is a name, the same throughout.
`@int x:ints k:small@` is an expression of type int made of those variables, `~int~` a literal. Lines that begin with
`?` are optional, together. The line that begins with `>` is the call, with `%ints!%` an argument.
"""

from __future__ import annotations

import re
from random import Random

from worldline.core.program import Program
from worldline.programs.generate import names
from worldline.programs.generate.expressions import derive, literal
from worldline.programs.generate.library import pools
from worldline.programs.generate.scope import Scope, Var
from worldline.programs.generate.spelling import spell
from worldline.programs.generate.values import arguments

_CHOICE = re.compile(r"«([^«»]*)»")
_DERIVED = re.compile(r"@([a-z]+!?)((?: \$?\w+:[a-z]+!?)+)@")
_LITERAL = re.compile(r"~([a-z0-9]+!?)~")
_ARGUMENT = re.compile(r"%([a-z]+!?)%")
_CONTINUED = re.compile(r"\n *\|")
_OPTIONAL = re.compile(r"(?:\n\?[^\n]*)+")
_NAME = re.compile(r"\$([A-Za-z]\w*)")


def fill(rng: Random, sketch: str) -> Program:
    """A program made of the sketch."""
    text = _OPTIONAL.sub(
        lambda found: found[0].replace("\n?", "\n") if rng.random() < 0.5 else "", sketch.strip("\n")
    )
    text = _CONTINUED.sub("|", text)
    while "«" in text:
        text = _CHOICE.sub(lambda found: rng.choice(found[1].split("|")), text)
    body, _, called = text.rpartition("\n>")
    body = _DERIVED.sub(lambda found: _derived(rng, found[1], found[2]), body)
    body = _LITERAL.sub(lambda found: literal(rng, found[1], odd=0.04), body)
    given = iter([spell(rng, made, odd=0.05) for made in arguments(rng, _ARGUMENT.findall(called))])
    called = _ARGUMENT.sub(lambda found: next(given), called)
    taken = set(re.findall(r"(?<![$\w])[A-Za-z_]\w*", body))
    known: dict[str, str] = {}
    body = _NAME.sub(lambda found: _named(rng, found[1], known, taken), body)
    called = _NAME.sub(lambda found: _named(rng, found[1], known, taken), called)
    return Program(source=body.rstrip() + "\n", call=called.strip())


def _derived(rng: Random, to: str, given: str) -> str:
    scope = Scope(rng, lean=True)
    for part in given.split():
        name, _, kind = part.partition(":")
        scope.vars.append(Var(name.replace("$", "DOLLAR"), kind))
    made = derive(scope, to, 1, start=scope.vars[0]) or derive(scope, to, 1)
    if made is None:
        raise ValueError(f"no {to} can be made of {given}")  # a fault of the sketch, met by the tests
    text = made[0] if made[2] >= 11 or to == "bool" else f"({made[0]})"
    return text.replace("DOLLAR", "$")


def _named(rng: Random, name: str, known: dict[str, str], taken: set[str]) -> str:
    if name not in known:
        pool = pools("vocabulary/sketch_names").get(name, (name,))
        free = [other for other in pool if other not in taken]
        chosen = rng.choice(free) if free and rng.random() < 0.93 else ""
        if not chosen:
            chosen = names.strange(rng)
            if name[0].isupper():
                chosen = chosen.strip("_").title().replace("_", "")
            while chosen in taken:
                chosen += "_"
        taken.add(chosen)
        known[name] = chosen
    return known[name]

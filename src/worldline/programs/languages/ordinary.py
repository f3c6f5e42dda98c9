"""Ordinary small programs in Python that every target language can express: filled templates and composed functions.

The folder `templates` has the templates and a README. `composed` builds functions from a few kinds of statements;
remainders keep their ints small.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from random import Random

from worldline.core.program import Program

HOLE = re.compile(r"\{(?:(\w+)=)?([^{}\n]+)\}")
RANGE = re.compile(r"(-?\d+)\.\.(-?\d+)")
KINDS = ("numbers", "lists", "texts", "functions", "records")
LETTERS = "abcdefghijklmnopqrstuvwxyz"


@cache
def templates() -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return every template: its text and its calls; a script has no calls."""
    parsed = []
    folder = files("worldline.programs.languages").joinpath("templates")
    for kind in KINDS:
        text = folder.joinpath(f"{kind}.txt").read_text("utf-8")
        for part in re.split(r"^== \w+\n", text, flags=re.MULTILINE)[1:]:
            lines = part.rstrip("\n").split("\n")
            calls = tuple(line[3:] for line in lines if line.startswith(">> "))
            parsed.append(("\n".join(line for line in lines if not line.startswith(">> ")).strip() + "\n", calls))
    return tuple(parsed)


@cache
def names() -> dict[str, tuple[str, ...]]:
    """Return the alternatives for each name that templates use."""
    text = files("worldline.programs.languages").joinpath("templates", "names.txt").read_text("utf-8")
    return {line.partition(":")[0]: tuple(line.partition(":")[2].split()) for line in text.splitlines() if line}


def ordinary(rng: Random) -> Program:
    """Draw a template, fill its holes and rename its names."""
    return filled(rng.choice(templates()), rng)


def filled(template: tuple[str, tuple[str, ...]], rng: Random) -> Program:
    """Fill the holes of a template and rename its names."""
    text, calls = template
    drawn: dict[str, str] = {}
    source = _filled(text, rng, drawn)
    call = _filled(rng.choice(calls), rng, drawn) if calls else None
    return renamed(Program(source=source, call=call), rng)


def renamed(program: Program, rng: Random) -> Program:
    """Return the same program with other names of the same kind."""
    tree = ast.parse(program.source)
    used = {getattr(node, label) for node in ast.walk(tree) for label in ("id", "arg", "name") if hasattr(node, label)}
    fields = {
        candidate.id
        for node in tree.body
        if isinstance(node, ast.ClassDef)
        for candidate in ast.walk(node)
        if isinstance(candidate, ast.Name)
    }
    fresh: dict[str, str] = {}
    for name in sorted(used & names().keys() - fields):
        others = used - {name} | set(fresh.values())
        fresh[name] = rng.choice([candidate for candidate in names()[name] if candidate not in others] or [name])
    call = program.call
    if call is not None:
        head, bracket, rest = call.partition("(")
        call = fresh.get(head, head) + bracket + rest
    for node in ast.walk(tree):
        for label in ("id", "arg", "name"):
            if (old := getattr(node, label, None)) in fresh:
                setattr(node, label, fresh[old])
    return Program(source=ast.unparse(tree) + "\n", call=call)


def _filled(text: str, rng: Random, drawn: dict[str, str]) -> str:
    def fill(match: re.Match[str]) -> str:
        name, spec = match[1], match[2]
        if spec in drawn:
            return drawn[spec]
        value = draw_value(spec, rng)
        if name:
            drawn[name] = value
        return value

    return HOLE.sub(fill, text)


def draw_value(spec: str, rng: Random) -> str:
    """Draw a value for a hole, as Python spells it: `3..9`, `a|b`, `list 3..7 0..20`, `word 3..8`."""
    word, _, rest = spec.partition(" ")
    if "|" not in spec and (word in _TEXTS or word in ("list", "sorted", "words")):
        low, high = (int(part) for part in _range(rest.split()[0]))
        size = rng.randint(low, high)
        if word in _TEXTS:
            return repr(_TEXTS[word](rng, size))
        if word == "words":
            return repr([_TEXTS["word"](rng, rng.randint(2, 6)) for _ in range(size)])
        minimum, maximum = _range(rest.split()[1])
        items = [rng.randint(minimum, maximum) for _ in range(size)]
        return repr(sorted(items) if word == "sorted" else items)
    if RANGE.fullmatch(spec):
        return str(rng.randint(*_range(spec)))
    return rng.choice(spec.split("|"))


def _range(text: str) -> tuple[int, int]:
    match = RANGE.fullmatch(text)
    if match is None:
        raise ValueError(f"not a range: {text}")
    return int(match[1]), int(match[2])


def _palindrome(rng: Random, size: int) -> str:
    half = "".join(rng.choices(LETTERS[:6], k=(size + 1) // 2))
    text = half + half[: size // 2][::-1]
    return text if rng.random() < 0.6 else text[:-1] + rng.choice(LETTERS)


_TEXTS: dict[str, Callable[[Random, int], str]] = {
    "word": lambda rng, size: "".join(rng.choices(LETTERS, k=size)),
    "repeats": lambda rng, size: "".join(rng.choices("abc", k=size)),
    "moves": lambda rng, size: "".join(rng.choices("uudx", k=size)),
    "palindrome": _palindrome,
    "phrase": lambda rng, size: " ".join("".join(rng.choices(LETTERS[:12], k=rng.randint(1, 6))) for _ in range(size)),
}


# ---- functions put together


def composed(rng: Random) -> Program:
    """Compose a function of a few statements over ints, sometimes with a list or a text, and its call."""
    params = dict.fromkeys(("a", "b", "n")[: rng.randint(1, 3)], "int")
    if rng.random() < 0.5:
        params |= {"xs": "list"} if rng.random() < 0.65 else {"text": "str"}
    maker = _Maker(rng, params)
    body = maker.body()
    head = ", ".join(f"{name}: {kind}" for name, kind in params.items())
    source = f"def f({head}) -> int:\n" + "".join(f"    {line}\n" for line in body)
    return renamed(
        Program(source=source, call=f"f({', '.join(maker.argument(kind) for kind in params.values())})"), rng
    )


class _Maker:
    """Draws statements; a remainder keeps every assigned name below `bound`."""

    def __init__(self, rng: Random, params: dict[str, str]) -> None:
        self.rng, self.params = rng, params
        self.ints = [name for name, kind in params.items() if kind == "int"]
        self.own: list[str] = []
        self.bound = rng.choice((10, 17, 50, 97, 100))
        self.loops = 0

    def argument(self, kind: str) -> str:
        """Draw an argument for a parameter."""
        if kind == "list":
            return repr([self.rng.randint(-5, 30) for _ in range(self.rng.randint(2, 6))])
        if kind == "str":
            return repr("".join(self.rng.choices(LETTERS[:8], k=self.rng.randint(2, 6))))
        return str(self.rng.randint(0, 30))

    def body(self) -> list[str]:
        """Draw the body of the function."""
        lines = []
        for name in ("total", "count", "best")[: self.rng.randint(1, 3)]:
            lines.append(f"{name} = {self.rng.randint(0, 9)}")
            self.own.append(name)
        for _ in range(self.rng.randint(2, 4)):
            lines += self._statement(0)
        result = self.rng.choice(self.own)
        return [
            *lines,
            f"return {result}" if self.rng.random() < 0.6 else f"return {result} - {self.rng.choice(self.own)}",
        ]

    def _statement(self, depth: int) -> list[str]:
        kinds = [self._set, self._set, self._add]
        if depth < 2:
            kinds += [self._branch, self._branch]
        if depth < 2 and self.loops < 2:
            kinds += [self._counted, self._counted, self._while]
            if "list" in self.params.values() or "str" in self.params.values():
                kinds += [self._each, self._each, self._each]
        return self.rng.choice(kinds)(depth)

    def _set(self, depth: int) -> list[str]:
        rng, name = self.rng, self.rng.choice(self.own)
        left, right = self._int(), self._int()
        sign = rng.choice(("+", "-", "*", "+"))
        return [f"{name} = ({left} {sign} {right}{rng.choice(('', f' + {rng.randint(1, 9)}'))}) % {self.bound}"]

    def _add(self, depth: int) -> list[str]:
        amount = self.rng.choice((str(self.rng.randint(1, 9)), self.rng.choice(self.ints)))
        return [f"{self.rng.choice(self.own)} {self.rng.choice(('+=', '-='))} {amount}"]

    def _branch(self, depth: int) -> list[str]:
        lines = [f"if {self._test()}:", *_in(self._statement(depth + 1))]
        if self.rng.random() < 0.3:
            lines += [f"elif {self._test()}:", *_in(self._statement(depth + 1))]
        if self.rng.random() < 0.6:
            lines += ["else:", *_in(self._statement(depth + 1))]
        return lines

    def _counted(self, depth: int) -> list[str]:
        name = next(candidate for candidate in ("i", "j", "k") if candidate not in self.ints)
        first, last = self.rng.randint(0, 2), self.rng.randint(3, 5)
        return self._loop(
            f"for {name} in range({first}, {last}):" if first else f"for {name} in range({last}):", name, depth
        )

    def _while(self, depth: int) -> list[str]:
        name = next(candidate for candidate in ("low", "high", "last") if candidate not in self.ints)
        step = self.rng.randint(2, 4)
        body = self._loop(f"while {name} > {self.rng.randint(0, 3)}:", name, depth)
        return [f"{name} = {self.rng.randint(6, 14)}", *body, f"    {name} -= {step}"]

    def _each(self, depth: int) -> list[str]:
        if "list" in self.params.values():
            return self._loop("for x in xs:", "x", depth) if "x" not in self.ints else self._set(depth)
        self.loops += 1
        letter = self.rng.choice(LETTERS[:8])
        lines = ["for c in text:", f"    if c {self.rng.choice(('==', '!=', '<', '>'))} '{letter}':"]
        return [*lines, *_in(_in(self._add(depth))), *_in(self._set(depth))]

    def _loop(self, head: str, name: str, depth: int) -> list[str]:
        self.loops += 1
        self.ints.append(name)
        body = [line for _ in range(self.rng.randint(1, 2)) for line in self._statement(depth + 1)]
        self.ints.remove(name)
        return [head, *_in(body)]

    def _int(self) -> str:
        rng = self.rng
        if rng.random() < 0.25:
            return str(rng.randint(1, 12))
        return rng.choice([*self.ints, *self.own])

    def _test(self) -> str:
        rng = self.rng
        if rng.random() < 0.3:
            return f"{self._int_name()} % {rng.randint(2, 4)} == {rng.randint(0, 1)}"
        test = f"{self._int_name()} {rng.choice(('<', '>', '<=', '>=', '==', '!='))} {self._int()}"
        if rng.random() < 0.2:
            test += f" {rng.choice(('and', 'or'))} {self._int_name()} {rng.choice('<>')} {rng.randint(1, 20)}"
        return test

    def _int_name(self) -> str:
        return self.rng.choice([*self.ints, *self.own])


def _in(lines: list[str]) -> list[str]:
    return ["    " + line for line in lines]

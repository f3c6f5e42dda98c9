"""From a template to a program: the library's blocks read, a template expanded, its spelling varied, its call written.

A library is one raw string of blocks. A block opens with `== names : makers`, names of the function that suit it (the
first is the idiom's own) and the makers of its arguments; the template follows (a line that ends in a backslash goes
on in the next). The variations of spelling (quotes, `x += y` as `x = x + y`, hints, docstrings, keyword arguments,
blank lines) change no meaning.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from typing import Any

from worldline.core.program import Program
from worldline.programs.generate.idioms_text_arguments import make
from worldline.programs.generate.idioms_text_template import Pieces, Scope, expand, parse
from worldline.programs.generate.idioms_text_vocabulary import PRIMITIVES, macros
from worldline.programs.generate.library import pools

_AUGMENTED = re.compile(r"^( +)(\w+) ([+*-])= (?!.* (?:if|or|and|in|not) )([\w'.\[\]() ]+)$", re.M)
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'((?:[^\'\\\n]|\\.)*)\'')
_PARAGRAPH = re.compile(r"^( {8}.*\n)( {4}(?:return|for|while) )", re.M)
_BLANK = re.compile(r"^ +\n", re.M)
_QUOTED = re.compile(r"\\'")


@dataclass(frozen=True)
class Idiom:
    """A template, the names and the arguments that suit it, the modules it imports; a call draws one program."""

    names: tuple[str, ...]
    makers: tuple[str, ...]
    template: Pieces
    modules: tuple[str, ...] = ()

    def __call__(self, rng: random.Random) -> Program:
        """One program of this idiom."""
        arguments = make(rng, self.makers)
        name = function_name(rng, self.names)
        scope = open_scope(rng, arguments)
        scope.names = {"f": name} | {module: module for module in self.modules}
        return finish(rng, expand(self.template, scope), name, arguments)


def open_scope(rng: random.Random, arguments: list[Any]) -> Scope:
    """A fresh expansion that draws its literals from these arguments."""
    letters = "".join(
        one if isinstance(one, str) else "".join(map(str, one)) for one in arguments if _textual(one)
    )
    return Scope(rng, pools("vocabulary/text_names"), macros(), PRIMITIVES, letters)


def _textual(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and all(isinstance(one, str) for one in value))


def function_name(rng: random.Random, names: tuple[str, ...]) -> str:
    """`f` every other time, else one of the names that suit."""
    return "f" if rng.random() < 0.5 else rng.choice(names)


def finish(rng: random.Random, source: str, name: str, arguments: list[Any]) -> Program:
    """The program of this source and this call, its spelling varied."""
    source = _BLANK.sub("", source).strip("\n") + "\n"
    if rng.random() < 0.2:
        source = _AUGMENTED.sub(r"\1\2 = \2 \3 \4", source) if rng.random() < 0.8 else source
    if rng.random() < 0.06:
        source = _PARAGRAPH.sub(r"\1\n\2", source)
    source = _dressed(rng, source, name, arguments)
    spelled = [repr(one) for one in arguments]
    call = f"{name}({', '.join(_keywords(rng, source, name, spelled))})"
    if rng.random() < 0.12:
        source, call = double_quoted(source), double_quoted(call)
    return Program(source=source, call=call)


def _dressed(rng: random.Random, source: str, name: str, arguments: list[Any]) -> str:
    """The source with hints and a docstring, now and then."""
    if rng.random() > 0.05:
        return source
    names = parameters(source, name)
    if len(names) == len(arguments):
        hints = [f"{one}: {type(value).__name__}" for one, value in zip(names, arguments, strict=True)]
        opening = f"def {name}({', '.join(hints)}):"
        if rng.random() < 0.3 and name != "f":
            opening += f'\n    """{name.replace("_", " ").capitalize()}."""'
        return source.replace(f"def {name}({', '.join(names)}):", opening)
    return source


def parameters(source: str, name: str) -> list[str]:
    """The names of the function's parameters, where they are bare names."""
    head = re.search(rf"^def {name}\(([\w, ]*)\):", source, flags=re.M)
    return head[1].split(", ") if head and head[1] else []


def _keywords(rng: random.Random, source: str, name: str, spelled: list[str]) -> list[str]:
    """The call's arguments, the last one rarely by its name."""
    if rng.random() > 0.03:
        return spelled
    names = parameters(source, name)
    return [*spelled[:-1], f"{names[-1]}={spelled[-1]}"] if len(names) == len(spelled) else spelled


def double_quoted(source: str) -> str:
    """The source with double quotes around its strings, where the string needs no escape for it."""

    def swap(found: re.Match[str]) -> str:
        inner = found[1]
        if inner is None or '"' in inner:
            return found[0]
        return '"' + _QUOTED.sub("'", inner) + '"'

    return _STRING.sub(swap, source)


def read(library: str) -> tuple[Idiom, ...]:
    """The idioms of a library's text."""
    found = []
    for block in re.split(r"^== ", library.replace("\\\n", ""), flags=re.M)[1:]:
        head, body = block.split("\n", 1)
        names, makers = head.split(":")
        own = tuple(name.strip() for name in names.split(","))
        modules = tuple(re.findall(r"^import (\w+)", body, flags=re.M))
        found.append(Idiom(own, tuple(makers.split()), parse(body.rstrip("\n") + "\n"), modules))
    return tuple(found)

"""Functions over lists, texts and maps in JavaScript, Java, C++, Rust and Go, as solutions of exercises are written.

`translate` covers what every language expresses alike; these use each language's own containers and methods. A
function is a loop over a list of ints or a text that fills an accumulator, with tests and a last step; how a language
says each piece is in templates/library.txt, one `language piece: text` per line.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from random import Random

from worldline.core.errors import UsageError
from worldline.core.language import LANGUAGES, usual_name
from worldline.core.program import Program

TARGETS = ("js", "java", "cpp", "rust", "go")
NAMES = ("solve", "process", "collect", "compute", "filterItems", "convert", "countItems", "build", "choose", "f")
INPUTS = {"nums": ("nums", "numbers", "arr", "values", "lst"), "text": ("text", "s", "str_", "word", "message")}
ELEMENTS = {"nums": ("x", "n", "v", "num"), "text": ("c", "ch", "letter")}
RESULTS = {"list": ("result", "out", "ans"), "int": ("count", "total", "result"), "string": ("result", "out", "built")}
# Types of the items of a list, by language and by what is iterated over.
TYPES = {
    ("js", "nums"): "",
    ("js", "text"): "",
    ("java", "nums"): "Integer",
    ("java", "text"): "Character",
    ("cpp", "nums"): "int",
    ("cpp", "text"): "char",
    ("rust", "nums"): "i32",
    ("rust", "text"): "char",
    ("go", "nums"): "int",
    ("go", "text"): "string",
}
BARE = ("rust", "go")
"""Languages without brackets around a test, where an unused import is left out."""
UNENDED = ("go",)
"""Languages whose statements end with the line."""
_IMPORT = re.compile(r"(?:use|import) .*?(\w+)\W*$")
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDE0123 "
_WORDS = ("hello world", "Banana Split", "abracadabra", "Code 42", "racecar", "Mixed CASE text", "a1b2c3", "level up")


@cache
def pieces() -> dict[tuple[str, str], tuple[str, ...]]:
    """Return the ways to say a piece, by language and piece; `all` stands for every language."""
    text = files("worldline.programs.languages").joinpath("templates", "library.txt").read_text("utf-8")
    grouped: dict[tuple[str, str], tuple[str, ...]] = {}
    for line in text.splitlines():
        head, _, wording = line.partition(": ")
        language, _, piece = head.partition(" ")
        if wording and not line.startswith("#"):
            for target in TARGETS if language == "all" else (language,):
                grouped[target, piece] = (*grouped.get((target, piece), ()), wording)
    return grouped


class _Writer:
    """Writes one function in one language."""

    def __init__(self, language: str, rng: Random) -> None:
        self.language, self.rng = language, rng
        self.indent = "\t" if language in UNENDED else "  "
        self.source = rng.choice(tuple(INPUTS))
        self.kind = rng.choices(("list", "int", "string"), (4, 4, 3))[0]
        self.names = {
            "$in": rng.choice(INPUTS[self.source]),
            "$e": rng.choice(ELEMENTS[self.source]),
            "$out": rng.choice(RESULTS[self.kind]),
            "$i": rng.choice(("i", "i", "idx", "j")),
            "$k": rng.choice(("k", "limit", "target", "step")),
            "$seen": rng.choice(("seen", "counts", "freq")),
            "$type": TYPES[language, self.source],
        }
        self.has_limit = False

    def say(self, piece: str) -> str:
        """Write a piece with the names and numbers of this function."""
        text = self.rng.choice(pieces()[self.language, piece])
        for hole, draw in _NUMBERS.items():
            while hole in text:
                text = text.replace(hole, draw(self.rng), 1)
        self.has_limit |= "$k" in text
        for hole, name in self.names.items():
            text = text.replace(hole, name)
        return text

    def can(self, piece: str) -> bool:
        """Return whether the language has a piece."""
        return (self.language, piece) in pieces()

    def act(self) -> str:
        return self.say(f"{self.kind} {self.source}")

    def test(self) -> str:
        first = self.say(f"test {self.source}")
        if self.rng.random() < 0.2:
            return f"{first} {self.rng.choice(('&&', '||'))} {self.say(f'test {self.source}')}"
        return first

    def check(self, test: str, *body: str) -> list[str]:
        """Write an `if` with its body."""
        return [
            f"if {test} {{" if self.language in BARE else f"if ({test}) {{",
            *(f"{self.indent}{line}" for line in body),
        ]

    def body(self) -> list[str]:
        """Write what a round of the loop does."""
        roll = self.rng.random()
        if roll < 0.1:
            return [self.act()]
        if roll < 0.45:
            return [*self.check(self.test(), self.act()), "}"]
        # Choices between actions differ; every kind has at least two.
        acts = list(dict.fromkeys(self.act() for _ in range(8)))
        if roll < 0.7 and len(acts) > 1:
            return [*self.check(self.test(), acts[0]), "} else {", f"{self.indent}{acts[1]}", "}"]
        if roll < 0.85 and len(acts) > 1:
            first, *rest = self.check(self.test(), acts[1])
            return [
                *self.check(self.test(), acts[0]),
                f"}} else {first}",
                *rest,
                "} else {",
                f"{self.indent}{acts[-1]}",
                "}",
            ]
        test, leap = self.test(), self.rng.choice(("continue;", "break;"))
        return [*self.check(test, leap.rstrip(";") if self.language in UNENDED else leap), "}", self.act()]

    def function(self) -> list[str]:
        """Write the statements of the function."""
        loop = self.say(f"loop {self.source}").split(" ;; ")
        lines = [self.say(f"start {self.kind}")]
        if self.rng.random() < 0.3:
            lines.append(self.say(f"before {self.source}"))
        counted = self.rng.random() < 0.15
        if counted:
            lines.append(self.say(f"map {self.source}"))
        inner = [*loop[1:], *([self.say(f"tally {self.source}")] if counted else []), *self.body()]
        if self.can("loop unread") and not re.search(rf"\b{self.names['$e']}\b", "\n".join(inner[len(loop) - 1 :])):
            loop, inner = [self.say("loop unread")], inner[len(loop) - 1 :]
        lines += [loop[0], *(f"{self.indent}{line}" for line in inner), "}"]
        if self.rng.random() < 0.4:
            lines.append(self.say(f"after {self.kind}"))
        return [*lines, self.say(f"return {self.kind}")]


_NUMBERS: dict[str, Callable[[Random], str]] = {
    "#m": lambda rng: str(rng.choice((2, 2, 3, 3, 4, 5))),
    "#n": lambda rng: str(rng.randint(1, 12)),
    "#c": lambda rng: rng.choice("abcdelortsAB1 "),
    "#w": lambda rng: "".join(rng.sample("aeioubcdrst", rng.randint(2, 5))),
}


def program(languages: str) -> Callable[[Random], Program]:
    """Return a maker of functions in one language, in several (`js,rust`) or in `all`.

    Raises:
        UsageError: A language is unknown.
    """
    named = select_targets(languages)
    return lambda rng: _drawn(rng.choice(named), rng)


def select_targets(languages: str) -> tuple[str, ...]:
    """Return the languages that `js,rust` or `all` names.

    Raises:
        UsageError: A language is unknown.
    """
    named = TARGETS if languages == "all" else tuple(languages.split(","))
    if strange := [language for language in named if language not in TARGETS]:
        raise UsageError(f"unknown language {strange[0]!r}: use one of {', '.join(TARGETS)}, or all")
    return named


def _drawn(language: str, rng: Random) -> Program:
    writer = _Writer(language, rng)
    lines = writer.function()
    name = rng.choice(NAMES)
    if language == "rust":
        name = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
    parameters = [writer.say(f"parameter {writer.source}")]
    arguments = [_argument(writer.source, rng)]
    if writer.has_limit:
        parameters.append(writer.say("parameter int"))
        arguments.append(str(rng.randint(1, 9)))
    head = writer.say(f"function {writer.kind}").replace("$f", name).replace("$parameters", ", ".join(parameters))
    body = [head, *(f"{writer.indent}{line}" for line in lines), "}"]
    opening = writer.say("opening").split(" ;; ") if writer.can("opening") else []
    opening = imports_used(language, opening, "\n".join(body))
    lang = LANGUAGES[language]
    file = usual_name(language)
    if writer.can("class"):
        container = writer.say("class")
        body = [f"class {container} {{", *(f"  {line}" for line in body), "}"]
        file = container + lang.suffixes[0]
    source = "\n".join([*opening, *([""] if opening else []), *body]) + "\n"
    return Program(source=source, name=file, call=f"{name}({', '.join(arguments)})")


def imports_used(language: str, opening: list[str], body: str) -> list[str]:
    """Return the lines before a program, without imports of names that the body lacks if the language refuses those."""
    if language not in BARE:
        return opening
    return "\n".join(line for line in opening if _is_used(line, body)).strip().splitlines()


def _is_used(line: str, body: str) -> bool:
    """Return whether the body names what a line imports; other lines are used."""
    imported = _IMPORT.match(line)
    return imported is None or re.search(rf"\b{imported[1]}\b", body) is not None


def _argument(source: str, rng: Random) -> str:
    if source == "nums":
        return repr([rng.randint(-3 if rng.random() < 0.3 else 0, 20) for _ in range(rng.randint(3, 9))])
    if rng.random() < 0.5:
        return repr(rng.choice(_WORDS))
    return repr("".join(rng.choices(LETTERS, k=rng.randint(4, 12))).strip() or "abc")

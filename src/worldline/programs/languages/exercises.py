"""Functions as solutions of exercises are written in JavaScript, Java, C++, Rust and Go.

The folder `exercises` has the functions of each language and a README about their holes. `library_functions` builds
functions out of pieces instead, and `translate` covers what every language expresses alike.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from random import Random

from worldline.core.language import LANGUAGES, usual_name
from worldline.core.program import Program
from worldline.programs.languages.library_functions import imports_used, select_targets
from worldline.programs.languages.ordinary import RANGE, draw_value, names

_CHOICE = re.compile(r"@\{([^{}\n]*(?:\{\}[^{}\n]*)*)\}")
_NAME = re.compile(r"\$([A-Za-z]\w*)")
_OPTIONAL = re.compile(r"^(\s*)\? ", re.MULTILINE)
_CLASSES = {"java": ("Solution", "Solution", "Main", "Program", "Exercise")}
"""Languages whose functions are methods, and names of the class."""


@cache
def exercises(language: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the exercises of a language: text, and the kinds of its arguments."""
    folder = files("worldline.programs.languages").joinpath("exercises")
    parsed = []
    for part in re.split(r"^== \w+\n", folder.joinpath(f"{language}.txt").read_text("utf-8"), flags=re.MULTILINE)[1:]:
        lines = part.rstrip("\n").split("\n")
        (arguments,) = (line[3:] for line in lines if line.startswith(">> "))
        text = "\n".join(line for line in lines if not line.startswith(">> ")).strip("\n")
        parsed.append((text, tuple(filter(None, (kind.strip() for kind in arguments.split(";"))))))
    return tuple(parsed)


def program(languages: str) -> Callable[[Random], Program]:
    """Return a maker of exercises in one language, in several (`js,rust`) or in `all`.

    Raises:
        UsageError: A language is unknown.
    """
    named = select_targets(languages)

    def draw(rng: Random) -> Program:
        language = rng.choice(named)
        return fill_exercise(language, rng.choice(exercises(language)), rng)

    return draw


def fill_exercise(language: str, exercise: tuple[str, tuple[str, ...]], rng: Random) -> Program:
    """Fill the holes of an exercise, name its parts, and draw its arguments."""
    text, kinds = exercise
    text = "\n".join(line for line in text.split("\n") if not (_OPTIONAL.match(line) and rng.random() < 0.5))
    text = _OPTIONAL.sub(r"\1", text)
    text = _CHOICE.sub(lambda match: _choose(match[1], rng), text)
    fresh = _fresh_names(text, language, rng)
    text = _NAME.sub(lambda match: fresh[match[1]], text)
    call = f"{fresh['f']}({', '.join(draw_value(kind, rng) for kind in kinds)})"
    name = usual_name(language)
    opening, text = _split_opening(text)
    if language in _CLASSES:
        container = rng.choice(_CLASSES[language])
        text = "\n".join([f"class {container} {{", *(f"    {line}".rstrip() for line in text.split("\n")), "}"])
        name = container + LANGUAGES[language].suffixes[0]
    head = imports_used(language, opening, text)
    return Program(source="\n".join([*head, *([""] if head else []), text]) + "\n", name=name, call=call)


def _choose(choices: str, rng: Random) -> str:
    """Draw one of several texts, or a number of a range."""
    if RANGE.fullmatch(choices):
        return draw_value(choices, rng)
    return rng.choice(choices.split(" | "))


def _fresh_names(text: str, language: str, rng: Random) -> dict[str, str]:
    """Draw a name for each name that the text marks, no two the same and none that the text says itself."""
    taken = set(re.findall(r"\w+", _NAME.sub(" ", text)))
    chosen: dict[str, str] = {}
    for name in dict.fromkeys(_NAME.findall(text)):
        spelled = [_spell(word, language) for word in names().get(name, (name,))]
        chosen[name] = rng.choice([word for word in spelled if word not in taken] or [name])
        taken.add(chosen[name])
    return chosen


def _spell(name: str, language: str) -> str:
    """Spell a name of two words as the language does."""
    if language == "rust":
        return name
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def _split_opening(text: str) -> tuple[list[str], str]:
    """Split off the lines before the first function: imports."""
    opening, _, rest = text.rpartition("\n--\n")
    return (opening.split("\n") if opening else []), rest

"""Texts of the forms that a source expects: dates by its formats, matches of its patterns, numbers with separators.

The forms are read from the conditions of the source: the formats of `strptime`, `fromisoformat`, the patterns of `re`,
and the separators at which it splits texts that it then converts to numbers.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from re import _constants, _parser  # type: ignore[attr-defined]
from typing import Any

from worldline.analyze.flow.control import syntax

MAX_REPEATS = 4  # of a part of a pattern without an upper bound
_ISO_FORMATS = ("%Y-%m-%d", "%Y-%m-%dT%H:%M:%S")
_DATES = (datetime(2024, 2, 29), datetime(2023, 2, 28), datetime(2000, 12, 31), datetime(2024, 1, 1))
_FIRST_YEAR, _DAYS = datetime(1950, 1, 1), 150 * 365
_DATE_FIELD = re.compile(r"%[-]?[aAbBdHIjmMpSyYfTDFR]")
_DIGITS = re.compile(r"\d+")
_CONVERTERS = ("int", "float")

Form = Callable[[Random], str]


@dataclass(frozen=True)
class WrittenForms:
    """The forms of a source; without forms it is false."""

    forms: tuple[Form, ...]
    numbers: tuple[int, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.forms)

    def draw(self, rng: Random) -> str:
        """Draw a text of one of the forms."""
        return rng.choice(self.forms)(rng)

    def vary(self, rng: Random, text: str) -> str:
        """Change one number in a text, and keep its width."""
        groups = list(_DIGITS.finditer(text))
        if not groups:
            return self.draw(rng)
        group = rng.choice(groups)
        number = int(group[0]) + rng.choice((1, -1, 2, -2, 5, -5, 10, -10))
        if self.numbers and rng.random() < 0.3:
            number = rng.choice(self.numbers)
        return text[: group.start()] + f"{abs(number):0{len(group[0])}d}" + text[group.end() :]


def find_forms(source: str) -> WrittenForms:
    """Read the forms of texts from a source."""
    tree = syntax(source)
    if tree is None:
        return WrittenForms(())
    constants = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    numbers = tuple(dict.fromkeys(n for n in constants if type(n) is int and 0 < n < 10_000))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    names = {_called(node) for node in calls}
    formats = [text for text in constants if isinstance(text, str) and _DATE_FIELD.search(text)]
    formats = [*formats, *(_ISO_FORMATS if "fromisoformat" in names else ())] if _reads_dates(names) else []
    forms = [_date_form(text, numbers) for text in dict.fromkeys(formats)]
    forms += [form for node in calls if (form := _pattern_form(node)) is not None]
    if names & set(_CONVERTERS):
        forms += [_number_form(text, numbers) for text in dict.fromkeys(_separators(calls))]
    return WrittenForms(tuple(forms), numbers)


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _reads_dates(names: set[str]) -> bool:
    return bool(names & {"strptime", "fromisoformat"})


def _date_form(text: str, numbers: Sequence[int]) -> Form:
    def draw(rng: Random) -> str:
        date = rng.choice(_DATES) if rng.random() < 0.2 else _FIRST_YEAR + timedelta(days=rng.randrange(_DAYS))
        date += timedelta(seconds=rng.randrange(86_400))
        for field, least in (("year", 1000), ("month", 1), ("day", 1)):
            if numbers and rng.random() < 0.3 and (number := rng.choice(numbers)) >= least:
                date = _with_field(date, field, number)
        return date.strftime(text)

    return draw


def _with_field(date: datetime, field: str, number: int) -> datetime:
    """Set a field of a date, if there is such a date."""
    try:
        return date.replace(**{field: number})  # type: ignore[arg-type]
    except ValueError:
        return date


def _separators(calls: Sequence[ast.Call]) -> Iterator[str]:
    for node in calls:
        if _called(node) in ("split", "rsplit", "partition", "rpartition") and node.args:
            separator = node.args[0]
            if isinstance(separator, ast.Constant) and isinstance(separator.value, str) and separator.value:
                yield separator.value


def _number_form(separator: str, numbers: Sequence[int]) -> Form:
    def draw(rng: Random) -> str:
        parts = [rng.choice((rng.randrange(10), rng.randrange(100), *numbers[:20])) for _ in range(rng.randint(1, 4))]
        if rng.random() < 0.3:
            parts[0] = rng.randint(1900, 2100)
        width = rng.choice((1, 2))
        return separator.join(f"{part:0{width}d}" for part in parts)

    return draw


def _pattern_form(node: ast.Call) -> Form | None:
    """Return the form of texts that match the constant pattern of a call of `re`."""
    owner = node.func.value if isinstance(node.func, ast.Attribute) else None
    if not (isinstance(owner, ast.Name) and owner.id == "re" and node.args and isinstance(node.args[0], ast.Constant)):
        return None
    pattern = node.args[0].value
    try:
        parsed = _parser.parse(pattern)
    except (re.error, TypeError, RecursionError, OverflowError):
        return None
    return lambda rng: "".join(_match(rng, parsed))


_CLASSES = {
    _constants.CATEGORY_DIGIT: "0123456789",
    _constants.CATEGORY_WORD: "abcxyz019_",
    _constants.CATEGORY_SPACE: " \t",
    _constants.CATEGORY_NOT_DIGIT: "ab -",
    _constants.CATEGORY_NOT_WORD: " -.",
    _constants.CATEGORY_NOT_SPACE: "a0-",
}


def _match(rng: Random, parsed: Any) -> Iterator[str]:
    """Yield parts of a text that a parsed pattern matches; references and assertions are left out."""
    for operator, argument in parsed:
        match str(operator):
            case "LITERAL":
                yield chr(argument)
            case "NOT_LITERAL":
                yield "a" if argument != ord("a") else "b"
            case "ANY":
                yield rng.choice("ab01 -")
            case "IN":
                yield _member(rng, argument)
            case "BRANCH":
                yield from _match(rng, rng.choice(argument[1]))
            case "SUBPATTERN":
                yield from _match(rng, argument[-1])
            case "ATOMIC_GROUP":
                yield from _match(rng, argument)
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                least, most, part = argument
                for _ in range(rng.randint(least, min(int(most), least + MAX_REPEATS))):
                    yield from _match(rng, part)


def _member(rng: Random, members: Sequence[tuple[Any, Any]]) -> str:
    """Return a letter of a set such as `[a-z0-9]`."""
    letters = "".join(_letters(member) for member in members)
    if str(members[0][0]) == "NEGATE":
        others = [letter for letter in "abc019 -_." if letter not in letters]
        return rng.choice(others) if others else "a"
    return rng.choice(letters) if letters else "a"


def _letters(member: tuple[Any, Any]) -> str:
    operator, argument = member
    match str(operator):
        case "LITERAL":
            return chr(argument)
        case "RANGE":
            return "".join(map(chr, range(argument[0], min(argument[1], argument[0] + 100) + 1)))
        case "CATEGORY":
            return _CLASSES.get(argument, "a")
    return ""

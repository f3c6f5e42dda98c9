"""What canonical values are called in the language of their program: `None` is `null` in Java, `NULL` in C.

The table is `natives.toml`; TypeScript has JavaScript's. The page reads the same table (`as_json`) by the same rules,
in `static/natives.js`. Nothing here changes a value: notes stand beside it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from worldline.core.language import LANGUAGES

SHAPES = {"list": "[..]", "dict": "{..: ..}", "set": "{..}", "tuple": "(..)", "bytes": "b'..'"}
"""The kinds that a legend tells: how each is spelled."""
_STRINGS = r"""b?'(?:[^'\\]|\\.)*+'|b?"(?:[^"\\]|\\.)*+\""""
_NUMBER = "-?[0-9]+"


@dataclass(frozen=True)
class NativeNames:
    """One language's names: of words in a value, of kinds of values, of objects by the name before their number."""

    words: Mapping[str, str] = field(default_factory=dict)
    kinds: Mapping[str, str] = field(default_factory=dict)
    objects: Mapping[str, str] = field(default_factory=dict)


class NativeNote(NamedTuple):
    """Some characters of a value's text, from `start` up to `end`, and what they are in the program's language."""

    start: int
    end: int
    name: str
    word: str


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath("natives.toml").read_text("utf-8"))


@cache
def native_names(language: str) -> NativeNames:
    """The names of a language; none for one whose values are canonical as they are."""
    table = _table()
    return NativeNames(**(table.get(language) or table.get(LANGUAGES[language].extends, {})))


def as_json(language: str) -> dict[str, dict[str, str]]:
    """The names of a language for the page."""
    return {name: dict(each) for name, each in asdict(native_names(language)).items()}


@cache
def _pattern(language: str) -> re.Pattern[str] | None:
    """Strings, which hold no words, then the words, then the objects."""
    names = native_names(language)
    if not names.words:
        return None
    words = (re.escape(word).replace(r"\*", _NUMBER) for word in sorted(names.words, key=len, reverse=True))
    objects = "|".join(map(re.escape, names.objects)) or "(?!)"
    return re.compile(
        rf"{_STRINGS}|(?<![\w.#])(?:(?P<word>{'|'.join(words)})(?![\w#=(])|(?P<object>{objects})(?=#))"
    )


def notes(text: str, language: str) -> Iterator[NativeNote]:
    """The words of a value that have a name in a language, in order."""
    pattern, names = _pattern(language), native_names(language)
    for match in pattern.finditer(text) if pattern is not None else ():
        if match["object"]:
            yield NativeNote(*match.span(), names.objects[match["object"]], match["object"])
        elif match["word"]:
            number = re.search(_NUMBER, match["word"])
            word = match["word"] if match["word"] in names.words else re.sub(_NUMBER, "*", match["word"])
            yield NativeNote(*match.span(), names.words[word].replace("*", number[0] if number else ""), word)


def kind_name(text: str, language: str) -> str:
    """What a whole value is in a language; empty where its own kind says it."""
    return native_names(language).kinds.get(_kind(text), "")


def legend(texts: Iterable[str], language: str) -> list[str]:
    """What the words in some values are in a language, each once; where there is no word, what their kinds are."""
    names = native_names(language)
    if not names.words:
        return []
    words, shapes = dict[str, str](), dict[str, str]()
    for text in texts:
        for one in notes(text, language):
            words.setdefault(one.word, f"{text[one.start : one.end]} is {one.name}")
        found = _kind(text)
        if found in SHAPES and found in names.kinds:
            shapes.setdefault(found, f"{SHAPES[found]} is {_a(names.kinds[found])}")
    order = [*names.words, *names.objects]
    return [words[word] for word in order if word in words] or [
        shapes[each] for each in SHAPES if each in shapes
    ]


def _a(name: str) -> str:
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def _kind(text: str) -> str:
    from worldline.core.value import kind  # values are parsed: not for every start

    return kind(text)

"""The names of canonical values in the language of a program: `None` is `null` in Java and `NULL` in C.

The table is `natives.toml`; TypeScript uses JavaScript's. The page applies the same table (`as_json`) in
`static/natives.js`. Values are never changed: the names are notes beside them.
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
from worldline.core.spelling import QUOTED

SHAPES = {"list": "[..]", "dict": "{..: ..}", "set": "{..}", "tuple": "(..)", "bytes": "b'..'"}
"""The kinds that a legend explains, and how they are written."""
_STRINGS = f"b?(?:{QUOTED})"
_NUMBER = "-?[0-9]+"


@dataclass(frozen=True)
class NativeNames:
    """The names of one language: for words in a value, kinds of values, and objects by the name before their number."""

    words: Mapping[str, str] = field(default_factory=dict)
    kinds: Mapping[str, str] = field(default_factory=dict)
    objects: Mapping[str, str] = field(default_factory=dict)


class NativeNote(NamedTuple):
    """A part of a value's text, from `start` to `end`, and its name in the program's language."""

    start: int
    end: int
    name: str
    word: str


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath("natives.toml").read_text("utf-8"))


@cache
def native_names(language: str) -> NativeNames:
    """Return the names of a language; empty if it writes values as they are."""
    table = _table()
    return NativeNames(**(table.get(language) or table.get(LANGUAGES[language].extends, {})))


def as_json(language: str) -> dict[str, dict[str, str]]:
    """Return the names of a language as JSON, for the page."""
    return {field: dict(names) for field, names in asdict(native_names(language)).items()}


@cache
def _pattern(language: str) -> re.Pattern[str] | None:
    """Matches strings, which contain no words, then words, then objects."""
    names = native_names(language)
    if not names.words:
        return None
    words = (re.escape(word).replace(r"\*", _NUMBER) for word in sorted(names.words, key=len, reverse=True))
    objects = "|".join(map(re.escape, names.objects)) or "(?!)"
    return re.compile(rf"{_STRINGS}|(?<![\w.#])(?:(?P<word>{'|'.join(words)})(?![\w#=(])|(?P<object>{objects})(?=#))")


def notes(text: str, language: str) -> Iterator[NativeNote]:
    """Yield the words of a value that have a name in a language."""
    pattern, names = _pattern(language), native_names(language)
    for match in pattern.finditer(text) if pattern is not None else ():
        if match["object"]:
            yield NativeNote(*match.span(), names.objects[match["object"]], match["object"])
        elif match["word"]:
            number = re.search(_NUMBER, match["word"])
            word = match["word"] if match["word"] in names.words else re.sub(_NUMBER, "*", match["word"])
            yield NativeNote(*match.span(), names.words[word].replace("*", number[0] if number else ""), word)


def legend(texts: Iterable[str], language: str) -> list[str]:
    """Explain the words in some values, each once; if there are none, explain the kinds of the values."""
    names = native_names(language)
    if not names.words:
        return []
    from worldline.core.value import kind as kind_of  # slow to import

    words, shapes = dict[str, str](), dict[str, str]()
    for text in texts:
        for note in notes(text, language):
            words.setdefault(note.word, f"{text[note.start : note.end]} is {note.name}")
        kind = kind_of(text)
        if kind in SHAPES and kind in names.kinds:
            shapes.setdefault(kind, f"{SHAPES[kind]} is {_with_article(names.kinds[kind])}")
    order = [*names.words, *names.objects]
    return [words[word] for word in order if word in words] or [shapes[kind] for kind in SHAPES if kind in shapes]


def _with_article(name: str) -> str:
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"

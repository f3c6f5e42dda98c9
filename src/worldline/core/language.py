"""The languages of programs: one record each, with the facts that other packages need.

Other packages read a fact (`program.lang.has_syntax_tree`) instead of comparing names. Behaviour that differs per
language lives in tables of the packages that own it; `tests/architecture/test_language_records.py` names them all.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from worldline.core.errors import UsageError

DEFAULT_LANGUAGE = "python"
"""The language of a program whose name, header or option does not name one."""

_THREE_ENDS = re.compile(r"\r\n|\r|\n")
_SCRIPT_ENDS = re.compile("\r\n|\r|\n|[\u2028\u2029]")
# C, C++, Rust and Go: a carriage return alone is a blank.
_FEEDS = re.compile(r"\r*\n")


class Feature(StrEnum):
    """A feature that some languages do not offer."""

    CHANGE = "change"
    MINE = "mine"
    PATHS = "paths"
    REHEARSE = "rehearse"
    REWRITE = "rewrite"
    SCHEDULE = "schedule"
    SCRATCHPAD = "scratchpad"


_PYTHON_ONLY = {
    Feature.CHANGE: "only Python programs can be changed while they execute",
    Feature.MINE: "only Python can be mined",
    Feature.PATHS: "paths are available only for Python",
    Feature.REWRITE: "only Python can be rewritten",
    Feature.SCHEDULE: "only threads of Python programs are scheduled",
    Feature.SCRATCHPAD: "a scratchpad rewrites only Python: predict it without one",
}
_NOT_REHEARSED = {**_PYTHON_ONLY, Feature.REHEARSE: "only Python, shell scripts and JavaScript can be rehearsed"}


@dataclass(frozen=True, kw_only=True)
class Language:
    """One language: its names, its files, and what is known about its programs.

    Attributes:
        name: As headers, options and files on disk spell it: `js`.
        title: As people spell it: `JavaScript`.
        suffixes: Of its files; the first one is the default.
        line_end: What ends a line of a source.
        lexer: The name of its pygments lexer.
        mime: The media type of a source.
        receiver: The name of a method's object, or None if it is the first parameter, whatever its name.
        extends: The language whose library it shares, or empty.
        main_class: The class that names the file of a script, or empty if a file may have any name.
        has_syntax_tree: Sources and calls parse with `ast`, so the text alone gives the control flow, the lines that
            can execute and their operations. Otherwise a flow table of the recorder gives what is known.
        runs_in_interpreter: The Python interpreter executes and records it, so its texts may come from Python's own
            tracers. Otherwise a toolchain of the host compiles and executes it.
        runs_top_level: A script executes its file from the top. Otherwise it starts in `main`.
        raises_anywhere: Any line may raise, without a statement that says so.
        shares_objects: An assignment makes a second name of one object, not a copy.
        numbers_objects: Values number their objects, so that two names of one object can be recognized.
        returns_undefined: A function without a result returns a value of its own.
        has_preprocessor: Lines that start with `#` are directives.
        unavailable: The features it does not have, each with the reason that a user reads.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    line_end: re.Pattern[str]
    lexer: str
    mime: str
    receiver: str | None = "this"
    extends: str = ""
    main_class: str = ""
    has_syntax_tree: bool = False
    runs_in_interpreter: bool = False
    runs_top_level: bool = False
    raises_anywhere: bool = False
    shares_objects: bool = False
    numbers_objects: bool = True
    returns_undefined: bool = False
    has_preprocessor: bool = False
    unavailable: Mapping[Feature, str] = field(hash=False)

    @property
    def is_default(self) -> bool:
        """Whether it is the language of programs that name none."""
        return self.name == DEFAULT_LANGUAGE

    def offers(self, feature: Feature) -> bool:
        """Whether programs of this language have a feature."""
        return feature not in self.unavailable

    def refusal(self, feature: Feature, subject: str) -> str:
        """Explain why a program or file of this language (`subject`) does not have a feature; empty if it has it."""
        reason = self.unavailable.get(feature, "")
        return reason and f"{subject} is {self.title}, and {reason}"

    def require(self, feature: Feature, subject: str) -> None:
        """Raise a UsageError with the reason unless programs of this language (`subject`) have a feature."""
        if reason := self.refusal(feature, subject):
            raise UsageError(reason)


_RECORDS = (
    Language(
        name="python",
        title="Python",
        suffixes=(".py",),
        line_end=_THREE_ENDS,
        lexer="python",
        mime="text/x-python",
        receiver=None,
        has_syntax_tree=True,
        runs_in_interpreter=True,
        runs_top_level=True,
        shares_objects=True,
        numbers_objects=False,
        unavailable={},
    ),
    Language(
        name="js",
        title="JavaScript",
        suffixes=(".js", ".mjs", ".cjs"),
        line_end=_SCRIPT_ENDS,
        lexer="javascript",
        mime="text/javascript",
        runs_top_level=True,
        shares_objects=True,
        returns_undefined=True,
        unavailable=_PYTHON_ONLY,
    ),
    Language(
        name="ts",
        title="TypeScript",
        suffixes=(".ts", ".mts"),
        line_end=_SCRIPT_ENDS,
        lexer="typescript",
        mime="text/typescript",
        extends="js",
        runs_top_level=True,
        shares_objects=True,
        returns_undefined=True,
        unavailable=_NOT_REHEARSED,
    ),
    Language(
        name="java",
        title="Java",
        suffixes=(".java",),
        line_end=_THREE_ENDS,
        lexer="java",
        mime="text/x-java",
        main_class="Main",
        shares_objects=True,
        unavailable=_NOT_REHEARSED,
    ),
    Language(
        name="c",
        title="C",
        suffixes=(".c",),
        line_end=_FEEDS,
        lexer="c",
        mime="text/x-c",
        has_preprocessor=True,
        unavailable=_NOT_REHEARSED,
    ),
    Language(
        name="cpp",
        title="C++",
        suffixes=(".cpp", ".cc", ".cxx"),
        line_end=_FEEDS,
        lexer="cpp",
        mime="text/x-c++",
        extends="c",
        has_preprocessor=True,
        unavailable=_NOT_REHEARSED,
    ),
    Language(
        name="rust",
        title="Rust",
        suffixes=(".rs",),
        line_end=_FEEDS,
        lexer="rust",
        mime="text/x-rust",
        receiver="self",
        raises_anywhere=True,
        unavailable=_NOT_REHEARSED,
    ),
    Language(
        name="go",
        title="Go",
        suffixes=(".go",),
        line_end=_FEEDS,
        lexer="go",
        mime="text/x-go",
        receiver=None,
        raises_anywhere=True,
        unavailable=_NOT_REHEARSED,
    ),
)
LANGUAGES: Mapping[str, Language] = {record.name: record for record in _RECORDS}
SUFFIXES: Mapping[str, str] = {suffix: record.name for record in _RECORDS for suffix in record.suffixes}
_SPELLINGS = {
    spelling.lower(): record.name
    for record in _RECORDS
    for spelling in (record.name, record.title, *(suffix[1:] for suffix in record.suffixes))
}


def language_named(word: str) -> str:
    """Return the name of the language that a word means (`C++`, `javascript`, `.rs`); other words as they are."""
    return _SPELLINGS.get(word.lower().removeprefix("."), word)


def language_of(name: str) -> str:
    """Return the language of a file by its suffix; Python by default."""
    return SUFFIXES.get(name[name.rfind(".") :], DEFAULT_LANGUAGE)


def usual_name(language: str) -> str:
    """Return the default file name of a program in a language: `program.rs`."""
    return "program" + LANGUAGES[language].suffixes[0]


def all_lines(source: str, language: str = DEFAULT_LANGUAGE) -> list[str]:
    """Split a source into lines without their ends; the text after the last end is a line, often an empty one.

    A source in a language without a record is split at line feeds.
    """
    line_end = LANGUAGES[language].line_end if language in LANGUAGES else _FEEDS
    lines = line_end.split(source)
    if line_end is _FEEDS:
        lines[-1] = lines[-1].rstrip("\r")
    return lines


def source_lines(source: str, language: str = DEFAULT_LANGUAGE) -> list[str]:
    """Split a source into lines without their ends, and without an empty last line."""
    lines = all_lines(source, language)
    return lines[:-1] if lines[-1] == "" else lines

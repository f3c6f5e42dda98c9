"""The languages that programs are written in: one record each, with the facts that other packages ask for.

Other packages read a fact (`program.lang.has_syntax_tree`) instead of comparing names. Behaviour that differs per
language stands in tables of the packages that own it; `tests/architecture/test_language_records.py` names them all.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from worldline.core.errors import UsageError

DEFAULT_LANGUAGE = "python"
"""The language of a program whose name, header or option says none."""

_THREE_ENDS = re.compile(r"\r\n|\r|\n")
_SCRIPT_ENDS = re.compile("\r\n|\r|\n|[\u2028\u2029]")
# C, C++ and Rust: a carriage return alone is a blank.
_FEEDS = re.compile(r"\r*\n")


class Feature(StrEnum):
    """What some languages do not offer."""

    CHANGE = "change"
    CONTROL = "control"
    MINE = "mine"
    PATHS = "paths"
    REHEARSE = "rehearse"
    REWRITE = "rewrite"
    SCRATCHPAD = "scratchpad"


_PYTHON_ONLY = {
    Feature.CHANGE: "only runs of Python programs can be changed on the way",
    Feature.CONTROL: "only runs of Python programs are controlled",
    Feature.MINE: "only Python is mined",
    Feature.PATHS: "paths are looked for only in Python",
    Feature.REWRITE: "only Python is rewritten",
    Feature.SCRATCHPAD: "a scratchpad rewrites only Python: imagine it without one",
}
_NOT_REHEARSED = {**_PYTHON_ONLY, Feature.REHEARSE: "only Python, shells and JavaScript are rehearsed"}


@dataclass(frozen=True, kw_only=True)
class Language:
    """One language: what it is called, how its files look, and what is known of its programs.

    Attributes:
        name: As headers, options and files on disk spell it: `js`.
        title: As people spell it: `JavaScript`.
        suffixes: Of its files; the first one is the usual one.
        line_end: What ends a line of a source.
        lexer: The lexer of pygments that reads it.
        mime: The media type of a source.
        receiver: The name of a method's object; None where it is the first parameter, whatever its name.
        extends: The language whose library it has too; empty where there is none.
        main_class: The class that names the file of a script; empty where a file may have any name.
        has_syntax_tree: Sources and calls parse with `ast`, so that the text alone says how control flows, which
            lines can run and which operations they have. Otherwise a table of the recorder says what is known.
        runs_in_interpreter: The Python interpreter executes it, and its recorder records it. Only of such programs
            are there texts by Python's own tracers. Otherwise a toolchain of the host compiles and runs it.
        runs_top_level: A script executes its file from the top. Otherwise it begins in `main`.
        raises_anywhere: Any line may raise, without a word that says so.
        shares_objects: An assignment makes a second name of one object, not a copy.
        numbers_objects: Values call an object by a number, so that two names of one object can be told.
        returns_undefined: A function without a result gives back a value of its own that can be shown.
        has_preprocessor: Lines that begin with `#` are directives.
        unavailable: The features that it does not have, each with the reason that a user reads.
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
        """Tell whether programs of this language have a feature."""
        return feature not in self.unavailable

    def refusal(self, feature: Feature, subject: str) -> str:
        """Say why a program or file of this language does not have a feature.

        Args:
            feature: The feature that is wanted.
            subject: What the user calls the program: its file, or `it`.

        Returns:
            A sentence with the reason, without a full stop; empty where the language has the feature.
        """
        reason = self.unavailable.get(feature, "")
        return reason and f"{subject} is {self.title}, and {reason}"

    def require(self, feature: Feature, subject: str) -> None:
        """Refuse a program or file whose language does not have a feature.

        Args:
            feature: The feature that is wanted.
            subject: What the user calls the program: its file, or `it`.

        Raises:
            UsageError: The language does not have the feature; the message gives the reason.
        """
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
)
LANGUAGES: Mapping[str, Language] = {record.name: record for record in _RECORDS}
SUFFIXES: Mapping[str, str] = {suffix: record.name for record in _RECORDS for suffix in record.suffixes}


def language_of(name: str) -> str:
    """The language that a file's name says, by its suffix alone; Python where it says none."""
    return SUFFIXES.get(name[name.rfind(".") :], DEFAULT_LANGUAGE)


def usual_name(language: str) -> str:
    """What a program of a language is called that has no name of its own: `program.rs`."""
    return "program" + LANGUAGES[language].suffixes[0]


def all_lines(source: str, language: str = DEFAULT_LANGUAGE) -> list[str]:
    """The lines of a source without their ends; what stands behind the last end is a line too, often an empty one.

    A text in a language that has no record is split at its line feeds.
    """
    line_end = LANGUAGES[language].line_end if language in LANGUAGES else _FEEDS
    lines = line_end.split(source)
    if line_end is _FEEDS:
        lines[-1] = lines[-1].rstrip("\r")
    return lines


def source_lines(source: str, language: str = DEFAULT_LANGUAGE) -> list[str]:
    """The lines of a source without their ends, and none behind the last end."""
    lines = all_lines(source, language)
    return lines[:-1] if lines[-1] == "" else lines

"""The crux-x suite: CRUXEval-X, the functions of CRUXEval in other languages, from its own files (`crux_x_files`).

A row has `code`, a function followed by a test, and that test twice with `????` for the input and for the output. Their
positions locate both in the code, and the test is removed. A task is the
call; its answer is the row's output if that is a literal of plain values. Rows whose input is not a literal are left
out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from worldline.codec.compact.prompt import Compact
from worldline.codec.literals import NotLiteral, Reader, spelled
from worldline.core.errors import UsageError
from worldline.core.language import LANGUAGES, usual_name
from worldline.core.program import Program
from worldline.evaluation.suites.crux import LIMITS, ended, literal
from worldline.evaluation.suites.languages.crux_x_files import BLANK, CruxFiles, read_cruxeval_x
from worldline.evaluation.suites.languages.humaneval_x import go_file
from worldline.evaluation.suites.suite import Suite, Task

_TUPLES = re.compile(r"^import org\.javatuples[^\n]*\n", re.MULTILINE)  # a library that is not in the JDK
_TUPLE_TYPES = re.compile(r"\b(?:Unit|Pair|Triplet|Quartet|Quintet|Sextet|Tuple)\b")


def _without_tuples(source: str) -> str:
    rest = _TUPLES.sub("", source)
    return source if _TUPLE_TYPES.search(rest) else rest


def _as_it_is(source: str) -> str:
    return source


@dataclass(frozen=True)
class CruxRows:
    """How the benchmark's rows of a language are read.

    Attributes:
        files: Its files; their ending also names its rows.
        closing: What is removed with the test, and must be restored.
        cleaned: Makes it compile on its own: unused imports are removed.
        shows_lists: A list has the same text in every implementation of its type; an empty slice of Go may be `nil`.
    """

    files: CruxFiles
    closing: str = ""
    cleaned: Callable[[str], str] = _as_it_is
    shows_lists: bool = True


def _files(ending: str, split: str, test: str) -> CruxFiles:
    return CruxFiles(ending, split, re.compile(test, re.MULTILINE))


CRUX_ROWS = {
    "js": CruxRows(_files("js", "JavaScript", r"^const assert = require")),
    "ts": CruxRows(
        _files("ts", "TypeScript", r"^declare var require: any;(?:\s*const assert = require)?|^const assert = require")
    ),
    "java": CruxRows(
        _files("java", "Java", r"^ *\}\s*public static void main\("),
        "    }\n}\n",
        cleaned=_without_tuples,
        shows_lists=False,
    ),
    "cpp": CruxRows(_files("cpp", "Cpp", r"^\}\s*int main\("), "}\n"),
    "rust": CruxRows(_files("rs", "Rust", r"^\}\s*fn main\("), "}\n"),
    "go": CruxRows(_files("go", "Go", r"^func TestF\("), cleaned=go_file, shows_lists=False),
}
"""The languages of the benchmark."""


def load(*, data: str | Path, language: str = "", seed: int = 0, reveal: int = 1, delta: str = "whole") -> Suite:
    """Load every row of a language whose input is a literal, shuffled by the seed."""
    if language not in CRUX_ROWS:
        raise UsageError(f"crux-x needs --language, one of {', '.join(CRUX_ROWS)}, not {language or 'none'}")
    rows = read_cruxeval_x(data, CRUX_ROWS[language].files)
    Random(f"bench crux-x {seed}").shuffle(rows)
    return Suite(name="crux-x", tasks=_tasks(rows, language, Compact(reveal=reveal, delta=delta)), limits=LIMITS)


def _tasks(rows: list[dict[str, str]], language: str, options: Compact) -> Iterator[Task]:
    for row in rows:
        program = program_of(row, language)
        if program is not None:
            answer = _answer(_blank(row["code"], row["output_reasoning"]), language)
            name = f"{CRUX_ROWS[language].files.ending}/{row['id']}"
            yield Task(program=program, options=options, name=name, answer=answer, group=LANGUAGES[language].title)


def program_of(row: dict[str, str], language: str) -> Program | None:
    """Return the function of a row with its call; None if the input is not a literal."""
    code, arguments = row["code"], _blank(row["code"], row["input_reasoning"])
    test = code.rfind(row["output_reasoning"].partition(BLANK)[0])
    if arguments is None or test < 0:
        return None
    try:
        values = Reader(arguments + ")", language).several(")")
        call = f"f({', '.join(map(spelled, values))})"
    except NotLiteral:
        return None
    source = code[:test].rstrip() + "\n" + CRUX_ROWS[language].closing
    source = CRUX_ROWS[language].cleaned(source)
    return Program(source=ended(source.lstrip("\n")), name=usual_name(language), call=call)


def _blank(code: str, blanked: str) -> str | None:
    """The part of the code that `????` stands for."""
    before, sign, after = blanked.partition(BLANK)
    start = code.rfind(before) if sign else -1
    end = len(code.rstrip()) - len(after.rstrip())
    is_located = start >= 0 and start + len(before) <= end and code.rstrip().endswith(after.rstrip())
    return code[start + len(before) : end] if is_located else None


def _answer(text: str | None, language: str) -> str | None:
    """The canonical text of an output of plain values; None if the recording must decide."""
    if text is None:
        return None
    try:
        reader = Reader(text + ")", language)
        value = reader.value()
    except NotLiteral:
        return None
    return literal(spelled(value)) if reader.has(")") and _is_plain(value, language) else None


def _is_plain(value: Any, language: str) -> bool:
    """Whether a value has the same text in every implementation of its type."""
    if isinstance(value, list | tuple):
        return CRUX_ROWS[language].shows_lists and all(_is_plain(item, language) for item in value)
    return value is not None and isinstance(value, str | int | float)

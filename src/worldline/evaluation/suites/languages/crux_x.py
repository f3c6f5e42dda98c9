"""The crux-x suite: CRUXEval-X, the functions of CRUXEval in other languages, from its own files.

A row (`datasets/cruxeval_preprocessed/js.jsonl`) has `code`, a function with a test behind it, and the test twice more
with `????` for the input and for the output: so both are found in the code by where they stand, and the test is cut
off. A task is the call; its answer is the row's output where that is a literal of plain values. Rows whose input is no
literal are left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from worldline.codec.compact.prompt import Compact
from worldline.core.errors import UsageError
from worldline.core.language import LANGUAGES, usual_name
from worldline.core.program import Program
from worldline.evaluation.rows import read_rows
from worldline.evaluation.suites.crux import LIMITS, ended, literal
from worldline.evaluation.suites.languages.literals import NotLiteral, Reader, spelled
from worldline.evaluation.suites.suite import Suite, Task

KEYS = ("id", "code", "input_reasoning", "output_reasoning")
BLANK = "????"
_TUPLES = re.compile(r"^import org\.javatuples[^\n]*\n", re.MULTILINE)  # a library that no JDK comes with
_TUPLE_TYPES = re.compile(r"\b(?:Unit|Pair|Triplet|Quartet|Quintet|Sextet|Tuple)\b")


def _without_tuples(source: str) -> str:
    rest = _TUPLES.sub("", source)
    return source if _TUPLE_TYPES.search(rest) else rest


def _as_it_is(source: str) -> str:
    return source


@dataclass(frozen=True)
class CruxRows:
    """How the benchmark has its rows of a language.

    Attributes:
        ending: What its file and its rows are called.
        closing: What is cut off with the test, and put back.
        cleaned: Takes the imports out that the source has no use for.
        shows_lists: A list shows the same in every implementation of its type.
    """

    ending: str
    closing: str = ""
    cleaned: Callable[[str], str] = _as_it_is
    shows_lists: bool = True


CRUX_ROWS = {
    "js": CruxRows("js"),
    "ts": CruxRows("ts"),
    "java": CruxRows("java", "    }\n}\n", cleaned=_without_tuples, shows_lists=False),
    "cpp": CruxRows("cpp", "}\n"),
    "rust": CruxRows("rs", "}\n"),
}
"""The languages that the benchmark has."""


def load(
    *, data: str | Path, language: str = "", seed: int = 0, reveal: int = 1, delta: str = "whole"
) -> Suite:
    """Every row of a language whose input is a literal, in an order of the seed's."""
    if language not in CRUX_ROWS:
        raise UsageError(f"crux-x asks for --language {', '.join(CRUX_ROWS)}, not {language or 'none'}")
    path = Path(data) / f"{CRUX_ROWS[language].ending}.jsonl" if Path(data).is_dir() else Path(data)
    rows = read_rows(path, KEYS)
    Random(f"bench crux-x {seed}").shuffle(rows)
    return Suite(
        name="crux-x", tasks=_tasks(rows, language, Compact(reveal=reveal, delta=delta)), limits=LIMITS
    )


def _tasks(rows: list[dict[str, str]], language: str, options: Compact) -> Iterator[Task]:
    for row in rows:
        program = program_of(row, language)
        if program is not None:
            answer = _answer(_blank(row["code"], row["output_reasoning"]), language)
            name = f"{CRUX_ROWS[language].ending}/{row['id']}"
            yield Task(
                program=program, options=options, name=name, answer=answer, group=LANGUAGES[language].title
            )


def program_of(row: dict[str, str], language: str) -> Program | None:
    """The function of a row with its call; None where the input is no literal."""
    code, given = row["code"], _blank(row["code"], row["input_reasoning"])
    test = code.rfind(row["output_reasoning"].partition(BLANK)[0])
    if given is None or test < 0:
        return None
    try:
        values = Reader(given + ")", language).several(")")
        call = f"f({', '.join(map(spelled, values))})"
    except NotLiteral:
        return None
    source = code[:test].rstrip() + "\n" + CRUX_ROWS[language].closing
    source = CRUX_ROWS[language].cleaned(source)
    return Program(source=ended(source.lstrip("\n")), name=usual_name(language), call=call)


def _blank(code: str, blanked: str) -> str | None:
    """What stands in the code where a part of it has `????`."""
    before, sign, behind = blanked.partition(BLANK)
    start = code.rfind(before) if sign else -1
    end = len(code.rstrip()) - len(behind.rstrip())
    is_there = start >= 0 and start + len(before) <= end and code.rstrip().endswith(behind.rstrip())
    return code[start + len(before) : end] if is_there else None


def _answer(text: str | None, language: str) -> str | None:
    """The canonical text of an output of plain values; None where the recording is to say what is right."""
    if text is None:
        return None
    try:
        reader = Reader(text + ")", language)
        value = reader.value()
    except NotLiteral:
        return None
    return literal(spelled(value)) if reader.has(")") and _is_plain(value, language) else None


def _is_plain(value: Any, language: str) -> bool:
    """Whether a value shows the same in every implementation of its type: what holds others may have a name."""
    if isinstance(value, list | tuple):
        return CRUX_ROWS[language].shows_lists and all(_is_plain(item, language) for item in value)
    return value is not None and isinstance(value, str | int | float)

"""A suite of one's own programs: JSON lines, each a program with its `source` and, unless it is a script, its `call`.

A row may say its `answer` (a literal as text, or a JSON value that is no text), its `id`, a `stdin`, `argv`, a
`group`, its row in the report, and its `language`, where that is not Python or the file's. Every mistake is named with
its line, all at once and before anything runs. What else a row holds is left alone, unless it looks like a slip of the
pen.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from random import Random
from typing import Any

from worldline.analyze.flow.entries import entries, in_words
from worldline.codec.compact.prompt import Compact
from worldline.core.errors import UsageError
from worldline.core.external_json import parse_external_json
from worldline.core.language import LANGUAGES, usual_name
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.evaluation.rows import read_text
from worldline.evaluation.suites.crux import ended, literal
from worldline.evaluation.suites.suite import Suite, Task

KEYS = ("source", "call", "answer", "id", "stdin", "argv", "group", "language")
ENDINGS = (".jsonl", ".jsonl.gz", ".ndjson")
NAMED = 5  # mistakes that are told in words
_JSON = {
    bool: "a truth value",
    int: "a number",
    float: "a number",
    list: "a list",
    dict: "an object",
    type(None): "null",
}


class _Mistake(Exception):
    """What is wrong with one row."""


def is_file(suite: str) -> bool:
    """Whether a suite is named by its file."""
    return suite.endswith(ENDINGS) or Path(suite).is_file()


def load(
    *, data: str | Path, seed: int = 0, reveal: int = 1, delta: str = "whole", bare: bool = False, steps: int = 20_000,
    language: str = "python", hidden: str = "predicted",
) -> Suite:  # fmt: skip
    """Every row of a file, in its order; under a seed that is not 0, in one of the seed's.

    `language` is that of rows that do not say theirs.
    """
    lines = enumerate(read_text(data).split("\n"), 1)
    rows = [(f"line {number}", line) for number, line in lines if line.strip()]
    if not rows:
        raise UsageError(f"{data} has no rows")
    tasks = _tasks(str(data), rows, Compact(reveal=reveal, delta=delta, bare=bare, hidden=hidden), language)
    if seed:
        Random(f"bench own {seed}").shuffle(tasks)
    return Suite(name=Path(data).name, tasks=tasks, count=len(tasks), limits=Limits(steps=steps))


def rows_suite(
    rows: Iterable[Mapping[str, Any]], *, name: str = "own", options: Compact | None = None
) -> Suite:
    """A suite of rows that are at hand."""
    numbered = [(f"row {number}", row) for number, row in enumerate(rows, 1)]
    tasks = _tasks(name, numbered, options or Compact())
    return Suite(name=name, tasks=tasks, count=len(tasks))


def _tasks(
    name: str, rows: Iterable[tuple[str, Any]], options: Compact, language: str = "python"
) -> list[Task]:
    tasks, mistakes, seen = list[Task](), list[str](), dict[str, str]()
    for where, row in rows:
        try:
            task = _task(where, {"language": language, **_object(row)}, options)
            if task.name in seen:
                raise _Mistake(f": the id {task.name} is that of {seen[task.name]}")
        except _Mistake as mistake:
            mistakes.append(f"{where}{mistake}")
        else:
            seen[task.name] = where
            tasks.append(task)
    if mistakes:
        more = f"; and {len(mistakes) - NAMED} more" if len(mistakes) > NAMED else ""
        raise UsageError(f"{name}: {'; '.join(mistakes[:NAMED])}{more}")
    return tasks


def _object(row: Any) -> Mapping[str, Any]:
    if isinstance(row, str):
        try:
            row = parse_external_json(row)
        except ValueError as error:
            raise _Mistake(f" is not JSON: {error}") from None
    if not isinstance(row, Mapping):
        raise _Mistake(" is not an object")
    return row


def _task(where: str, row: Mapping[str, Any], options: Compact) -> Task:
    for key in row:
        near = [] if key in KEYS else get_close_matches(key, [one for one in KEYS if one not in row], 1, 0.8)
        if near:
            raise _Mistake(f" has `{key}`: is `{near[0]}` meant?")
    source, call = _text(row, "source"), _text(row, "call")
    if source is None:
        raise _Mistake(" has no `source`")
    language = _text(row, "language") or "python"
    if language not in LANGUAGES:
        raise _Mistake(f": a language is one of {', '.join(LANGUAGES)}, not {language!r}")
    _check_call(source, call, language)
    argv = row.get("argv") or ()
    if not isinstance(argv, list | tuple) or not all(isinstance(word, str) for word in argv):
        raise _Mistake(": `argv` is not a list of texts")
    program = Program(
        source=ended(source), name=usual_name(language), call=call, argv=tuple(argv), stdin=_text(row, "stdin") or ""
    )  # fmt: skip
    name, group = row.get("id", where), _text(row, "group") or ""
    return Task(program=program, options=options, name=str(name), answer=_answer(row), group=group)


def _text(row: Mapping[str, Any], key: str) -> str | None:
    value = row.get(key)
    if value is not None and not isinstance(value, str):
        raise _Mistake(f": `{key}` is {_JSON.get(type(value), type(value).__name__)}, not text")
    return value


def _check_call(source: str, call: str | None, language: str) -> None:
    if call is None:
        found = entries(source) if LANGUAGES[language].has_syntax_tree else []
        if found:
            raise _Mistake(
                f" has no `call`, and its source only defines {in_words(found)}: such as {found[0].example!r}"
            )
        return
    try:
        ast.parse(call.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise _Mistake(f": a call is one expression, and {call!r} is not: {error}") from None


def _answer(row: Mapping[str, Any]) -> str | None:
    """The answer as canonical text, where the row has one."""
    if "answer" not in row:
        return None
    said = row["answer"]
    found = literal(said if isinstance(said, str) else repr(said))
    if found is None:
        hint = f"; the text itself is written {_quoted(repr(said))}" if isinstance(said, str) else ""
        raise _Mistake(f": the answer {said} is no literal{hint}")
    return found


def _quoted(text: str) -> str:
    return f'"{text}"' if '"' not in text else text


def programs_suite(programs: Iterable[Program]) -> Suite:
    """A suite of programs that are at hand."""
    tasks = [Task(program=program, name=_name(program, at)) for at, program in enumerate(programs, 1)]
    return Suite(name="own", tasks=tasks, count=len(tasks))


def _name(program: Program, at: int) -> str:
    return f"{at} {program.call or program.name}"


def loose_suite(things: Iterator[Any]) -> Suite:
    """A suite of whatever stands for tasks: tasks, programs or rows, all of one kind."""
    found = list(things)
    if found and all(isinstance(one, Task) for one in found):
        return Suite(name="own", tasks=found, count=len(found))
    if found and all(isinstance(one, Program) for one in found):
        return programs_suite(found)
    if found and all(isinstance(one, Mapping) for one in found):
        return rows_suite(found)
    raise UsageError("a suite is a name, a FILE.jsonl, a Suite, or Tasks, Programs or rows, all of one kind")

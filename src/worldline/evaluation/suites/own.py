"""A suite of your own programs: JSON lines, each with a `source` and, unless it is a script, a `call`.

A row may have an `answer` (a literal as text, or a JSON value that is not text), an `id`, `stdin`, `argv`, `flags` of
the compiler, `vm_flags`, a `group` (its row in the report) and a `language`, if it is not Python or the file's. All
mistakes are reported with their lines before anything runs. Other keys are ignored, unless they look like misspellings.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from random import Random
from typing import Any

from worldline.analyze.flow.entries import entries, in_words
from worldline.codec.compact.prompt import Compact
from worldline.core.errors import UsageError
from worldline.core.external_json import parse_external_json
from worldline.core.language import LANGUAGES, language_named, usual_name
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.evaluation.rows import read_text
from worldline.evaluation.suites.crux import ended, literal
from worldline.evaluation.suites.suite import Suite, Task
from worldline.recording.languages.flags import flags_refusal

KEYS = ("source", "call", "answer", "id", "stdin", "argv", "flags", "vm_flags", "group", "language")
ENDINGS = (".jsonl", ".jsonl.gz", ".ndjson")
MAX_MISTAKES = 5  # that a message lists
_JSON = {bool: "a boolean", int: "a number", float: "a number", list: "a list", dict: "an object", type(None): "null"}


class _Mistake(Exception):
    """An invalid row, and why."""


def is_file(suite: str) -> bool:
    """Return whether a suite is named by its file."""
    return suite.endswith(ENDINGS) or Path(suite).is_file()


def load(
    *,
    data: str | Path,
    seed: int = 0,
    reveal: int = 1,
    delta: str = "whole",
    bare: bool = False,
    steps: int = 20_000,
    language: str = "python",
    hidden: str = "predicted",
) -> Suite:
    """Load every row of a file, in its order, or shuffled by a seed other than 0.

    `language` applies to rows that do not name theirs.
    """
    lines = enumerate(read_text(data).split("\n"), 1)
    rows = [(f"line {number}", line) for number, line in lines if line.strip()]
    if not rows:
        raise UsageError(f"{data} has no rows")
    tasks = _tasks(str(data), rows, Compact(reveal=reveal, delta=delta, bare=bare, hidden=hidden), language)
    if seed:
        Random(f"bench own {seed}").shuffle(tasks)
    return Suite(name=Path(data).name, tasks=tasks, count=len(tasks), limits=Limits(steps=steps))


def rows_suite(rows: Iterable[Mapping[str, Any]], *, name: str = "own", options: Compact | None = None) -> Suite:
    """Make a suite of rows."""
    numbered = [(f"row {number}", row) for number, row in enumerate(rows, 1)]
    tasks = _tasks(name, numbered, options or Compact())
    return Suite(name=name, tasks=tasks, count=len(tasks))


def _tasks(name: str, rows: Iterable[tuple[str, Any]], options: Compact, language: str = "python") -> list[Task]:
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
        more = f"; and {len(mistakes) - MAX_MISTAKES} more" if len(mistakes) > MAX_MISTAKES else ""
        raise UsageError(f"{name}: {'; '.join(mistakes[:MAX_MISTAKES])}{more}")
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
        matches = [] if key in KEYS else get_close_matches(key, [known for known in KEYS if known not in row], 1, 0.8)
        if matches:
            raise _Mistake(f" has `{key}`: is `{matches[0]}` meant?")
    source, call = _text(row, "source"), _text(row, "call")
    if source is None:
        raise _Mistake(" has no `source`")
    language = language_named(_text(row, "language") or "python")
    if language not in LANGUAGES:
        raise _Mistake(f": a language is one of {', '.join(LANGUAGES)}, not {language!r}")
    _check_call(source, call, language)
    stdin, group, name = _text(row, "stdin") or "", _text(row, "group") or "", row.get("id", where)
    program = Program(source=ended(source), name=usual_name(language), call=call, stdin=stdin, argv=_texts(row, "argv"))
    program = replace(program, flags=_texts(row, "flags"), vm_flags=_texts(row, "vm_flags"))
    if reason := flags_refusal(program):
        raise _Mistake(f": {reason}")
    return Task(program=program, options=options, name=str(name), answer=_answer(row), group=group)


def _text(row: Mapping[str, Any], key: str) -> str | None:
    value = row.get(key)
    if value is not None and not isinstance(value, str):
        raise _Mistake(f": `{key}` is {_JSON.get(type(value), type(value).__name__)}, not text")
    return value


def _texts(row: Mapping[str, Any], key: str) -> tuple[str, ...]:
    texts = row.get(key) or ()
    if not isinstance(texts, list | tuple) or not all(isinstance(text, str) for text in texts):
        raise _Mistake(f": `{key}` is not a list of texts")
    return tuple(texts)


def _check_call(source: str, call: str | None, language: str) -> None:
    if call is None:
        functions = entries(source) if LANGUAGES[language].has_syntax_tree else []
        if functions:
            raise _Mistake(
                f" has no `call`, and its source only defines {in_words(functions)}: such as {functions[0].example!r}"
            )
        return
    try:
        ast.parse(call.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise _Mistake(f": a call is one expression, and {call!r} is not: {error}") from None


def _answer(row: Mapping[str, Any]) -> str | None:
    """The answer as canonical text; None if the row has none."""
    if "answer" not in row:
        return None
    stated = row["answer"]
    canonical_text = literal(stated if isinstance(stated, str) else repr(stated))
    if canonical_text is None:
        hint = f"; write a text as {_quoted(repr(stated))}" if isinstance(stated, str) else ""
        raise _Mistake(f": the answer {stated} is not a literal{hint}")
    return canonical_text


def _quoted(text: str) -> str:
    return f'"{text}"' if '"' not in text else text


def programs_suite(programs: Iterable[Program]) -> Suite:
    """Make a suite of programs."""
    tasks = [Task(program=program, name=_name(program, at)) for at, program in enumerate(programs, 1)]
    return Suite(name="own", tasks=tasks, count=len(tasks))


def _name(program: Program, at: int) -> str:
    return f"{at} {program.call or program.name}"


def loose_suite(things: Iterator[Any]) -> Suite:
    """Make a suite of tasks, programs or rows, all of one kind."""
    items = list(things)
    if items and all(isinstance(item, Task) for item in items):
        return Suite(name="own", tasks=items, count=len(items))
    if items and all(isinstance(item, Program) for item in items):
        return programs_suite(items)
    if items and all(isinstance(item, Mapping) for item in items):
        return rows_suite(items)
    raise UsageError("a suite is a name, a FILE.jsonl, a Suite, or Tasks, Programs or rows, all of one kind")

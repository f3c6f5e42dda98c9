"""Stubs as a user writes them: `NAME=EXPR`, or a Python file that defines `STUBS`. Nothing is evaluated here."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from pathlib import Path

from worldline.core.errors import UsageError
from worldline.plan.rehearse.branch import BY_STUB, AssumedBranch
from worldline.recording.rehearsal.run import AssumedAnswers
from worldline.storage.inputs import MAX_SOURCE_BYTES, read_input

_EXAMPLE = "'requests.get=lambda url: ...'"


def read_stubs(texts: Sequence[str], file: str | Path | None = None) -> AssumedAnswers:
    """Read stubs; `UsageError` if one cannot be parsed.

    Args:
        texts: Stubs such as `requests.get=lambda url: 3` or `open('a.txt')='text'`.
        file: A Python file that defines `STUBS`, a dictionary from such names to values.
    """
    source = ""
    if file is not None:
        try:
            source = read_input(Path(file), limit=MAX_SOURCE_BYTES).decode("utf-8")
            ast.parse(source)
        except (OSError, ValueError, SyntaxError) as error:
            raise UsageError(f"cannot read the stubs in {file}: {error}") from None
    return AssumedAnswers(stubs=tuple(map(_read_stub, texts)), stubs_source=source)


def _read_stub(text: str) -> tuple[str, str]:
    """Split a stub at the first `=` with a name before it and an expression after it."""
    for at, character in enumerate(text):
        if character == "=" and text[at : at + 2] != "==" and text[at - 1 : at] not in ("=", "!", "<", ">"):
            name, expression = _expression(text[:at]), text[at + 1 :].strip()
            if name and _expression(expression):
                return name, expression
    raise UsageError(f"{text!r} is not a stub: write NAME=EXPR, with a Python expression, such as {_EXAMPLE}")


def _expression(text: str) -> str:
    """Return an expression in its canonical spelling; nothing if it is none."""
    try:
        return ast.unparse(ast.parse(text.strip(), mode="eval"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""


def unused_stubs(answers: AssumedAnswers, branches: Sequence[AssumedBranch]) -> Iterator[str]:
    """Yield the names of stubs that no branch has used."""
    used = {item.what for branch in branches for item in branch.assumptions if item.by == BY_STUB}
    for name, _ in answers.stubs:
        if not any(what == name or what.startswith(f"{name}(") for what in used):
            yield name

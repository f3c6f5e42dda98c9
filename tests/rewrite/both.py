"""Runs a source and its rewriting side by side in this process: for sources that the tests themselves wrote."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path
from typing import Any

from worldline.analyze.rewrite import rewrite


def programs(file: str) -> dict[str, tuple[str, ...]]:
    """The programs of a text file, each `### name`, a source, and lines `>>> call`: source and calls by name."""
    found = {}
    for section in Path(__file__).with_name(file).read_text("utf-8").split("### ")[1:]:
        name, _, rest = section.partition("\n")
        lines = rest.rstrip("\n").split("\n")
        calls = [line[4:] for line in lines if line.startswith(">>> ")]
        found[name] = ("\n".join(lines[: len(lines) - len(calls)]) + "\n", *calls)
    return found


def did(source: str, call: str | None) -> tuple[Any, ...]:
    """What a source does: what it prints, and the value (by its type and repr) or the exception that ends it."""
    printed = io.StringIO()
    names: dict[str, Any] = {"__name__": "program"}
    with contextlib.redirect_stdout(printed):
        try:
            exec(compile(source, "program.py", "exec", dont_inherit=True), names)
            value = eval(call, names) if call else None
            end: tuple[Any, ...] = ("returned", type(value).__name__, repr(value))
        except Exception as error:
            end = ("raised", type(error).__name__, str(error))
    return (*end, printed.getvalue())


def differing(source: str, *calls: str | None, **how: bool) -> list[Any]:
    """The calls after which a source and its rewriting do not end alike, and the rewriting; empty if there are none."""
    found: list[Any] = []
    for call in calls or (None,):
        new = rewrite(source, call=call, **how).source
        before, after = did(source, call), did(new, call)
        if before != after:
            found.append((call, before, after, new))
    return found

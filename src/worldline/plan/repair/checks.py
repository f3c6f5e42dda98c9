"""The tests that a fix must pass: each is an expression for the sandbox, and its expected result."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from math import isclose, isnan
from pathlib import Path
from typing import Any

from worldline.core.program import Program
from worldline.core.value import Value, parse, unquote
from worldline.recording.calls import CallBatch, CallEnd

_SEQUENCES = ("list", "tuple", "deque", "set", "frozenset")
_CLOSE = 1e-9


def is_expected(expected: Any, text: str, *, loose: bool) -> bool:
    """Whether canonical text is the expected value; with `loose`, as JSON can express it."""
    value = parse(text)
    return isinstance(value, Value) and _same(expected, value, loose, {})


def _same(expected: Any, value: Value, loose: bool, labels: dict[int, Value]) -> bool:
    if value.label:
        labels[value.label] = value
    if value.kind == "ref":
        value = labels.get(int(value.atom.removeprefix("#")), value)
    if isinstance(expected, bool) or expected is None:
        return value.atom == str(expected)
    if isinstance(expected, int | float):
        return _same_number(expected, value, loose)
    if isinstance(expected, str):
        return value.kind == "str" and unquote(value.atom) == expected
    if isinstance(expected, dict):
        return value.kind == "dict" and _same_dict(expected, value, loose, labels)
    if isinstance(expected, list | tuple):
        kinds = _SEQUENCES if loose else (type(expected).__name__,)
        return (
            value.kind in kinds
            and len(value.items) == len(expected)
            and all(_same(e, v, loose, labels) for e, v in zip(expected, value.items, strict=True))
        )
    return False


def _same_number(expected: float, value: Value, loose: bool) -> bool:
    if value.kind not in ("int", "float"):
        return False
    try:
        number = int(value.atom, 0) if value.kind == "int" else float(value.atom)
    except ValueError:
        return False
    if isinstance(number, float) and isnan(number):
        return False
    return number == expected or (
        loose and isinstance(number, float) and isclose(number, expected, rel_tol=_CLOSE, abs_tol=_CLOSE)
    )


def _same_dict(expected: dict[Any, Any], value: Value, loose: bool, labels: dict[int, Value]) -> bool:
    if len(value.items) != 2 * len(expected):
        return False
    pairs = dict(zip(map(_key, value.items[::2]), value.items[1::2], strict=True))
    return all(str(key) in pairs and _same(item, pairs[str(key)], loose, labels) for key, item in expected.items())


def _key(value: Value) -> str:
    return str(unquote(value.atom)) if value.kind == "str" else value.atom


MAX_SHOWN_CHARACTERS = 200  # of a call in a message


@dataclass(frozen=True, kw_only=True)
class RepairCheck:
    """One test: an expression and its expected value; without a value it must not raise.

    It is evaluated beside the tests, or `in_program`, if the user states it of the program.
    """

    call: str
    value: Any = None
    is_valued: bool = False
    loose: bool = False
    in_program: bool = False

    @property
    def expected(self) -> str:
        """The expected result, for reports and prompts."""
        return repr(self.value) if self.is_valued else "no exception"

    def passes(self, called: CallEnd) -> bool:
        """Whether the result of a call is the expected one."""
        if called.kind != "returned":
            return False
        return not self.is_valued or is_expected(self.value, called.value, loose=self.loose)


@dataclass(frozen=True, kw_only=True)
class CheckSet:
    """All tests of a program. `source` is the test file, which imports the program; empty: the calls are its own."""

    name: str  # of the program's file
    checks: tuple[RepairCheck, ...]
    files: tuple[tuple[str, str], ...] = ()
    source: str = ""
    file: str = ""  # of the tests
    left_out: int = 0  # tests that need fixtures

    def batch(self, source: str, checks: Sequence[RepairCheck], seconds: float) -> CallBatch:
        """Return these checks of a changed program as calls; all of one place, the tests or the program."""
        calls = tuple(check.call for check in checks)
        if not self.source or any(check.in_program for check in checks):
            return CallBatch(source=source, calls=calls, files=self.files, name=self.name, seconds=seconds)
        files = (*(file for file in self.files if file[0] != self.name), (self.name, source))
        return CallBatch(source=self.source, calls=calls, files=files, name=self.file, seconds=seconds)

    def program(self, source: str, check: RepairCheck) -> Program:
        """Return the program of one check, to be recorded."""
        batch = self.batch(source, [check], 1.0)
        return Program(source=batch.source, name=batch.name, call=check.call, files=batch.files)

    def alone(self, source: str, check: RepairCheck) -> Program | None:
        """Return program and test as one source, the program first; None if that is not possible."""
        if not self.source or check.in_program:
            return self.program(source, check) if not self.files else None
        tests = _without_import(self.source, Path(self.name).stem)
        if tests is None or any(name != self.name for name, _ in self.files):
            return None
        ended = source if source.endswith("\n") else source + "\n"
        return Program(source=ended + "\n\n" + tests, name=self.name, call=check.call)


def _without_import(source: str, module: str) -> str | None:
    """Remove `from PROGRAM import ...` from a test file; None if it uses the module in other ways."""
    lines = source.split("\n")
    for node in ast.parse(source).body:
        if isinstance(node, ast.Import) and any(alias.name == module for alias in node.names):
            return None
        if not isinstance(node, ast.ImportFrom):
            continue
        if node.module == "__future__" or (node.module == module and any(n.asname for n in node.names)):
            return None
        if node.module == module:
            last = node.end_lineno or node.lineno
            lines[node.lineno - 1 : last] = [""] * (last - node.lineno + 1)
    return "\n".join(lines)


def shorten(text: str) -> str:
    """Shorten a call for a message."""
    return text if len(text) <= MAX_SHOWN_CHARACTERS else text[: MAX_SHOWN_CHARACTERS - 1] + "…"


def describe_end(call: CallEnd) -> str:
    """Describe the result of a call."""
    if call.kind == "returned":
        return call.value
    return f"raises {call.value}" if call.kind == "raised" else f"{call.kind}: {call.value}"

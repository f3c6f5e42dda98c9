"""Expected values of a test file: fill in `assert f(3) == ...` and check every other `==`, in the sandbox.

The file is rewritten so that each assertion reports its value and continues; its tests are then executed twice. A value
that is not a literal, or differs between the two, is not filled in. Nothing is evaluated outside the sandbox.
Assertions other than a single equality are not covered.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from pathlib import Path

from worldline.core.program import Program
from worldline.core.value import Value, parse
from worldline.core.value import text as text_of
from worldline.plan.inputs.nearness import read_value
from worldline.plan.outputs import inside
from worldline.plan.outputs.expectation import Expectation, find_expectations, find_tests
from worldline.plan.outputs.report import CheckedValue, OutputsReport
from worldline.recording.calls import CallBatch, CallEnd

MAX_VALUE_CHARACTERS = 2_000
_REPORTER_NAME = "_worldline_tests"  # the name of `inside` in the sandbox
_REPORTER = f"__import__({_REPORTER_NAME!r})"
_FETCH = f"{_REPORTER}.fetch()"


def check_outputs(
    program: Program, run: Callable[[CallBatch], list[CallEnd]], *, seconds: float = 5.0, fill: bool = True
) -> OutputsReport:
    """Check the assertions of a test file, and fill in its blanks if `fill` is set."""
    wanted = find_expectations(program.source)
    tests = find_tests(program.source)
    instrumented = _replace_spans(
        program.source, [(item.span, _reporting_code(number, item)) for number, item in enumerate(wanted)]
    )
    runs = (f"{_REPORTER}.run({program.name!r}, {name!r})" for name in tests)
    files = (*program.files, (f"{_REPORTER_NAME}.py", Path(inside.__file__).read_text(encoding="utf-8")))
    calls = (_FETCH, *(text for call in runs for text in (call, _FETCH)))
    batch = CallBatch(instrumented, calls, files, program.name, seconds, fresh=False)
    ends = run(batch)
    if wanted and ends[0].kind != "returned":
        why = f"{program.name} cannot be executed: {ends[0].kind} {ends[0].value[:300]}"
        unreached = tuple(CheckedValue(item, why=why, is_unreached=True) for item in wanted)
        return OutputsReport(program.name, program.source, program.source, unreached)
    first, again = _reported_values(ends), _reported_values(run(batch))
    failed = _failure_reasons(tests, ends[1::2])
    checked = [_check_value(item, first.get(n, []), again.get(n, []), failed) for n, item in enumerate(wanted)]
    filled = [(item.expectation.blank, item.value) for item in checked]
    edits = [(blank, value) for blank, value in filled if fill and blank is not None and value is not None]
    return OutputsReport(program.name, program.source, _replace_spans(program.source, edits), tuple(checked))


def _reporting_code(number: int, expectation: Expectation) -> str:
    """Return the code that replaces an assertion, or a blank in a row, while the tests are executed."""
    if expectation.in_row:
        return f"{_REPORTER}.blank({number})"
    return f"{_REPORTER}.tell({number}, ({expectation.value}), ({expectation.wanted}))"


def _failure_reasons(tests: Sequence[str], ends: Sequence[CallEnd]) -> dict[str, str]:
    """Return why tests did not pass, by name; malformed reports are ignored."""
    reasons: dict[str, str] = {}
    for name, end in zip(tests, ends, strict=True):
        if end.kind != "returned":
            reasons[name] = f"hit its limit of {end.value}" if end.kind == "limit" else f"{end.kind} {end.value[:80]}"
            continue
        rows = read_value(end.value)
        for row in rows if isinstance(rows, list) else ():
            if isinstance(row, tuple) and len(row) == 2 and all(isinstance(cell, str) for cell in row):
                reasons.setdefault(*row)
    return reasons


def _replace_spans(source: str, edits: Sequence[tuple[tuple[int, int], str]]) -> str:
    """Return a source with some spans of bytes replaced."""
    data = source.encode()
    for (start, end), text in sorted(edits, reverse=True):
        data = data[:start] + text.encode() + data[end:]
    return data.decode()


def _reported_values(ends: Sequence[CallEnd]) -> dict[int, list[tuple[str, bool]]]:
    """Return the reported values and verdicts of each assertion; malformed reports are ignored."""
    values_by_number: dict[int, list[tuple[str, bool]]] = {}
    for end in ends[::2]:
        node = parse(end.value) if end.kind == "returned" else None
        for row in node.items if isinstance(node, Value) and node.kind == "list" else ():
            if len(row.items) == 3 and row.items[0].atom.isdigit():
                number, value, held = row.items
                values_by_number.setdefault(int(number.atom), []).append((text_of(value), held.atom == "True"))
    return values_by_number


def _check_value(
    wanted: Expectation, first: list[tuple[str, bool]], again: list[tuple[str, bool]], failed: dict[str, str]
) -> CheckedValue:
    values = list(dict.fromkeys(text for text, _ in first))
    if not first:
        return CheckedValue(wanted, why=_why_unreached(wanted, failed), is_unreached=True)
    if {text for text, _ in again} != set(values):
        return CheckedValue(wanted, why="it differs between two runs")
    if wanted.blank is None:
        shown = next((text for text, held in first if not held), values[0])
        return CheckedValue(wanted, shown, all(held for _, held in first))
    if len(values) > 1:
        return CheckedValue(wanted, why=f"it has {len(values)} different values")
    text = _literal(values[0])
    return CheckedValue(wanted, text, why="" if text is not None else f"{values[0][:80]} is not a literal")


def _why_unreached(wanted: Expectation, failed: dict[str, str]) -> str:
    """Say why there is no value: its test stopped earlier, or no test reaches it."""
    for name in (wanted.where, wanted.top):
        if name in failed:
            return f"no run reached it: {name} {failed[name][:200]}"
    return f"no test that was run {'compares anything with it' if wanted.in_row else 'reaches it'}"


def _literal(text: str) -> str | None:
    """Return canonical text as a Python literal; None if it is not one, or is too long."""
    spelled = repr(read_value(text)) if "#" in text else text
    try:
        ast.literal_eval(spelled)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
    return spelled if len(spelled) <= MAX_VALUE_CHARACTERS else None

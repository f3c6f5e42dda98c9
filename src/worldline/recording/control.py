"""Encode a control for the guest, and find where a run diverged from the hidden inputs of the control."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from worldline.core.errors import UsageError
from worldline.core.hidden import READ, SCHEDULE, THREAD, Control, TurnPlan, is_possible, parse_schedule
from worldline.core.program import Program
from worldline.core.spelling import unquote, unquote_bytes
from worldline.core.trace import Hidden, Trace

_ADDRESS = re.compile(rb" at 0x[0-9a-f]{6}")  # such as <object object at 0x7f...>
_MAX_SEARCHED_BYTES = 1 << 20  # of a recording, for addresses


def as_spec(control: Control | None) -> dict[str, Any] | None:
    """Encode a control for the guest: values as in JSON, bytes as hexadecimal digits."""
    if control is None:
        return None
    draws = [[draw.step, draw.kind, _plain(draw)] for draw in drawn(control.given) if draw.kind != SCHEDULE]
    spec = {"seed": control.seed, "schedule": control.schedule, "given": draws, "whole": control.whole}
    return spec | {"turns": _turns(control)}


def _turns(control: Control) -> dict[str, Any] | None:
    """Encode how threads take turns; None if they switch at lines."""
    texts = [draw.value for draw in control.given if draw.kind == SCHEDULE]
    if control.turns is None and not texts:
        return None
    plan = control.turns or TurnPlan()
    try:
        recorded = unquote(texts[0]) if texts else ""
    except (ValueError, IndexError):
        raise UsageError(f"{texts[0]} is not the text of a schedule") from None
    turns = parse_schedule(recorded or plan.schedule)
    return {"text": recorded, "turns": turns, "asleep": plan.asleep, "log": plan.is_logged}


def as_language_spec(control: Control | None) -> dict[str, Any] | None:
    """Encode a control for the guest of another language: every value as plain text, next to its canonical text.

    Integers are decimal digits and bytes are hexadecimal digits, so that no language rounds them.
    """
    if control is None:
        return None
    draws = [[draw.kind, _spelled(_plain(draw)), draw.value] for draw in drawn(control.given)]
    return {"seed": None if control.seed is None else str(control.seed), "given": draws}


def _spelled(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def drawn(hidden: Iterable[Hidden]) -> list[Hidden]:
    """Return the hidden inputs that a control decides: all except what the program reads."""
    return [draw for draw in hidden if draw.kind != READ]


def noted(trace: Trace, control: Control, wire: bytes | memoryview) -> Trace:
    """Note in a trace where it diverged from the draws of its control, and whether it shows addresses."""
    if _ADDRESS.search(wire, 0, _MAX_SEARCHED_BYTES) or any(
        _ADDRESS.search(text.encode("utf-8", "replace")) for text in (trace.output, trace.stderr)
    ):
        trace = replace(trace, notes=(*trace.notes, "addresses"))
    where = parting(drawn(control.given), drawn(trace.hidden)) if control.whole else ""
    return replace(trace, notes=(*trace.notes, "parted" + " " + where)) if where else trace


def parting(expected: list[Hidden], actual: list[Hidden]) -> str:
    """Return the first draw, from 1, at which two runs differ, and how; an empty string if they agree."""
    for number, (a, b) in enumerate(zip(expected, actual, strict=False), 1):
        if a.kind != b.kind:
            return f"at draw {number}: {a.kind} was given, {b.kind} asked for"
        if a.value != b.value:
            return f"at draw {number}: {a.kind} was {a.value}, is {b.value}"
    if len(actual) > len(expected):
        return f"at draw {len(expected) + 1}: {actual[len(expected)].kind} asked for, none given"
    if len(expected) > len(actual):
        return f"at draw {len(actual) + 1}: {expected[len(actual)].kind} was given, none asked for"
    return ""


def unlike(first: Trace, again: Trace) -> str:
    """Return where a replay differs although its draws agree; an empty string if it does not.

    The name of the main file does not count.
    """
    named = {first.program.name: again.program.name}
    for i, (a, b) in enumerate(zip(first.steps, again.steps, strict=False)):
        frame = first.frames[a.frame]
        if a != b or replace(frame, file=named.get(frame.file, frame.file)) != again.frames[b.frame]:
            return f"at step {i}"
    if len(first) != len(again):
        return f"at step {min(len(first), len(again))}"
    ends = [(trace.outcome, trace.output, trace.stderr) for trace in (first, again)]
    return "" if ends[0] == ends[1] else "at its end"


def other_run(first: Program, again: Program) -> str:
    """Return which inputs of two programs differ, such as `source and stdin`; an empty string if none do."""
    parts = {"source": "source", "call": "call", "argv": "arguments", "stdin": "stdin", "files": "files"}
    changed = [word for part, word in parts.items() if getattr(first, part) != getattr(again, part)]
    return " and ".join(filter(None, (", ".join(changed[:-1]), *changed[-1:])))


def with_draw(hidden: tuple[Hidden, ...], text: str) -> tuple[Hidden, ...]:
    """Replace one hidden input.

    Args:
        hidden: The hidden inputs of a trace.
        text: `STEP=VALUE`, or `STEP.K=VALUE` for draw number K, from 0, of a step with several.

    Raises:
        UsageError: The text is malformed, there is no such draw, or the value is impossible.
    """
    where, _, value = text.partition("=")
    step, _, number = where.partition(".")
    if not step.isdecimal() or not (number.isdecimal() or where == step) or not value:
        raise UsageError(f"{text!r} is not STEP=VALUE or STEP.K=VALUE, such as 12=3 or 12.0=3")
    places = [at for at, draw in enumerate(hidden) if draw.step == int(step) and draw.kind != READ]
    if not places:
        raise UsageError(f"--draw {text}: nothing was drawn at step {step}")
    if len(places) > 1 and not number:
        raise UsageError(f"--draw {text}: step {step} made {len(places)} draws; say which, such as {step}.0={value}")
    if int(number or 0) >= len(places):
        raise UsageError(f"--draw {text}: step {step} made {len(places)} draws, from {step}.0 on")
    at = places[int(number or 0)]
    changed = replace(hidden[at], value=value)
    if not is_possible(changed.kind, value):
        raise _impossible(changed)
    _plain(changed)
    return (*hidden[:at], changed, *hidden[at + 1 :])


def _plain(hidden: Hidden) -> Any:
    """Return a value as in JSON; UsageError if no draw of its kind has it, except for threads."""
    word, text = hidden.kind.partition(" ")[0], hidden.value
    try:
        if word != THREAD and not is_possible(hidden.kind, text):
            raise _impossible(hidden)
        if word in ("urandom", "uuid", "proc"):
            return unquote_bytes(text).hex()
        if word in ("state", "stat", "times", "usage", "load"):
            return [_number(part) for part in text.strip("()").split(",")]
        return float(text) if word == "float" else int(text, 0)
    except (ValueError, IndexError):
        raise _impossible(hidden) from None


def _number(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        return float(text)


def _impossible(hidden: Hidden) -> UsageError:
    return UsageError(f"no draw of the kind {hidden.kind} is {hidden.value}")

"""What is said about two revisions of a test, shared by the terminal and the page. Text is escaped for one line."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from worldline.core.repository.recorded_test import FAILING_OUTCOMES, failure_line
from worldline.core.text import around, first_difference, plural, printable, shortened
from worldline.diagnose.revisions.affected import AffectedTest
from worldline.diagnose.revisions.compare import Noise
from worldline.diagnose.revisions.difference import CallDifference, NameDifference, RevisionDiff, RevisionDivergence

Sentence = tuple[str, str, str]  # a label, the text, its style
MAX_VALUE_CHARS = 120
MAX_CALLS_SHOWN = 5
MAX_NOISES_SHOWN = 5
_LOCATIONS = {
    "changed line": "in a changed line",
    "changed function": "in a function with changed lines",
    "elsewhere": "not in a function that changed",
}
_ENDS = {"return": "returns", "raise": "raises"}


def sentences(test: AffectedTest, diff: RevisionDiff | None) -> Iterator[Sentence]:
    """Yield the sentences about one test, in reading order."""
    yield "outcome", _outcome(test), "" if test.outcomes[0] == test.outcomes[1] else "bold"
    for side, digest in (("before", test.before), ("after", test.after)):
        if digest is not None and digest.outcome in FAILING_OUTCOMES and digest.message:
            yield f"message {side}", shortened(failure_line(digest.message), 2 * MAX_VALUE_CHARS), ""
    if diff is None:
        missing = " and ".join(
            side for side, digest in (("before", test.before), ("after", test.after)) if not (digest and digest.steps)
        )
        yield "divergence", f"unknown: no trace {missing}", ""
        return
    if diff.first is None:
        cut = " up to where the recording was cut" if diff.is_cut else ""
        yield "divergence", f"none: both revisions behave the same{cut}", ""
    else:
        yield "first divergence", what_differs(diff.first), "bold"
        yield "where", f"{_steps(diff.first)}, {_where(diff, diff.first)}", ""
    yield "changed lines", _reached(diff), ""
    for call in diff.calls[:MAX_CALLS_SHOWN]:
        yield "call", _call(call), ""
    if len(diff.calls) > MAX_CALLS_SHOWN:
        yield "", f"and {plural(len(diff.calls) - MAX_CALLS_SHOWN, 'more call')} with different results", "dim"


def what_differs(first: RevisionDivergence) -> str:
    """Describe a divergence in one sentence."""
    before, after = first.before, first.after
    lines = " and ".join(
        f"line {place.line} {side}" for place, side in ((before, "before"), (after, "after")) if place is not None
    )
    if before is not None and after is not None and before.line == after.line:
        lines = f"line {after.line}"
    start = f"{printable(first.place.file)}, {printable(first.place.function)}, {lines}"
    if first.kind in ("value", "argument"):
        names = "; ".join(_name(name) for name in first.names[:4])
        callee = f" calls {printable(first.callee.rpartition(':')[2])} with" if first.kind == "argument" else ":"
        return f"{start}{callee} {names}"
    if first.kind in ("line", "exception"):
        return f"{start}: {_next(first.was)} before, {_next(first.now)} after"
    if first.kind == "call":
        return f"{start}: calls {_functions(first.was)} before, {_functions(first.now)} after"
    verb = {"result": "returns", "output": "prints"}.get(first.kind, first.kind)
    was, now = _values(first.was, first.now)
    return f"{start}: {verb} {was} before, {now} after"


def noise_notes(noises: Collection[Noise]) -> Iterator[str]:
    """Say what was not compared because two executions of the same sources differ in it."""
    for file, function, what in sorted(noises)[:MAX_NOISES_SHOWN]:
        yield f"not compared, because two executions of the same sources differ: {what} of {function} ({file})"
    if len(noises) > MAX_NOISES_SHOWN:
        yield f"not compared: {len(noises) - MAX_NOISES_SHOWN:,} more such values"


def _outcome(test: AffectedTest) -> str:
    before, after = test.outcomes
    if before == after:
        return f"{after} on both revisions"
    return f"{before} before, {after} after"


def _steps(first: RevisionDivergence) -> str:
    """The steps of a divergence: `step 5`, `step 5 before and 7 after`."""
    before, after = first.before, first.after
    if before is not None and after is not None and before.step != after.step:
        return f"step {before.step:,} before and {after.step:,} after"
    return f"step {first.place.step:,}"


def _where(diff: RevisionDiff, first: RevisionDivergence) -> str:
    text = _LOCATIONS[first.location]
    distance = diff.steps_after_change
    if diff.imported and not first.is_in_changed_lines and (distance is None or distance < 0):
        files = ", ".join(printable(file) for file in diff.imported)
        return f"{text}; code outside functions changed in {files}, which executes at import"
    if distance is None:
        return text
    if distance < 0:
        return f"{text}, {plural(-distance, 'step')} before the first changed line executes"
    return f"{text}, {plural(distance, 'step')} after the first changed line executes"


def _reached(diff: RevisionDiff) -> str:
    before, after = diff.reached
    if before is None and after is None:
        return "no changed line executes in this test"
    parts = [
        f"{printable(str(place))} at step {place.step:,} {side}"
        for place, side in ((before, "before"), (after, "after"))
        if place is not None
    ]
    return f"first executed: {', '.join(parts)}"


def _name(difference: NameDifference) -> str:
    was, now = _values(difference.before or "", difference.after or "")
    path = difference.path
    inside = f" (differs at {printable(difference.name + path)})" if path else ""
    return f"{printable(difference.name)} = {was} before, {now} after{inside}"


def _call(call: CallDifference) -> str:
    was, now = _values(call.was[1], call.now[1])
    name = shortened(call.call, MAX_VALUE_CHARS)
    return f"{name} {_ENDS[call.was[0]]} {was} before, {_ENDS[call.now[0]]} {now} after"


def _functions(names: str) -> str:
    return printable(names) if names else "nothing"


def _next(text: str) -> str:
    """What a frame does next: `line 7`, `raise ValueError()`, `return 3`, `end`."""
    event, _, rest = text.partition(" ")
    words = {"line": "goes to line", "raise": "raises", "return": "returns", "yield": "yields", "output": "prints"}
    return f"{words.get(event, event)} {shortened(rest, MAX_VALUE_CHARS)}".rstrip()


def _values(before: str, after: str) -> tuple[str, str]:
    """Two values, cut around the first character that differs."""
    at = first_difference(before, after)
    shown = (around(printable(text), at, MAX_VALUE_CHARS) for text in (before, after))
    was, now = shown
    return was, now

"""The values that a step read in both runs: names, parts of names, and what calls handed back."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from itertools import islice

from worldline.analyze.flow.operations import Operation
from worldline.diagnose.failure.origin import Keys
from worldline.diagnose.failure.value_keys import is_mutable
from worldline.diagnose.why.asked import AskedValue
from worldline.diagnose.why.operands import CallTerm, LineReads, ReadTerm, reads_of_words
from worldline.diagnose.why.run_pair import RunPair
from worldline.diagnose.why.traced_run import TracedRun, ValueSpot

NO_READS = LineReads(Operation(""))
LineReader = Callable[[str, int | None], LineReads | None]
"""Reads a line of a source."""
#: Steps inside a call that are searched for the one that changed an object.
MAX_SEARCHED_STEPS = 2_000


def line_reads(view: TracedRun, step: int, read: LineReader, *, decides: bool = False) -> LineReads | None:
    """Return what the line of a step reads; of another language, its words."""
    if not view.program.lang.has_syntax_tree:
        return reads_of_words(view.line_text(step), decides=decides)
    return read(view.source(view.events[step].file), view.line(step))


def read_values(
    runs: RunPair, reads: LineReads, steps: tuple[int, int], handed: tuple[Sequence[int], Sequence[int]]
) -> list[AskedValue]:
    """Return the values that a line read.

    Args:
        runs: Both runs.
        reads: What the line reads.
        steps: Its true and its predicted step.
        handed: The steps that handed a value back to the line, in each run.
    """
    calls = _paired_calls(runs, *handed)
    values = list[AskedValue]()
    for term in reads.terms([name for name, _, _ in calls]):
        if isinstance(term, CallTerm):
            name, true, predicted = calls[term.number]
            values += _call_values(runs, term.text, name, true, predicted)
        else:
            values.append(_name_value(runs, term, *steps))
    return list(dict.fromkeys(values))


def _paired_calls(
    runs: RunPair, true_steps: Sequence[int], found_steps: Sequence[int]
) -> list[tuple[str, int | None, int | None]]:
    """The calls of a line by function, the nth of one run beside the nth of the other."""
    by_call: dict[tuple[str, int], list[int | None]] = {}
    for side, view, steps in ((1, runs.found, found_steps), (0, runs.truth, true_steps)):
        counts: dict[str, int] = {}
        for step in steps:
            name = view.function(view.events[step].frame)
            counts[name] = counts.get(name, -1) + 1
            by_call.setdefault((name, counts[name]), [None, None])[side] = step
    return [(name, steps[0], steps[1]) for (name, _), steps in by_call.items()]


def _call_values(runs: RunPair, text: str, name: str, true: int | None, predicted: int | None) -> list[AskedValue]:
    """What a call gave: its result or, of a constructor, its object. None where a function gives nothing."""
    spots = [
        None if step is None else ValueSpot(view.events[step].frame, step)
        for view, step in ((runs.truth, true), (runs.found, predicted))
    ]
    if name.rpartition(".")[2] != "__init__":
        value = AskedValue(text, None, spots[0], spots[1])
        return [] if value.both(runs) == ("None", "None") else [value]
    if true is None or predicted is None or not runs.found.is_whole:
        return [AskedValue(text, "self", spots[0], spots[1])]
    # Meta's notation does not show what the last line of a constructor does: its arguments stand for it.
    starts = [
        ValueSpot(view.events[step].frame, view.steps[view.events[step].frame][0])
        for view, step in ((runs.truth, true), (runs.found, predicted))
    ]
    names = runs.found.events[starts[1].step].values
    return [AskedValue(parameter, parameter, starts[0], starts[1]) for parameter in names if parameter != "self"]


def _name_value(runs: RunPair, term: ReadTerm, true: int, predicted: int) -> AskedValue:
    spots = runs.truth.owner(true, term.name, before=True), runs.found.owner(predicted, term.name, before=True)
    whole = AskedValue(term.name, term.name, *spots)
    keys = _keys(runs.truth, term, true), _keys(runs.found, term, predicted)
    if not term.keys or keys[0] != keys[1] or keys[0] is None:
        return whole
    part = AskedValue(term.text, term.name, *spots, keys[0])
    return part if None not in part.both(runs) else whole


def _keys(view: TracedRun, term: ReadTerm, step: int) -> Keys | None:
    """The keys of a part, with the values of its indices; None if one is not known."""
    keys = list[str]()
    for key in term.keys:
        if isinstance(key, ast.Name):
            spot = view.owner(step, key.id, before=True)
            text = None if spot is None else view.text(key.id, spot)
            if text is None:
                return None
            key = f"[{text}]"
        keys.append(key)
    return tuple(keys)


def value_before(value: AskedValue, true: int, predicted: int) -> AskedValue:
    """Return what a name was before two steps."""
    spots = [
        None if spot is None else ValueSpot(spot.frame, step, before=True)
        for spot, step in ((value.truth, true), (value.found, predicted))
    ]
    return AskedValue(f"{value.text} before", value.name, spots[0], spots[1], value.keys)


def iterated_values(runs: RunPair, reads: LineReads, true: int, predicted: int, keys: Keys) -> list[AskedValue]:
    """Return the values that a comprehension went through: of each name the first wrong one, else that of the element.

    `keys` are those of the element that differs. Only a comprehension with a frame of its own shows them.
    """
    frames = runs.truth.events[true].frame, runs.found.events[predicted].frame
    values = list[AskedValue]()
    for name in sorted(reads.inner):
        pasts = [
            list(view.history.past(frame, name, len(view.events)))[::-1]
            for view, frame in zip((runs.truth, runs.found), frames, strict=True)
        ]
        count = min(map(len, pasts))
        if not count:
            continue
        wrong = next((k for k in range(count) if pasts[0][k][0] != pasts[1][k][0]), None)
        number = keys[0][1:-1] if keys else ""
        at = wrong if wrong is not None else int(number) if number.isdecimal() and int(number) < count else count - 1
        spots = [ValueSpot(frame, past[at][1]) for frame, past in zip(frames, pasts, strict=True)]
        values.append(AskedValue(name, name, spots[0], spots[1]))
    return values


def changed_inside(runs: RunPair, value: AskedValue, true: int, predicted: int) -> AskedValue | None:
    """Find the name in a called function under which an object was changed, or the same name by `global`."""
    wanted, got = AskedValue(value.text, value.name, value.truth, value.found).both(runs)
    is_object = is_mutable(wanted) and is_mutable(got)
    holder = _holder(runs.found, predicted, got, None if is_object else value.name)
    beside = None if holder is None else _holder(runs.truth, true, wanted, holder[0])
    if holder is None or beside is None:
        return None
    return AskedValue(f"{holder[0]}{''.join(value.keys)}", holder[0], beside[1], holder[1], value.keys)


def _holder(view: TracedRun, step: int, text: str | None, name: str | None) -> tuple[str, ValueSpot] | None:
    """The newest name in the calls of a step that has a value."""
    for inner in islice(view.inside(step), MAX_SEARCHED_STEPS):
        spot = ValueSpot(view.events[inner].frame, inner)
        for candidate in view.history.names.get(spot.frame, ()) if name is None else (name,):
            if view.text(candidate, spot) == text:
                return candidate, spot
    return None


def other_name(runs: RunPair, value: AskedValue, predicted: int) -> str:
    """Return another name of the same frame that the line uses and that has the same value afterwards; or nothing."""
    view = runs.found
    after = view.settled[predicted]
    if value.found is None or value.name is None:
        return ""
    spot = ValueSpot(value.found.frame, predicted if after is None or not view.events[predicted].whole else after)
    text = view.text(value.name, spot)
    if not is_mutable(text):
        return ""
    line = view.line_text(predicted)
    names = [name for name in view.history.names.get(spot.frame, ()) if name != value.name and name in line]
    return next((name for name in names if _is_part(view.text(name, spot), text)), "")


def _is_part(outer: str | None, inner: str | None) -> bool:
    return outer is not None and inner is not None and (outer == inner or outer in inner or inner in outer)

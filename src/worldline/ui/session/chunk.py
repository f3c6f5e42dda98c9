"""Rows of a run diff as JSON, in chunks that can be stepped through on their own.

A chunk starts with the state before its first row; a page applies the changes of the rows to it. The stack of a row is
the chain of parents of its frame. Texts are shortened (`clip`) but not escaped: a reader must show them as text. For a
narrow column, long ones have an excerpt too.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from worldline.core.hidden import in_words
from worldline.core.texts.excerpts import change_excerpt, excerpt
from worldline.diagnose.diverge import Divergence
from worldline.ui.session.clip import clip, clip_value
from worldline.ui.session.run import Run
from worldline.ui.session.run_diff import RunDiff, RunDiffRow
from worldline.ui.session.stacks import ABSENT
from worldline.ui.session.stepping import row_steps, verdicts
from worldline.ui.session.stops import stop_lines, stop_places

CHUNK = 256
"""Rows per chunk."""
TAIL = 2_000
"""Characters of earlier output that a chunk repeats."""
MAX_EXCERPT_CHARS = 36
"""Characters of a change in a narrow column; a longer one has an excerpt."""


def chunks(run_diff: RunDiff) -> int:
    """Count the chunks of a run diff. Without rows there is one, empty chunk."""
    return max(1, -(-len(run_diff.rows) // CHUNK))


def chunk(run_diff: RunDiff, k: int, written: int | None = None) -> dict[str, Any]:
    """Return chunk `k`, from 0, as JSON. Rows from number `written` on have no verdict."""
    if not 0 <= k < chunks(run_diff):
        raise IndexError(f"chunk {k} of {chunks(run_diff)}")
    first = k * CHUNK
    last = min(first + CHUNK, len(run_diff.rows))
    return {
        "first": first,
        "rows": [_row(run_diff, n, len(run_diff.rows) if written is None else written) for n in range(first, last)],
        "left": _key(run_diff, "left", first, last),
        "right": _key(run_diff, "right", first, last),
    }


def _row(run_diff: RunDiff, n: int, written: int) -> dict[str, Any]:
    row = run_diff.rows[n]
    action, state = verdicts(run_diff, n, written)
    run, step = (run_diff.left, row.left) if row.left is not None else (run_diff.right, row.right)
    return {
        "row": n,
        "action": action,
        "state": state,
        "left": _cell(run_diff, "left", n, row.left),
        "right": _cell(run_diff, "right", n, row.right),
        "differs": [_difference(divergence) for divergence in row.differs] if n < written else [],
        "depth": run.depth(step) if run is not None and step is not None else 0,
        "lines": stop_lines(run_diff, n),
        **({"elsewhere": places} if (places := stop_places(run_diff, n)) else {}),
        **row_steps(run_diff, n),
    }


def _difference(divergence: Divergence) -> dict[str, Any]:
    part = divergence.part
    return {
        "what": divergence.what,
        "name": None if divergence.name is None else clip(divergence.name),
        "wanted": None if divergence.wanted is None else clip(divergence.wanted, divergence.got),
        "got": None if divergence.got is None else clip(divergence.got, divergence.wanted),
        "path": clip(part.path) if part is not None else None,
        "at": part.at if part is not None else None,
    }


def _cell(run_diff: RunDiff, name: str, n: int, step: int | None) -> dict[str, Any] | None:
    run = run_diff.run(name)
    if run is None or step is None:
        return None
    moment, confidence = run.events[step], run.confidence(step)
    other = _beside(run_diff, name, run_diff.rows[n])
    printed = run.printed(step)
    cell: dict[str, Any] = {
        "step": step,
        "event": moment.event,
        "line": moment.line,
        "file": None if moment.file is None else clip(moment.file),
        "frame": moment.frame,
        "changes": list(_changes(run_diff, name, n, step)),
        "arg": None if moment.arg is None else clip_value(moment.arg, other[1]),
        "printed": None if printed is None else clip(printed),
        "sure": None if confidence is None else math.prod(confidence),
        "sure_action": None if confidence is None else confidence[0],
        "sure_state": None if confidence is None else confidence[1],
        "bytes": run.cost(step),
    }
    excerpts = dict(_excerpts(run, step))
    if excerpts:
        cell["excerpts"] = excerpts
    if moment.hidden:
        cell["hidden"] = [[in_words(kind), clip(value)] for kind, value in moment.hidden]
    if run.threads is not None:
        cell["thread"] = run.threads[step]
    decided = [condition for maker in run.history.makers_shown(step) for condition in run.conditions.get(maker, ())]
    if decided:
        cell["decided"] = [clip(condition) for condition in decided]
    if step in run.sharing.changes:
        cell["shares"] = [[frame, _shares(run, frame, step)] for frame in sorted(run.sharing.changes[step])]
    if run.is_moved(step):
        cell["parent"] = run.parent(step)  # from this row on
    return cell


def _shares(run: Run, frame: int, step: int) -> list[list[str]]:
    """The names of a frame that refer to the same object after a step, in groups."""
    return [[clip(name) for name in group] for group in run.sharing.at(frame, step)]


def _changes(run_diff: RunDiff, name: str, n: int, step: int) -> Iterator[list[Any]]:
    """Frame, name and text (None: deleted) of each change; if an earlier step made it, its row and its place."""
    run = run_diff.run(name)
    assert run is not None
    others = _beside(run_diff, name, run_diff.rows[n])[0]
    for write in run.writes(step):
        text = None if write.text is None else clip_value(write.text, others.get(write.name))
        change_json = [write.frame, clip(write.name), text]
        if write.writer != step:
            change_json.append(run_diff.row_of(name, write.writer))
        if write.frame != run.events[step].frame:
            change_json.append(clip(run.place(write.writer)))
        yield change_json


def _excerpts(run: Run, step: int) -> Iterator[tuple[str, str]]:
    """The long texts of a step for a narrow column: of its argument (`arg`) and of its changes, by their number."""
    arg = run.events[step].arg
    if arg is not None and len(arg) > MAX_EXCERPT_CHARS:
        yield "arg", clip(excerpt(arg, MAX_EXCERPT_CHARS))
    for number, write in enumerate(run.writes(step)):
        if write.text is not None and len(write.name) + len(write.text) + 1 > MAX_EXCERPT_CHARS:
            before = run.history.before(write)
            yield str(number), clip(change_excerpt(write.name, before, write.text, MAX_EXCERPT_CHARS))


def _beside(run_diff: RunDiff, name: str, row: RunDiffRow) -> tuple[dict[str, str], str | None]:
    """The values and the argument of the other run in the same row."""
    run, step = (run_diff.right, row.right) if name == "left" else (run_diff.left, row.left)
    if run is None or step is None:
        return {}, None
    values = {write.name: write.text for write in run.writes(step) if write.text is not None}
    return values, run.events[step].arg


def _key(run_diff: RunDiff, name: str, first: int, last: int) -> dict[str, Any]:
    """The state of a run before some rows: its position, the frames that these rows need, and the latest output.

    The line of a live frame is its current one, that of any other frame is the line of its `def`.
    """
    run = run_diff.run(name)
    if run is None:
        return {"at": None, "frames": {}, "state": {}, "output": ""}
    before, steps = _steps(run_diff, name, first, last)
    parents = _parents(run, before, steps)
    frames, state = dict[str, Any](), dict[str, Any]()
    for frame, parent in sorted(parents.items()):
        info = run.frame(frame)
        frames[str(frame)] = {
            "function": clip(info.function),
            "file": None if info.file is None else clip(info.file),
            "parent": parent,
            "line": run.line(frame, before) if run.began(frame) <= before else info.line,
        }
        shares = _shares(run, frame, before)
        if shares:
            frames[str(frame)]["shares"] = shares
        known = dict(_known(run_diff, name, frame, before)) if before != ABSENT else {}
        if known:
            state[str(frame)] = known
    output = clip(run.output_tail(before + 1, TAIL))
    return {"at": _at(run, before), "frames": frames, "state": state, "output": output}


def _at(run: Run, step: int) -> dict[str, Any] | None:
    """The position of a run after a step; None before the first."""
    if step == ABSENT:
        return None
    moment = run.events[step]
    file = None if moment.file is None else clip(moment.file)
    return {"step": step, "event": moment.event, "line": moment.line, "file": file, "frame": moment.frame}


def _known(run_diff: RunDiff, name: str, frame: int, step: int) -> Iterator[tuple[str, list[Any]]]:
    """The values of a frame after a step, shortened as in the row that reported them, with the row that wrote them."""
    run = run_diff.run(name)
    assert run is not None
    for variable, text, writer, reported in run.history.values(frame, step):
        others = _beside(run_diff, name, run_diff.rows[run_diff.row_of(name, reported)])[0] if len(text) > TAIL else {}
        yield clip(variable), [clip_value(text, others.get(variable)), run_diff.row_of(name, writer)]


def _steps(run_diff: RunDiff, name: str, first: int, last: int) -> tuple[int, range]:
    """The last step of a run before some rows (`ABSENT` for none), and its steps in them."""
    steps = [step for row in run_diff.rows[first:last] if (step := getattr(row, name)) is not None]
    if steps:
        return steps[0] - 1, range(steps[0], steps[-1] + 1)
    before = (getattr(run_diff.rows[n], name) for n in range(first - 1, -1, -1))
    newest = next((step for step in before if step is not None), ABSENT)
    return newest, range(0)


def _parents(run: Run, before: int, steps: range) -> dict[int, int]:
    """The frames on the stack before or during some steps, each with its first parent."""
    parents: dict[int, int] = {}
    stacks, seen = run.stacks, set[int]()
    for step in [before, *steps] if before != ABSENT else steps:
        node = stacks.at[step]
        while node != ABSENT and node not in seen:
            seen.add(node)
            parent = stacks.parents[node]
            parents.setdefault(stacks.frames[node], stacks.frames[parent] if parent != ABSENT else ABSENT)
            node = parent
    return parents

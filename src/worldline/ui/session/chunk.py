"""Some hundred rows of a pair as JSON, with all that one needs to know to step through them.

A page begins with the state before the first row and folds the rows' changes into it; the stack of a row is the chain
of parents of its frame. Texts are cut (`clip`). It escapes nothing else: a reader must show texts as text.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from worldline.core.hidden import in_words
from worldline.diagnose.diverge import Divergence
from worldline.ui.session.clip import clip
from worldline.ui.session.run import Run
from worldline.ui.session.run_diff import RunDiff, RunDiffRow
from worldline.ui.session.stacks import NOBODY
from worldline.ui.session.stepping import row_steps, verdicts
from worldline.ui.session.stops import stop_lines

CHUNK = 256  # rows
TAIL = 2_000  # characters of what was printed before


def chunks(run_diff: RunDiff) -> int:
    """How many chunks a pair has; an empty one has one, without rows."""
    return max(1, -(-len(run_diff.rows) // CHUNK))


def chunk(run_diff: RunDiff, k: int, written: int | None = None) -> dict[str, Any]:
    """The k-th chunk; of rows behind the first `written` ones, where that is said, nothing is judged."""
    if not 0 <= k < chunks(run_diff):
        raise IndexError(f"chunk {k} of {chunks(run_diff)}")
    first = k * CHUNK
    last = min(first + CHUNK, len(run_diff.rows))
    return {
        "first": first,
        "rows": [
            _row(run_diff, n, len(run_diff.rows) if written is None else written) for n in range(first, last)
        ],
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
        "differs": [_difference(one) for one in row.differs] if n < written else [],
        "depth": run.depth(step) if run is not None and step is not None else 0,
        "lines": stop_lines(run_diff, n),
        **row_steps(run_diff, n),
    }


def _difference(one: Divergence) -> dict[str, Any]:
    part = one.part
    return {
        "what": one.what,
        "name": None if one.name is None else clip(one.name),
        "wanted": None if one.wanted is None else clip(one.wanted, one.got),
        "got": None if one.got is None else clip(one.got, one.wanted),
        "path": clip(part.path) if part is not None else None,
        "at": part.at if part is not None else None,
    }


def _cell(run_diff: RunDiff, name: str, n: int, step: int | None) -> dict[str, Any] | None:
    run = run_diff.run(name)
    if run is None or step is None:
        return None
    moment, sure = run.events[step], run.sure(step)
    other = _beside(run_diff, name, run_diff.rows[n])
    printed = run.printed(step)
    cell: dict[str, Any] = {
        "step": step,
        "event": moment.event,
        "line": moment.line,
        "file": None if moment.file is None else clip(moment.file),
        "frame": moment.frame,
        "changes": list(_changes(run_diff, name, n, step)),
        "arg": None if moment.arg is None else clip(moment.arg, other[1]),
        "printed": None if printed is None else clip(printed),
        "sure": None if sure is None else sure[0] * sure[1],
        "sure_action": None if sure is None else sure[0],
        "sure_state": None if sure is None else sure[1],
        "bytes": run.cost(step),
    }
    if moment.hidden:
        cell["hidden"] = [[in_words(kind), clip(value)] for kind, value in moment.hidden]
    if run.threads is not None:
        cell["thread"] = run.threads[step]
    if step in run.conditions:
        cell["decided"] = [clip(said) for said in run.conditions[step]]
    if step in run.sharing.changes:
        cell["shares"] = [[frame, _shares(run, frame, step)] for frame in sorted(run.sharing.changes[step])]
    if run.is_moved(step):
        cell["parent"] = run.parent(step)  # from this row on
    return cell


def _shares(run: Run, frame: int, step: int) -> list[list[str]]:
    """The names of a frame that are one object when a step is done, group by group."""
    return [[clip(name) for name in group] for group in run.sharing.at(frame, step)]


def _changes(run_diff: RunDiff, name: str, n: int, step: int) -> Iterator[list[Any]]:
    """Frame, name, text (None: gone) of each change and, where it was made before, the row that made it."""
    run = run_diff.run(name)
    assert run is not None
    others = _beside(run_diff, name, run_diff.rows[n])[0]
    for change in run.writes(step):
        text = None if change.text is None else clip(change.text, others.get(change.name))
        told = [change.frame, clip(change.name), text]
        yield told if change.writer == step else [*told, run_diff.row_of(name, change.writer)]


def _beside(run_diff: RunDiff, name: str, row: RunDiffRow) -> tuple[dict[str, str], str | None]:
    """The values and the argument that the other side tells in the same row."""
    run, step = (run_diff.right, row.right) if name == "left" else (run_diff.left, row.left)
    if run is None or step is None:
        return {}, None
    values = {change.name: change.text for change in run.writes(step) if change.text is not None}
    return values, run.events[step].arg


def _key(run_diff: RunDiff, name: str, first: int, last: int) -> dict[str, Any]:
    """What a side knows before a row: where it is, its frames that matter to these rows, their values, its last output.

    A frame that is live there has the line that it is at, another one that of its `def`.
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
        known = dict(_known(run_diff, name, frame, before)) if before != NOBODY else {}
        if known:
            state[str(frame)] = known
    output = clip(run.output_tail(before + 1, TAIL))
    return {"at": _at(run, before), "frames": frames, "state": state, "output": output}


def _at(run: Run, step: int) -> dict[str, Any] | None:
    """Where a side is when a step is done; None before the first."""
    if step == NOBODY:
        return None
    moment = run.events[step]
    file = None if moment.file is None else clip(moment.file)
    return {"step": step, "event": moment.event, "line": moment.line, "file": file, "frame": moment.frame}


def _known(run_diff: RunDiff, name: str, frame: int, step: int) -> Iterator[tuple[str, list[Any]]]:
    """The values of a frame when a step is done, each as the row that told it shows it, with the row that made it."""
    run = run_diff.run(name)
    assert run is not None
    for each, text, writer, told in run.history.values(frame, step):
        others = (
            _beside(run_diff, name, run_diff.rows[run_diff.row_of(name, told)])[0] if len(text) > TAIL else {}
        )
        yield clip(each), [clip(text, others.get(each)), run_diff.row_of(name, writer)]


def _steps(run_diff: RunDiff, name: str, first: int, last: int) -> tuple[int, range]:
    """A side's last step before some rows (-1: none), and its steps in them."""
    found = [getattr(row, name) for row in run_diff.rows[first:last]]
    steps = [step for step in found if step is not None]
    if steps:
        return steps[0] - 1, range(steps[0], steps[-1] + 1)
    before = (getattr(run_diff.rows[n], name) for n in range(first - 1, -1, -1))
    newest = next((step for step in before if step is not None), NOBODY)
    return newest, range(0)


def _parents(run: Run, before: int, steps: range) -> dict[int, int]:
    """The frames that stand on the stack before some steps or in them, each with the frame around it at first."""
    found: dict[int, int] = {}
    stacks, seen = run.stacks, set[int]()
    for step in [before, *steps] if before != NOBODY else steps:
        node = stacks.at[step]
        while node != NOBODY and node not in seen:
            seen.add(node)
            parent = stacks.parents[node]
            found.setdefault(stacks.frames[node], stacks.frames[parent] if parent != NOBODY else NOBODY)
            node = parent
    return found

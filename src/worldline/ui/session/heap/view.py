"""One run as JSON, in the order in which things happened: an overview with every change, and rows in chunks.

A row shows what happened between its event and the next one. Frames and boxes that several rows of a chunk share are
written once. If a model has predicted the run, a row also has what the prediction says otherwise, and nothing else of
it. Texts are shortened (`clip`) but not escaped: a reader must show them as text.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cached_property
from typing import Any

from worldline.core.events import FINAL
from worldline.core.texts.excerpts import excerpt
from worldline.core.trace import Trace
from worldline.core.value import kind, unquote
from worldline.ui.session.clip import clip, cut
from worldline.ui.session.heap.contents import MAX_SLOT_CHARS
from worldline.ui.session.heap.objects import RunObjects
from worldline.ui.session.heap.scene import Scene, boxes_json, frame_json, scene_at
from worldline.ui.session.run import Run
from worldline.ui.session.run_diff import RunDiff
from worldline.ui.session.stepping import STEP_KINDS

RUN_CHUNK = 64
"""Rows per chunk."""
MAX_BINS = 2_000
"""Columns of the timeline."""
MAX_CHANGES = 100_000
"""Changes that can be listed and searched."""
MAX_SEARCHED_CHARS = 400
"""Characters of one value that are searched."""
MAX_PRINTED_CHARS = 500_000
"""Characters of output and input that are shown."""


class RunScenes:
    """One run to look at.

    Args:
        run: The run.
        trace: The trace that it is read from, which says how the program ended and what it wrote to stderr.
        compared: The run beside its prediction, the run being the left one.
        written: How many of the rows of `compared` are predicted.
    """

    def __init__(
        self, run: Run, *, trace: Trace | None = None, compared: RunDiff | None = None, written: int = 0
    ) -> None:
        self.run, self._trace = run, trace
        self._compared, self._written = compared, written

    @cached_property
    def objects(self) -> RunObjects:
        """The values and objects of the run."""
        is_of_trace = self._trace is not None and _has_steps_of(self.run, self._trace)
        return RunObjects(self.run, self._trace.held if self._trace is not None and is_of_trace else None)

    @cached_property
    def predicted(self) -> RunObjects | None:
        """The values and objects of the prediction."""
        return None if self._compared is None else RunObjects(self._compared.right)

    def __len__(self) -> int:
        return len(self.run)

    def overview(self) -> dict[str, Any]:
        """Return the shape of the run, every change of a name or an object, and what was printed and read."""
        per = max(1, -(-len(self) // MAX_BINS))
        depths = [
            max(self.run.depth(row) for row in range(start, min(start + per, len(self))))
            for start in range(0, len(self), per)
        ]
        return {
            "rows": len(self),
            "chunk": RUN_CHUNK,
            "per": per,
            "depths": depths,
            "lines": [moment.line or 0 for moment in self.run.events],
            "stderr": "" if self._trace is None else cut(clip(self._trace.stderr), MAX_PRINTED_CHARS),
            "ending": None if self._trace is None else _ending(self._trace),
            "printed": list(_printed(self.run)),
            "differing": [row for row in range(len(self)) if self._difference(row) is not None],
            **_changes_json(self.objects),
        }

    def chunk(self, k: int) -> dict[str, Any]:
        """Return chunk `k`, from 0."""
        first = k * RUN_CHUNK
        if not 0 <= first < max(1, len(self)):
            raise IndexError(f"chunk {k} of a run of {len(self)} rows")
        frames, boxes = _Table(), _Table()
        rows = [self._row(row, frames, boxes) for row in range(first, min(first + RUN_CHUNK, len(self)))]
        return {"first": first, "rows": rows, "frames": frames.entries, "boxes": boxes.entries}

    def _row(self, row: int, frames: _Table, boxes: _Table) -> dict[str, Any]:
        run, scene = self.run, scene_at(self.objects, row)
        moment = run.events[row]
        entry: dict[str, Any] = {
            "row": row,
            "event": moment.event,
            "line": moment.line,
            "file": None if moment.file is None else clip(moment.file),
            "frame": moment.frame,
            "depth": run.depth(row),
            "next": self._next(row),
            "frames": [frames.index(frame_json(frame)) for frame in scene.frames],
            "boxes": [boxes.index(box) for box in boxes_json(scene)],
            "changed": {box: list(keys) for box, keys in scene.changed.items()},
            **{name: getattr(run, name)(row) for name in STEP_KINDS},
        }
        entry |= {"hidden_frames": scene.hidden_frames} if scene.hidden_frames else {}
        entry |= {"hidden_boxes": scene.hidden_boxes} if scene.hidden_boxes else {}
        if run.threads is not None:
            entry["thread"] = run.threads[row]
        if row in run.conditions:
            entry["decided"] = [clip(condition) for condition in run.conditions[row]]
        difference = self._difference(row, scene)
        return entry if difference is None else {**entry, "predicted": difference}

    def _next(self, row: int) -> list[Any] | None:
        """The line that comes next and its file; None at the end."""
        if row + 1 >= len(self):
            return None
        moment = self.run.events[row + 1]
        return [moment.line, None if moment.file is None else clip(moment.file)]

    def _difference(self, row: int, scene: Scene | None = None) -> dict[str, Any] | None:
        """What the prediction says otherwise at a row; None if it agrees or has not come so far."""
        compared, predicted = self._compared, self.predicted
        if compared is None or predicted is None:
            return None
        at = compared.row_of("left", row)
        if at >= self._written:
            return None
        step = compared.rows[at].right
        if step is None:
            return {"missing": True, "values": [], "result": None}
        scene = scene or scene_at(self.objects, row)
        stack = [
            predicted.run.stacks.frames[node] for node in predicted.run.stacks.chain(predicted.run.stacks.at[step])
        ]
        values = list[list[Any]]()
        if not scene.hidden_frames:
            for frame, other in zip((frame.frame for frame in scene.frames), stack, strict=False):
                values += _differing_values(self.objects, frame, row, predicted, other, step)
        moment, other_moment = self.run.events[row], predicted.events[step]
        result = other_moment.arg if moment.arg != other_moment.arg and moment.event == other_moment.event else None
        action = None if moment.action == other_moment.action else [other_moment.event, other_moment.line]
        if not values and result is None and action is None:
            return None
        return {"values": values, "result": None if result is None else _short(result), "action": action}


def _has_steps_of(run: Run, trace: Trace) -> bool:
    """Whether the steps of a run are those of a trace: a text may be cut or in another order."""
    events = [(moment.event, moment.frame) for moment in run.events]
    return events == [(step.event, step.frame) for step in trace.steps]


def _ending(trace: Trace) -> list[str]:
    """How the program ended, and the details."""
    return [trace.outcome.kind, _short(trace.outcome.detail)]


def _differing_values(
    objects: RunObjects, frame: int, row: int, predicted: RunObjects, other: int, step: int
) -> Iterator[list[Any]]:
    """The names of a frame whose predicted value is another one: [frame, name, text or null]."""
    actual = {name: value.text for name, value in objects.at(frame, row)}
    expected = {name: value.text for name, value in predicted.at(other, step)}
    for name in (*actual, *(name for name in expected if name not in actual)):
        if actual.get(name) != expected.get(name):
            text = expected.get(name)
            yield [frame, clip(name), None if text is None else _short(text)]


def _short(text: str) -> str:
    return clip(excerpt(text, MAX_SLOT_CHARS))


class _Table:
    """Values that are written once, by number."""

    def __init__(self) -> None:
        self.entries: list[Any] = []
        self._numbers: dict[str, int] = {}

    def index(self, entry: Any) -> int:
        """Return the number of an entry, which is added if it is new."""
        key = json.dumps(entry)
        if key not in self._numbers:
            self._numbers[key] = len(self.entries)
            self.entries.append(entry)
        return self._numbers[key]


def _printed(run: Run) -> Iterator[list[Any]]:
    """What the program printed and read, in order: [row, event, text]."""
    size = 0
    for row, moment in enumerate(run.events):
        if moment.event not in ("output", "input") or moment.arg is None:
            continue
        text = clip(unquote(moment.arg) if kind(moment.arg) == "str" else moment.arg)
        size += len(text)
        if size > MAX_PRINTED_CHARS:
            return
        yield [row, moment.event, text]


def _changes_json(objects: RunObjects) -> dict[str, Any]:
    """Every value of every name and every change of an object, with texts by number.

    `changes` are [row, frame, name, text or -1]; `objects` are [row, box, keys of changed parts].
    """
    texts, names, boxes = _Numbers(), _Numbers(), _Numbers()
    changes = [
        [value.row, frame, names(clip(name)), -1 if value.text is None else texts(_searched(value.text))]
        for frame, values in objects.names.items()
        for name, history in values.items()
        for value in history
        if value.since == value.row
    ]
    results = [
        [row, objects.events[row].frame, names(objects.events[row].event), texts(_searched(text))]
        for row, (text, _) in objects.returned.items()
        if objects.events[row].event not in FINAL or text != "None"
    ]
    changes = sorted(changes + results, key=lambda change: change[0])
    moved = [[change.row, boxes(change.box), list(change.keys)] for change in objects.changes[:MAX_CHANGES]]
    left_out = max(0, len(changes) - MAX_CHANGES) + len(objects.changes) - len(moved)
    tables = {"texts": texts.entries, "names": names.entries, "ids": boxes.entries}
    return {**tables, "changes": changes[:MAX_CHANGES], "objects": moved, "left_out": left_out}


def _searched(text: str) -> str:
    return clip(excerpt(text, MAX_SEARCHED_CHARS))


class _Numbers:
    """Texts by number."""

    def __init__(self) -> None:
        self.entries: list[str] = []
        self._numbers: dict[str, int] = {}

    def __call__(self, text: str) -> int:
        number = self._numbers.setdefault(text, len(self.entries))
        if number == len(self.entries):
            self.entries.append(text)
        return number

"""What one row of a run shows: the stack, its names, the objects they refer to, and what changed.

An object is written out wherever a value holds it. A frame that waits for a call repeats what it knew; the newest text
counts, so an object has one state. Everything is bounded: a deep stack keeps its ends, a large heap its first boxes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from worldline.core.texts.excerpts import excerpt_after
from worldline.ui.session.clip import clip
from worldline.ui.session.heap.contents import MAX_SLOT_CHARS, BoxContents, BoxSlot, contents_json, slot_json
from worldline.ui.session.heap.objects import RunObjects

MAX_FRAMES = 40
"""Frames of a stack that are drawn: the outermost and the innermost half."""
MAX_NAMES = 100
"""Names of one frame that are drawn."""
MAX_BOXES = 120
"""Objects of one row that are drawn."""
_ENDING = ("return", "raise", "yield")


@dataclass(frozen=True)
class SceneName:
    """A name, its value, the row that shows the name with this value or object first, and its root."""

    name: str
    slot: BoxSlot
    row: int
    root: str


@dataclass(frozen=True)
class SceneFrame:
    """A frame on the stack. `ending` is the event with which it ends and `result` the value, if it ends here."""

    frame: int
    function: str
    file: str | None
    line: int | None
    names: tuple[SceneName, ...]
    left_out: int = 0
    ending: str = ""
    result: BoxSlot | None = None


@dataclass(frozen=True)
class Scene:
    """What a row shows: the frames, outermost first, the boxes by id, and what the row changed."""

    row: int
    frames: tuple[SceneFrame, ...]
    boxes: Mapping[str, BoxContents]
    hidden_frames: int = 0
    hidden_boxes: int = 0
    changed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By box, the keys of the changed parts; empty for a new box."""


def scene_at(objects: RunObjects, row: int, *, stack_at: int | None = None) -> Scene:
    """Return what a row shows.

    Args:
        objects: The values and objects of a run.
        row: The row.
        stack_at: The row whose stack is shown, if it is another one: the next one has left the frames that ended.

    Raises:
        IndexError: The run has no such row.
    """
    run = objects.run
    if not 0 <= row < len(run.events):
        raise IndexError(f"row {row} of a run of {len(run.events)}")
    objects.reader.row = row
    stack = [run.stacks.frames[node] for node in run.stacks.chain(run.stacks.at[row if stack_at is None else stack_at])]
    shown = stack if len(stack) <= MAX_FRAMES else [*stack[: MAX_FRAMES // 2], *stack[-MAX_FRAMES // 2 :]]
    texts = _Texts(objects)
    frames = tuple(_frame(objects, frame, row, texts) for frame in shown)
    changed = {change.box: change.keys for change in objects.changes_at(row)}
    boxes, hidden = _reachable(frames, texts.contents(), changed)
    changed = {box: keys for box, keys in changed.items() if box in boxes}
    return Scene(row, frames, boxes, len(stack) - len(shown), hidden, changed)


class _Texts:
    """The values of a row as slots. Their boxes are read in the order in which the values were written."""

    def __init__(self, objects: RunObjects) -> None:
        self._reader = objects.reader
        self._boxes: list[tuple[tuple[int, int], dict[str, BoxContents]]] = []

    def slot(self, text: str, root: str, order: tuple[int, int]) -> BoxSlot:
        """Return the slot of a value, and keep its boxes."""
        slot, boxes = self._reader.read(text, root)
        self._boxes.append((order, boxes))
        return slot

    def contents(self) -> dict[str, BoxContents]:
        """Return the newest contents of every box."""
        newest: dict[str, BoxContents] = {}
        for _, boxes in sorted(self._boxes, key=lambda entry: entry[0]):
            newest |= boxes
        return newest


def _frame(objects: RunObjects, frame: int, row: int, texts: _Texts) -> SceneFrame:
    info, moment = objects.run.frame(frame), objects.events[row]
    names = list(objects.at(frame, row))
    shown = tuple(
        SceneName(
            clip(name),
            _with_change(objects, frame, name, row, value.text or "", slot),
            value.bound,
            objects.reader.resolve(value.root),
        )
        for name, value in names[:MAX_NAMES]
        for slot in [texts.slot(value.text or "", value.root, (value.since, -value.writer))]
    )
    ends = moment.frame == frame and moment.event in _ENDING
    result = (
        texts.slot(*objects.returned[row], (row, -len(objects.events))) if ends and row in objects.returned else None
    )
    line = objects.run.line(frame, row)
    ending = moment.event if ends else ""
    return SceneFrame(frame, clip(info.function), info.file, line, shown, len(names) - len(shown), ending, result)


def _with_change(objects: RunObjects, frame: int, name: str, row: int, text: str, slot: BoxSlot) -> BoxSlot:
    """The slot of a name; a long value that stands inline shows its last change too."""
    if slot.ref or len(text) <= MAX_SLOT_CHARS:
        return slot
    before = objects.run.history.text_before(frame, name, text, row)
    return slot if before is None else replace(slot, text=clip(excerpt_after(name, before, text, MAX_SLOT_CHARS)))


def _reachable(
    frames: Iterable[SceneFrame], contents: Mapping[str, BoxContents], changed: Mapping[str, tuple[str, ...]]
) -> tuple[dict[str, BoxContents], int]:
    """The boxes that the frames and drawn parts refer to, nearest first, and how many more there are."""
    slots = [slot for frame in frames for slot in (frame.result, *(name.slot for name in frame.names)) if slot]
    waiting = deque(slot.ref for slot in slots if slot.ref)
    boxes, hidden = dict[str, BoxContents](), set[str]()
    while waiting:
        box = waiting.popleft()
        if box in boxes or box in hidden or box not in contents:
            continue
        if len(boxes) >= MAX_BOXES:
            hidden.add(box)
            continue
        boxes[box] = contents[box]
        waiting += [part.slot.ref for part in contents[box].drawn(changed.get(box, ())) if part.slot.ref]
    return boxes, len(hidden)


def frame_json(frame: SceneFrame) -> dict[str, Any]:
    """Return a frame as JSON. Names are [name, slot, row of its value, id]; the id is for arrows to the name."""
    return {
        "frame": frame.frame,
        "function": frame.function,
        "file": None if frame.file is None else clip(frame.file),
        "line": frame.line,
        "names": [[name.name, slot_json(name.slot), name.row, name.root] for name in frame.names],
        **({"left_out": frame.left_out} if frame.left_out else {}),
        **({"ending": frame.ending} if frame.ending else {}),
        **({"result": slot_json(frame.result)} if frame.result is not None else {}),
    }


def boxes_json(scene: Scene) -> list[Mapping[str, object]]:
    """Return the boxes of a scene as JSON."""
    return [contents_json(box, contents, scene.changed.get(box, ())) for box, contents in scene.boxes.items()]

"""The steps of a rewritten program as steps of the original: at its lines, with its names, in its frames.

What is left out is scratch: temporaries, further lines of a statement that is under way, the frames of functions that
the rewriting put in, also of the one that evaluates the call's arguments. Frames of comprehensions are left out as
well, for a rewriting may have made loops of them: so a run of the original is folded too before the two are compared.
A statement that runs several times in a row, as a loop in one line does, is one step. Sharing (`same`) is not told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from worldline.analyze.rewrite.line_map import MODULE, LineMap
from worldline.core.events import CHANGELESS
from worldline.core.program import Program
from worldline.core.trace import Frame, Hidden, Step

ITERATED = ".0"  # what a comprehension's frame is given
OUTSIDE = -1  # the number of a step that no frame of the original has


@dataclass
class FoldedRun:
    """Steps of the original; `under[i]` are the numbers of the rewritten steps that step i consists of."""

    steps: list[Step] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    hidden: list[Hidden] = field(default_factory=list)
    under: list[list[int]] = field(default_factory=list)


def fold(
    program: Program, places: LineMap, steps: Sequence[Step], frames: Sequence[Frame], hidden: Sequence[Hidden]
) -> FoldedRun:
    """Fold a run of a rewritten program into steps of the original; only the main file is rewritten."""
    folding = _Folding(program, places, frames)
    at = [folding.step(step) for step in steps]
    out = folding.out
    if out.under:
        out.under[-1] += folding.before
    for draw in hidden:
        step = at[draw.step] if draw.step < len(at) else len(out.steps)
        out.hidden += [] if step == OUTSIDE else [replace(draw, step=step)]
    return out


@dataclass
class _Open:
    """A frame of the original: its number, its names, and the step that its next lines may extend."""

    serial: int
    line: int
    scratch: frozenset[str]
    last: int = -1
    names: dict[str, str] = field(default_factory=dict)
    before: dict[str, str | None] = field(default_factory=dict)  # of the names that the last step changed
    may_go_on: bool = False


class _Folding:
    """Walks the steps once."""

    def __init__(self, program: Program, places: LineMap, frames: Sequence[Frame]) -> None:
        self.frames, self.places, self.main = frames, places, program.name
        self.is_script = program.call is None
        self.out = FoldedRun()
        self.open: dict[int, _Open] = {}  # by the frame's number in the rewriting
        self.before: list[int] = []  # steps that evaluate the call's arguments, since the last step of the original

    def step(self, step: Step) -> int:
        """Fold in one step and return the number of the step that it belongs to, or OUTSIDE."""
        if step.event == "call" and self._is_kept(step):
            return self._call(step)
        frame = self._around(step.frame)
        if frame is None:  # no frame of the original is open
            self.before.append(step.i)
            return OUTSIDE
        if step.event in CHANGELESS:
            line = frame.line if step.frame not in self.open else self._line(step)
            return self._put(replace(step, frame=frame.serial, line=line), [step.i])
        if step.frame not in self.open:
            return self._under(frame, step)
        line = self._line(step)
        if step.event == "line" and (not line or (frame.may_go_on and line == frame.line)):
            if frame.last >= 0:
                self._merge(frame, step)
            return self._under(frame, step)
        return self._begin(frame, step, line)

    def _is_kept(self, step: Step) -> bool:
        frame = self.frames[step.frame]
        if frame.parent < 0 and self.is_script:
            return True
        is_helper = frame.file == self.main and step.line > 0 and not self.places.head(step.line)
        return not is_helper and (frame.parent < 0 or ITERATED not in step.delta)

    def _around(self, serial: int) -> _Open | None:
        """Return the frame of a step: its own, or the nearest enclosing frame of the original."""
        while serial >= 0 and serial not in self.open:
            serial = self.frames[serial].parent
        return self.open.get(serial)

    def _call(self, step: Step) -> int:
        old = self.frames[step.frame]
        around = self._around(old.parent)
        parent = around.serial if around else -1
        serial = len(self.out.frames)
        depth = self.out.frames[parent].depth + 1 if around else 0
        self.out.frames.append(replace(old, serial=serial, parent=parent, depth=depth))
        is_module = self.is_script and serial == 0
        scratch = self.places.scratch if old.file == self.main else {}
        names = scratch.get(MODULE if is_module else step.line, frozenset())
        frame = self.open[step.frame] = _Open(serial, 0, names)
        return self._begin(frame, step, step.line if is_module else self._line(step))

    def _line(self, step: Step) -> int:
        is_main = self.frames[step.frame].file == self.main
        return self.places.head(step.line) if is_main else step.line

    def _begin(self, frame: _Open, step: Step, line: int) -> int:
        delta = {name: value for name, value in step.delta.items() if name not in frame.scratch}
        gone = tuple(name for name in step.gone if name not in frame.scratch)
        frame.before = {name: frame.names.get(name) for name in (*delta, *gone)}
        _apply(frame.names, delta, gone)
        frame.line, frame.may_go_on = line, step.event in ("line", "resume")
        at = self._put(replace(step, frame=frame.serial, line=line, delta=delta, gone=gone, same={}), [step.i])
        frame.last = at
        return at

    def _merge(self, frame: _Open, step: Step) -> None:
        """Merge a further line of the current statement: its changes belong to the statement."""
        delta = {name: value for name, value in step.delta.items() if name not in frame.scratch}
        gone = tuple(name for name in step.gone if name not in frame.scratch)
        if not (delta or gone):
            return
        for name in (*delta, *gone):
            frame.before.setdefault(name, frame.names.get(name))
        _apply(frame.names, delta, gone)
        now, before = frame.names, frame.before
        self.out.steps[frame.last] = replace(
            self.out.steps[frame.last],
            delta={name: now[name] for name in before if name in now and now[name] != before[name]},
            gone=tuple(name for name in before if name not in now and before[name] is not None),
        )

    def _under(self, frame: _Open, step: Step) -> int:
        at = max(frame.last, 0)
        if self.out.under:
            self.out.under[at].append(step.i)
        return at

    def _put(self, step: Step, under: list[int]) -> int:
        frames = self.out.frames
        self.out.steps.append(replace(step, i=len(self.out.steps), depth=frames[step.frame].depth))
        self.out.under.append([*self.before, *under])
        self.before.clear()
        return len(self.out.steps) - 1


def _apply(names: dict[str, str], delta: Mapping[str, str], gone: Sequence[str]) -> None:
    for name in gone:
        names.pop(name, None)
    names.update(delta)

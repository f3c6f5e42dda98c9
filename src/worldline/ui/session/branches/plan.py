"""From an intervention on an imagined run to the ask that goes on from it. It asks nobody, and runs nothing.

Which frame runs a forced line: the frame of the step, once that step is done; a line that called others is done when
they have returned, so all that they did is kept. Where the step ended its frame (a return, a yield, an exception that
leaves it), it is the frame that goes on then: its caller. An edit likewise stands where its step is done.

Only compact texts are edited or led to another line: Meta's notation has no place for either. A budget or another
program is possible with both.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from worldline.analyze.rewrite import rewrite
from worldline.codec.compact.guide.guard import guard_of
from worldline.codec.compact.parse import Parsed, parse
from worldline.codec.compact.turns import Turn, turns
from worldline.codec.notation import notation
from worldline.core.errors import UsageError
from worldline.core.events import CHANGELESS, RETURNING
from worldline.core.language import Language
from worldline.core.malformed import Malformed
from worldline.core.value import canonical
from worldline.predict.forcing.edit import Edit, edited
from worldline.predict.prediction import PredictionRequest
from worldline.predict.table import table_of
from worldline.ui.session.branches.branch import Branch, BranchEdit

_NAME = re.compile(r"[\w$]++")  # in another language than Python
ROOM = 1 << 12  # bytes that a model has at least behind an intervention


@dataclass(frozen=True, kw_only=True)
class BranchPoint:
    """Where a run is interrupted: step `step` of `frame` is done, and `steps` steps stand before what comes next."""

    step: int
    frame: int
    steps: int


@dataclass(frozen=True, kw_only=True)
class BranchPlan:
    """How a branch begins: the ask that goes on, where it parts, and what was changed there.

    `line` is forced behind what is given; `late`: the changes of the frame's newest step are not written yet, so
    that the model may write them before it. `fresh`: the ask has a truth of its own.
    """

    ask: PredictionRequest
    at: int
    point: BranchPoint | None = None
    values: Mapping[str, str | None] = field(default_factory=dict)
    line: int | None = None
    late: bool = False
    fresh: bool = False


def planned(branch: Branch, edit: BranchEdit) -> BranchPlan:
    """How a branch goes on from an intervention; UsageError where it cannot."""
    if edit.kind == "budget":
        return _budget(branch, edit)
    if edit.kind == "rewrite":
        return _rewrite(branch, edit)
    if not notation(branch.found.codec).resumes_anywhere:
        raise UsageError(
            f"only compact texts can be led elsewhere, and this one is written in {branch.found.codec}"
        )
    run = ImaginedRun.of(branch)
    return _edit(run, edit) if edit.kind == "edit" else _line(run, edit)


def _budget(branch: Branch, edit: BranchEdit) -> BranchPlan:
    found, limit = branch.found, edit.limit or 0
    if found.status != "budget":
        raise UsageError(f"the budget did not cut it: it is {found.status}")
    if limit <= len(found.text):
        raise UsageError(f"a budget of {limit} bytes, and {len(found.text)} are written already")
    # What a model wrote it would write again; a subword model's text cannot be cut anywhere.
    if not notation(found.codec).resumes_anywhere:
        return BranchPlan(ask=replace(branch.ask, limit=limit), at=0)
    steps = len(parse(found.text, branch.ask.prompt).steps)
    return BranchPlan(ask=replace(branch.ask, limit=limit, given=found.text), at=steps)


def _rewrite(branch: Branch, edit: BranchEdit) -> BranchPlan:
    how, old = edit.how, branch.ask.program
    flat, loops = how in ("flatten", "both"), how in ("chars", "both")
    done = rewrite(old.source, flatten=flat, chars=loops, call=old.call, language=old.language)
    if not done.changed:
        raise UsageError(f"not rewritten by {how}, because {done.why}")
    new = replace(old, source=done.source)
    return BranchPlan(ask=replace(branch.ask, program=new, given=b""), at=0, fresh=True)


@dataclass(frozen=True)
class ImaginedRun:
    """An imagined run as interventions see it: its ask, its text, its steps and the turns they were written in."""

    ask: PredictionRequest
    text: bytes
    parsed: Parsed
    turns: list[Turn]

    @classmethod
    def of(cls, branch: Branch) -> ImaginedRun:
        """A branch's found side."""
        text = branch.found.text
        return cls(branch.ask, text, parse(text, branch.ask.prompt), turns(text))

    def stack(self, step: int) -> list[int]:
        """The frames that run when a step is over, outermost first."""
        stack: list[int] = []
        for each in self.parsed.steps[: step + 1]:
            if each.event in CHANGELESS:
                continue
            around = self.parsed.frames[each.frame].parent if each.event == "call" else each.frame
            if around in stack:
                del stack[stack.index(around) + 1 :]
            if each.event in ("call", "resume") or each.frame not in stack:
                stack.append(each.frame)
            if self.ends(each.i):
                stack.pop()
        return stack

    def source(self, frame: int) -> str | None:
        """The text that a frame's lines are of; None for one that is no part of the program."""
        told, file = self.parsed.program, self.parsed.frames[frame].file
        assert told is not None  # a text with steps has a prompt that was read
        # A prompt does not say what its main file is called.
        texts = {told.name: self.ask.program.source, **dict(self.ask.program.files)}
        return texts.get(file)

    def ends(self, step: int) -> bool:
        """Whether a step ends its frame, or suspends it."""
        event = self.parsed.steps[step].event
        own = self.turns[step].lines[-1]
        leaves = event == "raise" and self.text[own.start : own.action].endswith(b")!")
        return leaves or event in RETURNING

    def newest(self, frame: int, step: int) -> int:
        """The newest step of a frame at a step; output and the like belong to the one before them."""
        steps = self.parsed.steps[: step + 1]
        return next(one.i for one in reversed(steps) if one.frame == frame and one.event not in CHANGELESS)

    def branch_point(self, step: int) -> BranchPoint:
        """Where a step is done; UsageError where the text ends before."""
        frame, steps = self.parsed.steps[step].frame, self.parsed.steps
        for later in steps[step + 1 :]:
            if later.frame == frame and later.event not in CHANGELESS:
                return BranchPoint(step=step, frame=frame, steps=later.i)
        stack = self.stack(len(steps) - 1)
        if frame in stack[:-1]:
            raise UsageError(f"step {step} is not done where the text ends: its frame waits for a call")
        whole = stack[-1:] == [frame] or self.ends(step)
        return BranchPoint(step=step, frame=frame, steps=len(steps) if whole else step + 1)

    def step_at(self, step: int | None) -> int:
        """A step that is asked for, by its number."""
        if step is None or not 0 <= step < len(self.parsed.steps):
            raise UsageError(f"no step {step} in an imagined run of {len(self.parsed.steps)}")
        return step


def _edit(run: ImaginedRun, edit: BranchEdit) -> BranchPlan:
    step = run.step_at(edit.step)
    event = run.parsed.steps[step].event
    if event in CHANGELESS:
        step = run.newest(run.parsed.steps[step].frame, step)
    point = run.branch_point(step)
    if not _is_name(edit.name or "", run.ask.program.lang):
        raise UsageError(f"{edit.name!r} is no name")
    value = None if edit.value is None else canonical(edit.value)
    if isinstance(value, Malformed):
        raise UsageError(f"{edit.name}={edit.value}: not a value")
    values = {edit.name or "": value}
    given = edited(run.ask, run.text, Edit(step, values))
    return BranchPlan(ask=_going_on(run.ask, given), at=step, point=point, values=values)


def _is_name(name: str, lang: Language) -> bool:
    return name.isidentifier() if lang.has_syntax_tree else _NAME.fullmatch(name) is not None


def _line(run: ImaginedRun, edit: BranchEdit) -> BranchPlan:
    step, line = run.step_at(edit.step), edit.line or 0
    frame = run.parsed.steps[step].frame
    if run.ends(step):
        stack = run.stack(step)
        if not stack:
            raise UsageError(f"nothing runs behind step {step}: no frame is left that could run a line")
        frame = stack[-1]
    if line not in _lines(run, frame):
        raise UsageError(f"line {line} is no line of the program that can run in this file")
    point = run.branch_point(run.newest(frame, step))
    end = behind(run, point, late=False)
    spoken = end > behind(run, point, late=True)
    late = point.steps == len(run.parsed.steps) and point.step != point.steps - 1 and not spoken
    given = run.text[:end]
    return BranchPlan(ask=_going_on(run.ask, given), at=point.steps, point=point, line=line, late=late)


def _lines(run: ImaginedRun, frame: int) -> frozenset[int]:
    """The lines that can run in the file of a frame."""
    told, file = run.parsed.program, run.parsed.frames[frame].file
    assert told is not None  # a text with steps has a prompt that was read
    # A prompt does not say what its main file is called.
    names = [told.name, *(name for name, _ in told.files)]
    if file not in names:
        return frozenset()
    return guard_of(run.ask.program, table_of(run.ask.program)).files[names.index(file)].lines


def behind(run: ImaginedRun, point: BranchPoint, *, late: bool) -> int:
    """Where the text goes on behind a point: behind the changes of its step, or before them where they are `late`."""
    end = run.turns[point.steps - 1].end
    if point.steps == point.step + 1 or point.steps >= len(run.turns):
        return end
    turn = run.turns[point.steps]
    own = turn.lines[-1]
    if point.steps < len(run.parsed.steps) and run.parsed.steps[point.steps].event == "resume":
        bar = run.text.find(b" |", own.action, own.end)
        return own.action if bar < 0 else bar + 2
    for part in turn.lines:
        mark = run.text[part.start : part.start + 1]
        if mark not in ((b"/", b"@") if late else (b"/", b"@", b" ")) or part.end > run.parsed.end:
            break
        end = part.end
    return end


def _going_on(ask: PredictionRequest, given: bytes) -> PredictionRequest:
    return replace(ask, given=given, limit=max(ask.limit, len(given) + ROOM))

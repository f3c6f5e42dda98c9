"""From an edit of a predicted run to the request that continues from it. Nothing is predicted or executed here.

An edit takes effect when its step is complete: a line with calls is complete when they have returned. A forced line
executes in the frame of the step, or in its caller if the step ended the frame (a return, a yield, an exception).

Values and lines can be edited in compact texts only: Meta's notation has no place for them. A budget or another program
is possible in both notations.
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
from worldline.predict.forcing.edit import Edit, apply_edit
from worldline.predict.prediction import PredictionRequest
from worldline.predict.table import table_of
from worldline.ui.session.branches.branch import Branch, BranchEdit

_NAME = re.compile(r"[\w$]++")  # in languages other than Python
MIN_CONTINUATION_BYTES = 1 << 12
"""The least that a model may write after an edit."""


@dataclass(frozen=True, kw_only=True)
class BranchPoint:
    """Where a run is edited: step `step` of `frame` is complete, and `steps` steps come before the continuation."""

    step: int
    frame: int
    steps: int


@dataclass(frozen=True, kw_only=True)
class BranchPlan:
    """How a branch starts: its request, the step at which it leaves its parent, and the edited values.

    `line` is forced after `ask.given`. `late`: the changes of the frame's latest step are not written yet, so the model
    may write them before `line`. `fresh`: the program is another one, with a true run of its own.
    """

    ask: PredictionRequest
    at: int
    point: BranchPoint | None = None
    values: Mapping[str, str | None] = field(default_factory=dict)
    line: int | None = None
    late: bool = False
    fresh: bool = False


def plan_branch(branch: Branch, edit: BranchEdit) -> BranchPlan:
    """Plan the branch that continues from an edit; UsageError if the edit is not possible."""
    if edit.kind == "budget":
        return _budget(branch, edit)
    if edit.kind == "rewrite":
        return _rewrite(branch, edit)
    if not notation(branch.found.codec).resumes_anywhere:
        raise UsageError(
            f"values and lines can be edited in compact texts only, and this one is in {branch.found.codec}"
        )
    run = EditableRun.of(branch)
    return _edit(run, edit) if edit.kind == "edit" else _line(run, edit)


def _budget(branch: Branch, edit: BranchEdit) -> BranchPlan:
    predicted, limit = branch.found, edit.limit or 0
    if predicted.status != "budget":
        raise UsageError(f"the prediction was not cut by its budget: its status is {predicted.status}")
    if limit <= len(predicted.text):
        raise UsageError(f"the budget of {limit} bytes is too small: {len(predicted.text)} are written already")
    # The model would write the same text again. A subword model cannot resume at every byte.
    if not notation(predicted.codec).resumes_anywhere:
        return BranchPlan(ask=replace(branch.ask, limit=limit), at=0)
    steps = len(parse(predicted.text, branch.ask.prompt).steps)
    return BranchPlan(ask=replace(branch.ask, limit=limit, given=predicted.text), at=steps)


def _rewrite(branch: Branch, edit: BranchEdit) -> BranchPlan:
    how, old = edit.how, branch.ask.program
    flatten, chars = how in ("flatten", "both"), how in ("chars", "both")
    rewriting = rewrite(old.source, flatten=flatten, chars=chars, call=old.call, language=old.language)
    if not rewriting.changed:
        raise UsageError(f"`{how}` does not rewrite this program: {rewriting.why}")
    new = replace(old, source=rewriting.source)
    return BranchPlan(ask=replace(branch.ask, program=new, given=b""), at=0, fresh=True)


@dataclass(frozen=True)
class EditableRun:
    """A run as edits need it: its request, text, steps, and the turns of text that they were written in."""

    ask: PredictionRequest
    text: bytes
    parsed: Parsed
    turns: list[Turn]

    @classmethod
    def of(cls, branch: Branch) -> EditableRun:
        """Return the predicted run of a branch."""
        text = branch.found.text
        return cls(branch.ask, text, parse(text, branch.ask.prompt), turns(text))

    def stack(self, step: int) -> list[int]:
        """Return the frames on the stack after a step, outermost first."""
        stack: list[int] = []
        for current in self.parsed.steps[: step + 1]:
            if current.event in CHANGELESS:
                continue
            enclosing = self.parsed.frames[current.frame].parent if current.event == "call" else current.frame
            if enclosing in stack:
                del stack[stack.index(enclosing) + 1 :]
            if current.event in ("call", "resume") or current.frame not in stack:
                stack.append(current.frame)
            if self.ends(current.i):
                stack.pop()
        return stack

    def source(self, frame: int) -> str | None:
        """Return the source that a frame's lines refer to; None if it is not part of the program."""
        program, file = self.parsed.program, self.parsed.frames[frame].file
        assert program is not None  # a text with steps has a prompt
        # A prompt does not name its main file.
        texts = {program.name: self.ask.program.source, **dict(self.ask.program.files)}
        return texts.get(file)

    def ends(self, step: int) -> bool:
        """Whether a step ends or suspends its frame."""
        event = self.parsed.steps[step].event
        own = self.turns[step].lines[-1]
        leaves = event == "raise" and self.text[own.start : own.action].endswith(b")!")
        return leaves or event in RETURNING

    def newest(self, frame: int, step: int) -> int:
        """Return the latest step of a frame at a step; output and the like belong to the step before them."""
        steps = reversed(self.parsed.steps[: step + 1])
        return next(past.i for past in steps if past.frame == frame and past.event not in CHANGELESS)

    def branch_point(self, step: int) -> BranchPoint:
        """Return the point at which a step is complete; UsageError if the text ends before."""
        frame, steps = self.parsed.steps[step].frame, self.parsed.steps
        for later in steps[step + 1 :]:
            if later.frame == frame and later.event not in CHANGELESS:
                return BranchPoint(step=step, frame=frame, steps=later.i)
        stack = self.stack(len(steps) - 1)
        if frame in stack[:-1]:
            raise UsageError(f"step {step} is not complete at the end of the text: its frame waits for a call")
        whole = stack[-1:] == [frame] or self.ends(step)
        return BranchPoint(step=step, frame=frame, steps=len(steps) if whole else step + 1)

    def step_at(self, step: int | None) -> int:
        """Check that a step exists, and return it."""
        if step is None or not 0 <= step < len(self.parsed.steps):
            raise UsageError(f"there is no step {step}: the predicted run has {len(self.parsed.steps)}")
        return step


def _edit(run: EditableRun, edit: BranchEdit) -> BranchPlan:
    step = run.step_at(edit.step)
    event = run.parsed.steps[step].event
    if event in CHANGELESS:
        step = run.newest(run.parsed.steps[step].frame, step)
    point = run.branch_point(step)
    if not _is_name(edit.name or "", run.ask.program.lang):
        raise UsageError(f"{edit.name!r} is not a valid name")
    value = None if edit.value is None else canonical(edit.value)
    if isinstance(value, Malformed):
        raise UsageError(f"{edit.name}={edit.value}: this is not a value")
    values = {edit.name or "": value}
    prefix = apply_edit(run.ask, run.text, Edit(step, values))
    return BranchPlan(ask=_continue_from(run.ask, prefix), at=step, point=point, values=values)


def _is_name(name: str, lang: Language) -> bool:
    return name.isidentifier() if lang.has_syntax_tree else _NAME.fullmatch(name) is not None


def _line(run: EditableRun, edit: BranchEdit) -> BranchPlan:
    step, line = run.step_at(edit.step), edit.line or 0
    frame = run.parsed.steps[step].frame
    if run.ends(step):
        stack = run.stack(step)
        if not stack:
            raise UsageError(f"nothing executes after step {step}: no frame is left")
        frame = stack[-1]
    if line not in _lines(run, frame):
        raise UsageError(f"line {line} cannot execute in this file")
    point = run.branch_point(run.newest(frame, step))
    end = continuation_start(run, point, late=False)
    has_late_changes = end > continuation_start(run, point, late=True)
    late = point.steps == len(run.parsed.steps) and point.step != point.steps - 1 and not has_late_changes
    prefix = run.text[:end]
    return BranchPlan(ask=_continue_from(run.ask, prefix), at=point.steps, point=point, line=line, late=late)


def _lines(run: EditableRun, frame: int) -> frozenset[int]:
    """The lines that can execute in the file of a frame."""
    program, file = run.parsed.program, run.parsed.frames[frame].file
    assert program is not None  # a text with steps has a prompt
    # A prompt does not name its main file.
    names = [program.name, *(name for name, _ in program.files)]
    if file not in names:
        return frozenset()
    return guard_of(run.ask.program, table_of(run.ask.program)).files[names.index(file)].lines


def continuation_start(run: EditableRun, point: BranchPoint, *, late: bool) -> int:
    """Return the offset at which the text continues after a point: after its step's changes, or before `late` ones."""
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


def _continue_from(ask: PredictionRequest, prefix: bytes) -> PredictionRequest:
    return replace(ask, given=prefix, limit=max(ask.limit, len(prefix) + MIN_CONTINUATION_BYTES))

"""An edited state in a compact text: names of one step get other values, and a model continues from there.

The edit stands where the changes of the step stand: in its own line, in a late line, or in the line that resumes
its frame. The text ends after it. Everything before stays byte for byte, so that a model's text can be repaired as
well.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from worldline.codec.compact.parse import Parsed, parse
from worldline.codec.compact.turns import Turn, turns
from worldline.codec.compact.writer import RecordedSteps, write
from worldline.core.errors import UsageError
from worldline.core.events import CHANGELESS, known_at
from worldline.core.state import State
from worldline.core.trace import Step


def edit_step(text: bytes, prompt: bytes, number: int, values: Mapping[str, str | None]) -> bytes:
    """Cut a text, without its prompt, after the changes of a step, with other values among them.

    `values` are canonical values by name; None deletes a name. Raises UsageError if there is no such step or its
    state is not in the text.
    """
    parsed = parse(text, prompt)
    if not 0 <= number < len(parsed.steps):
        raise UsageError(f"no step {number} to edit in a text of {len(parsed.steps)}")
    step = parsed.steps[number]
    if step.event in CHANGELESS or step.event == "return":
        raise UsageError(f"step {step.i} ({step.event}) has no names to edit; edit at its line")
    if not parsed.options.reveals(step.i):
        raise UsageError(f"step {step.i} is not revealed: its state is not in the text")
    at = known_at(parsed.steps)[step.i]
    after = None if at is None else parsed.steps[at]
    shown = _rewritten(parsed, step, values)
    if after is None or after.i == step.i + 1:
        return _own(text, shown, step.i)
    return _late(text, shown, after)


def _rewritten(parsed: Parsed, step: Step, values: Mapping[str, str | None]) -> bytes:
    """The whole text with the edit in its step; what depends on the old values after it is meaningless."""
    state = State()
    for before in parsed.steps[: step.i]:
        state.apply(before)
    known = state.frames.get(step.frame, {})
    delta, gone = dict(step.delta), dict.fromkeys(step.gone)
    for name, value in values.items():
        if value is None or known.get(name) == value:
            delta.pop(name, None)
        else:
            delta[name] = value
        if value is None and name in known:
            gone[name] = None
        else:
            gone.pop(name, None)
    steps = list(parsed.steps)
    steps[step.i] = replace(step, delta=delta, gone=tuple(gone))
    assert parsed.program is not None
    run = RecordedSteps(parsed.program, steps, parsed.frames, parsed.hidden, parsed.ended, parsed.decisions)
    return write(run, parsed.options)


def _own(text: bytes, shown: bytes, number: int) -> bytes:
    """The text up to the end of the step's own line, with the edited state."""
    line, model = turns(text)[number].lines[-1], turns(shown)[number].lines[-1]
    return text[: line.action] + shown[model.action : model.end]


def _late(text: bytes, shown: bytes, after: Step) -> bytes:
    """The text up to the late changes before the next event of the frame."""
    old, new = turns(text)[after.i], turns(shown)[after.i]
    if after.event == "resume":
        own, model = old.lines[-1], new.lines[-1]
        state = shown[model.action : model.end]
        at = state.find(b" |")
        return text[: own.action] + (state[: at + 2] if at >= 0 else b"")
    late = next((line for line in new.lines if shown[line.start : line.start + 1] == b" "), None)
    return text[: _slot(text, old)] + (shown[late.start : late.end] if late is not None else b"")


def _slot(text: bytes, turn: Turn) -> int:
    """Where late changes start in a turn: after its moves."""
    for line in turn.lines:
        if text[line.start : line.start + 1] not in (b"/", b"@"):
            return line.start
    return turn.end

"""Edits: where they stand in the text, and that nothing else changes."""

from __future__ import annotations

import forced_programs
import pytest

from worldline.codec.compact.parse import parse
from worldline.codec.compact.prompt import Compact
from worldline.core.errors import UsageError
from worldline.core.events import CHANGELESS
from worldline.core.state import State
from worldline.predict.forcing.edit import apply_edit
from worldline.predict.forcing.forced import Edit, roll
from worldline.predict.interpreter import Interpreter

ASKS, TRUTHS = forced_programs.asks(), [truth.text for truth in forced_programs.truths()]


def test_an_edit_is_written_among_the_changes_of_its_step() -> None:
    ask, text = ASKS[0], TRUTHS[0]
    assert text == b"(1 n=3\n2\n4\n(1 n=2\n2\n4\n(1 n=1\n2\n3\n)1\n r=1\n5\n)2\n r=2\n5\n)6\n.\n"
    assert apply_edit(ask, text, Edit(0, {"n": "9"})) == b"(1 n=9\n"
    assert apply_edit(ask, text, Edit(1, {"n": "9", "m": "'new'"})) == b"(1 n=3\n2 n=9 m='new'\n"
    assert apply_edit(ask, text, Edit(1, {"n": None})) == b"(1 n=3\n2 -n\n"
    late = text[: text.index(b" r=1")]
    assert apply_edit(ask, text, Edit(5, {"r": "7"})) == late + b" r=7\n"  # the line that calls
    assert apply_edit(ask, text, Edit(5, {"r": None})) == late
    assert apply_edit(ask, text, Edit(5, {"n": "5"})) == late + b" r=1 n=5\n"


def test_an_edit_of_a_frame_that_waits_stands_in_its_resume() -> None:
    ask, text = ASKS[1], TRUTHS[1]
    steps = parse(text, ask.prompt).steps
    step = next(step for step in steps if step.event == "yield")
    found = apply_edit(ask, text, Edit(step.i, {"i": "5"}))
    assert found.endswith(b"~1 i=5 |")
    assert text.startswith(found[: -len(b" i=5 |")])


@pytest.mark.parametrize("options", [Compact(), Compact(delta="element"), Compact(same=True)], ids=repr)
def test_every_step_can_be_edited_and_reads_back(options: Compact) -> None:
    for ask, truth in zip(forced_programs.asks(options), forced_programs.truths(options), strict=True):
        for step in parse(truth.text, ask.prompt).steps:
            if step.event in CHANGELESS or step.event == "return":
                with pytest.raises(UsageError, match="no names to edit"):
                    apply_edit(ask, truth.text, Edit(step.i, {"z": "[1]"}))
                continue
            text = apply_edit(ask, truth.text, Edit(step.i, {"z": "[1]"}))
            whole = text if text.endswith(b"\n") else text + b"\n"
            parsed = parse(whole, ask.prompt)
            assert parsed.malformed is None
            assert parsed.steps[step.i].delta == {**step.delta, "z": "[1]"}


def test_an_edit_without_effect_lets_the_interpreter_continue() -> None:
    """It can go on from no other state: that is no wrong prediction, but none."""
    for ask, truth in zip(ASKS, forced_programs.truths(), strict=True):
        state, edits = State(), []
        for step in parse(truth.text, ask.prompt).steps:
            state.apply(step)
            if step.event in ("call", "line"):
                edits.append(Edit(step.i, dict(state.frames[step.frame])))
        edits = edits[::3]
        for found in roll(Interpreter(), [ask] * len(edits), [truth] * len(edits), force="edited", edits=edits):
            assert (found.prediction.text, found.prediction.status) == (truth.text, "ended")
    false = [Edit(0, {"n": "2"})]
    (found,) = roll(Interpreter(), ASKS[:1], forced_programs.truths()[:1], force="edited", edits=false)
    assert (found.prediction.text, found.prediction.status) == (b"(1 n=2\n", "fault")


def test_a_model_s_own_text_can_be_repaired() -> None:
    """It ends in the middle of nowhere; what is before the edit is kept."""
    text = b"(1 n=3\n2\n4\n(1 n=7\n5\n!!"
    assert apply_edit(ASKS[0], text, Edit(3, {"n": "2"})) == b"(1 n=3\n2\n4\n(1 n=2\n"


def test_edits_that_cannot_be_are_refused() -> None:
    with pytest.raises(UsageError, match="canonical"):
        Edit(0, {"n": "[1,2]"})
    with pytest.raises(UsageError, match="no step 99"):
        apply_edit(ASKS[0], TRUTHS[0], Edit(99, {}))
    sparse = Compact(reveal=3)
    text = forced_programs.truths(sparse)[0].text
    with pytest.raises(UsageError, match="not revealed"):
        apply_edit(forced_programs.asks(sparse)[0], text, Edit(0, {"n": "1"}))

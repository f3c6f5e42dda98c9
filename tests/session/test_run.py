"""One run: its stack at each step beside the naive fold and the recorder's own, where steps lead, who wrote what."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stepped import MODES, PROGRAMS, anyhow, changed, damaged, make_run, output, recorded_text, true

from worldline.codec.compact.prompt import Compact
from worldline.codec.compact.turns import turns
from worldline.core.events import CHANGELESS
from worldline.core.program import Program
from worldline.core.state import Replay
from worldline.predict.confidence import step_confidences
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.recording.recorder import record
from worldline.ui.session.run import FrameInfo, Run, step_spans

pytestmark = pytest.mark.usefixtures("sandbox")
ALL = [(name, mode) for name in PROGRAMS for mode in MODES]


def naive_chain(of: Run, step: int) -> list[int]:
    """The frames that run at a step, by who is on top when each is called or goes on."""
    under: dict[int, int] = {}
    top = -1
    for moment in of.events[: step + 1]:
        frame = moment.frame
        if frame not in under:
            under[frame] = moment.parent
        elif moment.event in ("call", "resume") and frame not in _up(under, top):
            under[frame] = top
        if moment.event not in CHANGELESS:
            top = under[frame] if moment.event in ("return", "yield") else frame
    return _up(under, of.events[step].frame)[::-1]


def _up(under: dict[int, int], frame: int) -> list[int]:
    found = []
    while frame >= 0:
        found.append(frame)
        frame = under.get(frame, -1)
    return found


def naive_shown(of: Run, step: int) -> int:
    """The step with which people see the changes of a step: the last one before its frame continues."""
    moment = of.events[step]
    if moment.event in ("call", *CHANGELESS):
        return step
    later = [j for j in range(step + 1, len(of)) if of.events[j].frame == moment.frame]
    is_stated = not moment.whole and bool(moment.values or moment.gone)  # at the end of the text
    return next((j - 1 for j in later if of.events[j].event not in CHANGELESS), len(of) - 1 if is_stated else step)


def naive_values(of: Run, step: int) -> dict[int, dict[str, tuple[str, int]]]:
    """What each frame knows after a step, and who wrote it, from all steps before."""
    found: dict[int, dict[str, tuple[str, int]]] = {}
    before: dict[int, int] = {}
    for i in range(len(of)):
        moment = of.events[i]
        names = found.setdefault(moment.frame, {})
        if moment.event in CHANGELESS:
            continue
        writer = before.get(moment.frame, i)
        if moment.whole and naive_shown(of, writer) <= step:
            for name in [name for name in names if name not in moment.values]:
                del names[name]
            for name, text in moment.values.items():
                if name not in names or names[name][0] != text:
                    names[name] = text, writer
        if not moment.whole and naive_shown(of, i) <= step:
            for name in moment.gone:
                names.pop(name, None)
            names.update({name: (text, i) for name, text in moment.values.items()})
        before[moment.frame] = i
    return found


def check(of: Run) -> None:
    """Everything about a run, by its naive definition."""
    for step in range(len(of)):
        chain = naive_chain(of, step)
        lives = of.stack(step)
        assert [live.frame for live in lives] == chain
        assert of.depth(step) == len(chain) - 1
        assert of.parent(step) == (chain[-2] if len(chain) > 1 else -1)
        values = naive_values(of, step)
        for live in lives:
            assert {n: (live.values[n], live.writers[n]) for n in live.values} == values[live.frame]
            newest = [m for m in of.events[: step + 1] if m.frame == live.frame][-1]
            assert live.line == newest.line
            for name, writer in live.writers.items():
                assert of.writer(step, live.frame, name) == writer <= step
        check_targets(of, step, chain)
    for step in range(len(of)):
        frames = [live.frame for live in of.before(step)]
        own = of.events[step].frame
        assert frames == [f for f in naive_chain(of, step) if f != own or of.began(own) < step]


def check_targets(of: Run, step: int, chain: list[int]) -> None:
    """Where a step leads, by looking at all the others."""
    last = len(of) - 1

    def seek(order: range, frames: list[int], end: int) -> int | None:
        found = next((j for j in order if of.events[j].frame in frames), end)
        return found if found != step else None

    ahead, behind = range(step + 1, len(of)), range(step - 1, -1, -1)
    assert of.over(step) == seek(ahead, chain, last)
    assert of.out(step) == seek(ahead, chain[:-1], last)
    assert of.back_over(step) == seek(behind, chain, 0)
    assert of.back_out(step) == seek(behind, chain[:-1], 0)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("name", "mode"), [run_diff for run_diff in ALL if run_diff[0] != "loop"])
def test_a_true_run_equals_its_naive_fold(name: str, mode: str) -> None:
    check(true(name, mode))


@given(damaged())
def test_a_damaged_run_equals_its_naive_fold(made: tuple[str, str, Run]) -> None:
    if len(made[2]) < 120:
        check(made[2])


@pytest.mark.long(reason="compares each step of each program with the recorder's state")
@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_the_state_is_the_recorders_own(name: str) -> None:
    """Of frames that wait, and of the running one unless its line is not done; and when a step is about to run."""
    trace, of = record(PROGRAMS[name]), true(name)
    replay = Replay(trace)
    assert len(of) == len(trace)
    folded: dict[int, dict[str, str]] = {}
    for step in range(len(of)):
        state, moment = replay.at(step).frames, trace[step]
        for live in of.stack(step):
            late = live.frame == moment.frame and of.history.shown_at(step) != step
            touched = {*moment.delta, *moment.gone} if late else set()
            known = {n: v for n, v in live.values.items() if n not in touched}
            assert known == {n: v for n, v in state.get(live.frame, {}).items() if n not in touched}
        for live in of.before(step):
            if live.frame == moment.frame and moment.event not in CHANGELESS:
                assert dict(live.values) == folded[live.frame]
            assert live.function == trace.frames[live.frame].name.rpartition(".<locals>.")[2]
        names = folded.setdefault(moment.frame, {})
        folded[moment.frame] = {n: v for n, v in names.items() if n not in moment.gone} | moment.delta


def test_a_frame_is_named_by_the_source() -> None:
    of = true("script")
    names = {of.frame(moment.frame) for moment in of.events}
    assert {info.function for info in names} >= {"<module>", "Box", "Box.grow", "double", "<lambda>", "<genexpr>"}
    assert next(info for info in names if info.function == "double") == FrameInfo(
        next(i.serial for i in names if i.function == "double"), "double", "other.py", 1, 0
    )
    assert of.frame(0) == FrameInfo(0, "<module>", None, of.events[0].line or 0, -1)


def test_the_parent_of_a_generator_is_the_frame_that_resumed_it() -> None:
    of = true("turns")
    stacks = {
        tuple(live.function for live in of.stack(step))
        for step, moment in enumerate(of.events)
        if of.frame(moment.frame).function == "gen"
    }
    assert stacks == {("f", "pull", "gen"), ("f", "gen"), ("f", "<genexpr>", "gen")}


def test_a_pending_call_has_changed_nothing_yet() -> None:
    of = true("fact")
    waiting = of.stack(2)[0], of.stack(3)[0], of.stack(9)[0]
    assert [dict(live.values) for live in waiting] == [{"n": "4"}] * 3
    back = next(j for j in range(3, len(of)) if of.events[j].frame == 0)
    assert of.events[back - 1].event == "return"
    assert dict(of.stack(back - 2)[0].values) == {"n": "4"}
    assert of.stack(back - 1)[0].values == of.stack(back)[0].values == of.before(back)[0].values == {"n": "4", "r": "6"}
    assert of.stack(back)[0].writers == {"n": 0, "r": 2}
    assert of.over(2) == back
    assert of.back_over(back) == 2


def test_a_change_that_is_written_before_its_frame_continues_is_seen_at_the_end() -> None:
    text = recorded_text("fact")[1].text
    cut = text.index(b" r=1\n") + len(b" r=1\n")
    before, after = (make_run("fact", "compact", text[:end], "budget") for end in (cut - 2, cut))
    last = len(after) - 1
    assert len(before) == len(after)
    assert [run.stack(last)[2].values.get("r") for run in (before, after)] == [None, "1"]
    assert all("r" not in live.values for live in after.stack(last - 1))


def test_output_is_what_was_printed() -> None:
    of, trace = true("script"), record(PROGRAMS["script"])
    assert output(of, len(of) - 1) == trace.output
    prints = [step for step in range(len(of)) if of.printed(step) is not None]
    assert "".join(of.printed(step) or "" for step in prints) == trace.output
    assert output(of, prints[0]) == of.printed(prints[0])
    assert output(of, prints[0] - 1) == ""
    assert of.output_tail(len(of), 5) == trace.output[-5:]
    assert of.output_tail(prints[0], 100) == ""
    assert output(true("script", "path"), len(true("script", "path")) - 1) == ""


@pytest.mark.parametrize(("name", "mode"), ALL)
def test_every_byte_of_a_whole_text_is_of_one_step(name: str, mode: str) -> None:
    of, text = true(name, mode), recorded_text(name, mode)[1].text
    end = b".\n" if mode != "cwm" else b"<|end_of_text|>"
    assert sum(of.cost(step) for step in range(len(of))) == len(text) - len(end)


def test_a_frame_that_the_cut_broke_off_has_its_bytes() -> None:
    frame, begun = (
        b"<|call_sep|>{}<|action_sep|>def f():\n<|frame_sep|>",
        b"<|return_sep|><|action_sep|>return [7, 7, 7",
    )
    found = step_spans(Prediction(text=frame + begun, status="budget", codec="cwm"), 2)
    assert found == [(0, len(frame)), (len(frame), len(frame + begun))]


def test_confidence_belongs_to_its_step() -> None:
    ask, truth = recorded_text("turns")
    logprobs = [-0.001 * i for i in range(len(truth.text))]
    sure = step_confidences(ask, truth, logprobs)
    of = Run("found", ask, truth, confidences=sure)
    assert len(sure) == len(of) + 1 == len(turns(truth.text))
    for step in range(len(of)):
        assert of.confidence(step) == pytest.approx((math.exp(sure[step].action), math.exp(sure[step].state)))
    assert true("turns").confidence(0) is None


def test_a_query_between_steps_moves_no_step() -> None:
    asked = changed("fact", ("2\n4\n", "2\n?n\n=4\n4\n"), status="budget")
    plain = true("fact")
    assert [m.event for m in asked.events[:6]] == [m.event for m in plain.events[:6]]
    assert [asked.cost(step) for step in (0, 1, 3)] == [plain.cost(step) for step in (0, 1, 3)]


@given(st.binary(max_size=200), st.sampled_from(sorted(MODES)), st.sampled_from(("ended", "budget", "broken")))
def test_any_bytes_make_a_run(data: bytes, mode: str, status: str) -> None:
    check(make_run("fact", mode, data, status))


@given(anyhow())
def test_any_lines_make_a_run(text: bytes) -> None:
    check(make_run("fact", "compact", text))


def test_an_empty_text_makes_an_empty_run() -> None:
    of = make_run("fact", "compact", b"", "ended")
    assert len(of) == 0
    with pytest.raises(IndexError):
        of.stack(0)


def test_source_that_is_no_python_has_no_names() -> None:
    ask = PredictionRequest(program=Program(source="def (:\n", call="f(1)"), options=Compact())
    of = Run("found", ask, Prediction(text=b"(1 n=1\n", status="budget"))
    assert of.stack(0)[0].function == "?"

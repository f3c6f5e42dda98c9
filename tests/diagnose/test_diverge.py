"""Planted divergences are located, and no others."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, overload

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recorded import COPIES, COUNT, FACT, PROGRAMS, sample, truth
from strategies import LITERALS
from tiers import examples

from worldline.codec.reading import Event, Reading
from worldline.core.program import Program
from worldline.core.value import equal
from worldline.diagnose.diverge import align, diverge
from worldline.diagnose.reading import read
from worldline.diagnose.value_diff import difference
from worldline.predict.prediction import STATUSES, Prediction, PredictionRequest

CODECS = ("compact", "cwm")


def reading(program: Program, codec: str = "compact") -> Reading:
    """The true reading of a program."""
    return read(PredictionRequest(program=program), truth(program, codec))


def with_event(found: Reading, i: int, **changes: Any) -> Reading:
    """A reading with one event changed."""
    events = list(found.events)
    events[i] = events[i]._replace(**changes)
    return replace(found, events=tuple(events))


TRUE = st.builds(reading, st.sampled_from(PROGRAMS), st.sampled_from(CODECS))


@given(true=TRUE)
def test_a_trace_does_not_diverge_from_itself(true: Reading) -> None:
    assert true.ended
    assert diverge(true, true) == ()


@given(true=TRUE, data=st.data())
def test_a_wrong_value_is_located(true: Reading, data: st.DataObject) -> None:
    steps = [i for i, event in enumerate(true.events) if event.values]
    i = data.draw(st.sampled_from(steps))
    name = data.draw(st.sampled_from(sorted(true.events[i].values)))
    values = {**true.events[i].values, name: "'another'"}
    (only,) = diverge(true, with_event(true, i, values=values))
    assert (only.step, only.found, only.what, only.name, only.got) == (i, i, "value", name, "'another'")


@given(true=TRUE, data=st.data())
def test_a_wrong_result_is_located(true: Reading, data: st.DataObject) -> None:
    i = data.draw(st.sampled_from([i for i, event in enumerate(true.events) if event.arg is not None]))
    (only,) = diverge(true, with_event(true, i, arg="'another'"))
    assert (only.step, only.found, only.name) == (i, i, None)
    assert only.what == ("outcome" if i == true.steps - 1 else only.what)
    assert only.what in ("outcome", "value", "output")


@given(true=TRUE, data=st.data(), field=st.sampled_from(["line", "event"]))
def test_a_wrong_action_is_located(true: Reading, data: st.DataObject, field: str) -> None:
    i = data.draw(st.integers(0, true.steps - 1))
    other = {"line": 999, "lines": (999,)} if field == "line" else {"event": "input"}
    (only,) = diverge(true, with_event(true, i, **other))
    assert (only.step, only.found, only.what, only.steps) == (i, i, field, (1, 1))


@given(true=TRUE, data=st.data())
def test_a_missing_name_is_located(true: Reading, data: st.DataObject) -> None:
    i = data.draw(st.sampled_from([i for i, event in enumerate(true.events) if event.values]))
    name = data.draw(st.sampled_from(sorted(true.events[i].values)))
    values = {key: value for key, value in true.events[i].values.items() if key != name}
    (only,) = diverge(true, with_event(true, i, values=values))
    assert (only.step, only.what, only.name, only.got) == (i, "names", name, None)


@given(true=TRUE, data=st.data())
def test_missing_and_extra_steps_are_distinguished(true: Reading, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, true.steps - 2))
    stop = data.draw(st.integers(start + 1, min(start + 4, true.steps - 1)))
    fewer = replace(true, events=true.events[:start] + true.events[stop:])
    for item, other, missing in ((true, fewer, 1), (fewer, true, -1)):
        spans = [d for d in diverge(item, other) if d.what in ("missing", "extra", "line", "event", "outcome")]
        assert spans[0].step >= start
        assert sum(d.steps[0] - d.steps[1] for d in spans) == missing * (stop - start)


def test_after_a_wrong_step_the_rest_is_aligned_again() -> None:
    true = reading(COUNT)
    result = with_event(true, 4, line=99, lines=(99,))
    result = with_event(result, 8, values={"n": "5"})
    result = replace(result, events=result.events[:13] + result.events[15:])
    shown = [(item.step, item.found, item.what, item.steps) for item in diverge(true, result)]
    assert shown == [(4, 4, "line", (1, 1)), (8, 8, "value", (1, 1)), (13, 13, "missing", (2, 0))]


def test_a_persistent_difference_is_reported_once() -> None:
    result = read(PredictionRequest(program=COUNT), sample(COUNT, ('"n": "0"', '"n": "7"'), codec="cwm").found)
    first = diverge(reading(COUNT, "cwm"), result)[0]
    assert (first.what, first.name, first.wanted, first.got) == ("value", "n", "0", "7")
    assert [item.wanted for item in diverge(reading(COUNT, "cwm"), result)] == ["0"]


def test_changes_of_a_call_are_reported_after_its_steps() -> None:
    result = read(PredictionRequest(program=FACT), sample(FACT, (")1\n r=1", ")7\n r=7")).found)
    assert [(item.step, item.name) for item in diverge(reading(FACT), result)] == [(9, None), (5, "r")]


def test_values_compare_as_values() -> None:
    true = reading(COUNT, "cwm")
    texts = {"'erry'": '"erry"'}
    events = tuple(m._replace(values={k: texts.get(v, v) for k, v in m.values.items()}) for m in true.events)
    assert events != true.events
    assert diverge(true, replace(true, events=events)) == ()


@given(codec=st.sampled_from(CODECS), text=st.binary(max_size=60), status=st.sampled_from(STATUSES))
def test_any_bytes_are_read_and_compared(codec: str, text: bytes, status: str) -> None:
    ask = PredictionRequest(program=FACT)
    true = reading(FACT, codec)
    kinds = {"event", "line", "names", "value", "output", "outcome", "missing", "extra"}
    for data in (text, truth(FACT, codec).text[:-40] + text):
        result = read(ask, Prediction(text=data, status=status, codec=codec))
        divergences = diverge(true, result)
        assert divergences
        assert all(item.what in kinds and 0 <= item.step <= true.steps for item in divergences)
        assert all(item.found is None or 0 <= item.found < result.steps for item in divergences)


@given(codec=st.sampled_from(CODECS), program=st.sampled_from(PROGRAMS), data=st.data())
def test_a_cut_text_is_right_up_to_its_cut(codec: str, program: Program, data: st.DataObject) -> None:
    true = truth(program, codec)
    size = data.draw(st.integers(0, len(true.text) - 1))
    result = read(PredictionRequest(program=program), Prediction(text=true.text[:size], status="budget", codec=codec))
    divergences = diverge(reading(program, codec), result)
    prompt = codec == "cwm" and size <= true.text.index(b"<|call_sep|>")  # half a prompt is no trace at all
    assert prompt or [item.is_cut for item in divergences] == [True]


# ---- where two values part ----


@pytest.mark.parametrize(
    ("wanted", "got", "path", "at", "one", "other"),
    [
        ("'abc'", "'abd'", "", 2, "'c'", "'d'"),
        ("'abc'", "'ab'", "", 2, "'c'", None),
        ("b'ab'", "b'xb'", "", 0, "b'a'", "b'x'"),
        ("[1, 2, 3]", "[1, 5, 3]", "[1]", None, "2", "5"),
        ("[1, 2]", "[1, 2, 3]", "[2]", None, None, "3"),
        ("{'a': [0, 'xy']}", "{'a': [0, 'xz']}", "['a'][1]", 1, "'y'", "'z'"),
        ("{'a': 1, 'b': 2}", "{'b': 3, 'a': 1}", "['b']", None, "2", "3"),
        ("{'a': 1}", "{'b': 1}", "['a']", None, "1", None),
        ("{1, 2}", "{1, 3}", "", None, "2", "3"),
        ("P#1(x=1, y=2)", "P#1(x=1, y=3)", ".y", None, "2", "3"),
        ("1", "'1'", "", None, "1", "'1'"),
        ("[1]", "(1,)", "", None, "[1]", "(1,)"),
        ("[1]", "[1", "", None, "[1]", "[1"),
    ],
)
def test_where_two_values_differ(
    wanted: str, got: str, path: str, at: int | None, one: str | None, other: str | None
) -> None:
    result = difference(wanted, got)
    assert result is not None
    assert (result.path, result.at, result.wanted, result.got) == (path, at, one, other)


@pytest.mark.parametrize(("one", "other"), [("1", "1"), ("{1: 2, 3: 4}", "{3: 4, 1: 2}"), ("'a'", '"a"')])
def test_equal_values_do_not_differ(one: str, other: str) -> None:
    assert difference(one, other) is None


@given(one=LITERALS.map(repr), other=LITERALS.map(repr))
def test_values_part_unless_they_are_equal(one: str, other: str) -> None:
    assert (difference(one, other) is None) == (one == other or equal(one, other))
    assert difference(one, one) is None


@pytest.mark.fuzz
def test_a_deeply_nested_value_differs_somewhere() -> None:
    depth = examples(400, 2000)
    deep = "[" * depth + "1" + "]" * depth
    result = difference(deep, deep.replace("1", "2"))
    assert result is not None
    assert result.path.startswith("[0][0]")


# ---- the cost of aligning ----


class Counted(Sequence[Any]):
    """A sequence that counts what is read of it."""

    def __init__(self, items: Sequence[Any]) -> None:
        self.items, self.reads = items, 0

    def __len__(self) -> int:
        return len(self.items)

    @overload
    def __getitem__(self, key: int) -> Any: ...
    @overload
    def __getitem__(self, key: slice) -> Sequence[Any]: ...
    def __getitem__(self, key: int | slice) -> Any:
        self.reads += 1
        return self.items[key]


def twisted(kind: str, rng: random.Random, size: int) -> tuple[list[int], list[int]]:
    """Two sequences that part in one way or another."""
    loop = [3, 4, 5] * (size // 3)
    match kind:
        case "random":
            return [rng.randrange(4) for _ in range(size)], [rng.randrange(4) for _ in range(size)]
        case "nothing in common":
            return loop, [item + 10 for item in loop]
        case "every other step wrong":
            return loop, [99 if i % 2 else item for i, item in enumerate(loop)]
        case "loop left early":
            return [*loop, 7, 8, 9], [*loop[:6], 7, 8, 9]
        case "loop never left":
            return [*loop[:6], 7, 8, 9], loop
        case _:
            return loop, [item for item in loop if rng.random() < 0.9]


@pytest.mark.parametrize(
    "kind",
    ["random", "nothing in common", "every other step wrong", "loop left early", "loop never left", "steps lost"],
)
def test_aligning_takes_linear_time(kind: str) -> None:
    rng = random.Random(kind)
    for size in (3_000, 30_000):
        wanted, got = map(Counted, twisted(kind, rng, size))
        spans = list(align(wanted, got, lambda i, j, a=wanted, b=got: a[i] == b[j]))  # type: ignore[misc]
        assert wanted.reads + got.reads <= 20 * (len(wanted) + len(got))
        assert sum(span.wanted for span in spans) == len(wanted)
        assert sum(span.got for span in spans) == len(got)
        assert all(span.wanted or span.got for span in spans)


def test_a_loop_left_early_meets_the_truth_again_after_the_loop() -> None:
    wanted, got = twisted("loop left early", random.Random(0), 30_000)
    spans = list(align(wanted, got, lambda i, j: wanted[i] == got[j]))
    assert [(span.wanted, span.got, span.agrees) for span in spans] == [(6, 6, True), (29_994, 0, False), (3, 3, True)]


@pytest.mark.long(reason="a trace of 40,000 steps")
def test_tens_of_thousands_of_steps() -> None:
    events = tuple(
        Event(event="line", frame=0, line=3 + i % 2, lines=(3 + i % 2,), values={"n": str(i)}) for i in range(40_000)
    )
    true = Reading(events=events, ended=True)
    result = replace(true, events=events[:20_001] + events[20_003:])
    divergences = diverge(true, result)
    assert divergences[0].step == 20_001
    assert divergences[-1].steps == (2, 0)


def test_an_outcome_is_more_than_a_value() -> None:
    whats = [item.what for item in diverge(reading(COPIES), with_event(reading(COPIES), 9, arg="'x'"))]
    assert whats == ["output"]

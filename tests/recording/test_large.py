"""Large values are recorded as changes: alike in both cores, whole when read, and stored as they are."""

from __future__ import annotations

import pickle
import random
from pathlib import Path

import pytest
from interpreters import FOUND, HERE
from large_programs import APPENDS, PROGRAMS

from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.state import Replay, states
from worldline.core.texts.spliced import SplicedTexts
from worldline.core.trace import Trace
from worldline.data import shards
from worldline.recording.recorder import record
from worldline.recording.repository.calls import slice_columns

LIMITS = Limits(wall=120)


PYTHON = FOUND[HERE]


def recorded(name: str, n: int, core: str = "native", python: str = PYTHON, limits: Limits = LIMITS) -> Trace:
    return record(Program(source=PROGRAMS[name], call=f"f({n})"), core=core, python=python, limits=limits)


@pytest.mark.parametrize("version", FOUND)
@pytest.mark.parametrize("name", PROGRAMS)
def test_both_cores_write_the_same_splices(name: str, version: str) -> None:
    native, readable = (recorded(name, 130, core, FOUND[version]) for core in ("native", "python"))
    assert native.columns == readable.columns
    assert list(native.steps) == list(readable.steps)
    assert isinstance(native.columns.texts, SplicedTexts)
    assert len(native.columns.texts.spliced) > 25


@pytest.mark.parametrize("name", ["lists", "nested", "dicts", "over"])
def test_both_cores_agree_where_large_values_are_cut(name: str) -> None:
    limits = Limits(wall=120, value_bytes=500)
    native, readable = (recorded(name, 130, core, limits=limits) for core in ("native", "python"))
    assert native.columns == readable.columns
    assert any("...<" in text for text in native.columns.texts)


def test_appends_cost_what_was_appended() -> None:
    """Written whole, the values of 20,000 appends would be 1.2 GB."""
    limits = Limits(wall=120, value_bytes=1 << 20, trace_bytes=4 << 20)
    trace = recorded("appends", 20_000, limits=limits)
    assert (trace.outcome.kind, len(trace)) == ("returned", 40_005)
    assert trace[-4].delta == {"xs": str(list(range(20_000)))}


def test_any_text_is_read_in_any_order() -> None:
    texts = recorded("lists", 130).columns.texts
    assert isinstance(texts, SplicedTexts)
    in_order = list(texts)
    numbers = [*range(len(texts))] * 2
    random.Random(1).shuffle(numbers)
    assert all(texts[number] == in_order[number] for number in numbers)
    assert texts[-1] == in_order[-1]
    assert texts[3:6] == in_order[3:6]
    assert texts == in_order
    assert pickle.loads(pickle.dumps(texts)) == texts


@pytest.mark.parametrize("name", PROGRAMS)
def test_states_fold_from_any_keyframe(name: str) -> None:
    trace = recorded(name, 130)
    replay, folded = Replay(trace, every=16), [state.frames for _, state in states(trace)]
    for i in random.Random(name).sample(range(len(trace)), 40):
        assert replay.at(i).frames == folded[i]


def test_stored_traces_keep_their_splices(tmp_path: Path) -> None:
    traces = [recorded(name, 130) for name in PROGRAMS]
    with shards.ShardWriter(str(tmp_path), fingerprint={}) as writer:
        for trace in traces:
            writer.add(trace)
    assert shards.verify(str(tmp_path)) == []
    for before, after in zip(traces, shards.read(str(tmp_path)), strict=True):
        assert list(after.steps) == list(before.steps)
        assert (after.outcome, after.frames, after.notes) == (before.outcome, list(before.frames), before.notes)
        assert isinstance(before.columns.texts, SplicedTexts)
        assert isinstance(after.columns.texts, SplicedTexts)
        assert len(after.columns.texts.spliced) == len(before.columns.texts.spliced)


def test_a_part_of_a_trace_keeps_its_splices() -> None:
    trace = recorded("appends", 300)
    start = len(trace) // 2
    part = slice_columns(trace.columns, start, len(trace), 0)
    assert isinstance(part.texts, SplicedTexts)
    assert len(part.texts.spliced) > 100
    assert [part.texts[number] for number in part.change_value] == [
        trace.columns.texts[number] for number in trace.columns.change_value[trace.columns.change_at[start] :]
    ]


def test_a_module_that_appends_is_recorded_alike() -> None:
    source = APPENDS.replace("def f(n):\n", "n = 200\n").replace("\n    ", "\n").replace("return len(xs)", "")
    native, readable = (
        record(Program(source=source), core=core, python=PYTHON, limits=LIMITS) for core in ("native", "python")
    )
    assert native.columns == readable.columns
    assert isinstance(native.columns.texts, SplicedTexts)

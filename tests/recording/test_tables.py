"""Tables of pandas in a trace: what is shown, that changes are noticed, and that no method is called."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pandas as pd
import pytest
import worldline._recorder as native

from worldline.core import value
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.recording.guests import recorder as readable
from worldline.recording.recorder import record

CORES = ("native", "python")


def both(shown: Any, value_bytes: int = 65536) -> str:
    """The text that both cores write."""
    texts: list[str] = []
    for core in (native, readable):
        wire = os.memfd_create("wire")
        os.ftruncate(wire, 1 << 20)
        limits = {"steps": 10, "value_bytes": value_bytes, "value_depth": 100}
        texts.append(core.Recorder(wire, {}, limits, lambda code: ()).render(shown))
        os.close(wire)
    assert texts[0] == texts[1]
    assert isinstance(value.parse(texts[0]), value.Value), texts[0]
    return texts[0]


def ints(*items: int) -> str:
    return f"ndarray(shape=({len(items)},), dtype='int64', data={list(items)})"


def objects(*items: str) -> pd.Index:
    return pd.Index(items, dtype=object)


FRAME = pd.DataFrame({"n": [1, 2], "x": [0.5, 1.5]}, columns=objects("n", "x"))
FLOATS = "ndarray(shape=(2,), dtype='float64', data=[0.5, 1.5])"
CODES = "ndarray(shape=(2,), dtype='int8', data=[0, 1])"
# fmt: off
SHOWN = [
    (pd.Series([1, 2], name="q"), f"Series#1(name='q', index=range(0, 2), data={ints(1, 2)})"),
    (pd.Series([1], index=[7]), f"Series#1(name=None, index={ints(7)}, data={ints(1)})"),
    (pd.Series([], dtype="i8"),
     "Series#1(name=None, index=range(0, 0), data=ndarray(shape=(0,), dtype='int64', data=[]))"),
    (FRAME, f"DataFrame#1(shape=(2, 2), index=range(0, 2), columns={{'n': {ints(1, 2)}, 'x': {FLOATS}}})"),
    (FRAME.iloc[::-1, ::-1], "DataFrame#1(shape=(2, 2), index=range(1, -1, -1), columns={'x': "
     f"ndarray(shape=(2,), dtype='float64', data=[1.5, 0.5]), 'n': {ints(2, 1)}}})"),
    (pd.DataFrame(), "DataFrame#1(shape=(0, 0), index=range(0, 0), columns={})"),
    (pd.DataFrame({3: [1], 5: [2]}),
     f"DataFrame#1(shape=(1, 2), index=range(0, 1), columns={{3: {ints(1)}, 5: {ints(2)}}})"),
    (pd.DataFrame([[1, 2], [3, 4]]),
     f"DataFrame#1(shape=(2, 2), index=range(0, 2), columns={{0: {ints(1, 3)}, 1: {ints(2, 4)}}})"),
    (pd.DataFrame([[1, 2]], columns=[["a", "a"], ["x", "y"]]),
     f"DataFrame#1(shape=(1, 2), index=range(0, 1), columns={{0: {ints(1)}, 1: {ints(2)}}})"),
    (FRAME.set_index(["n"], append=True)[[]], "DataFrame#1(shape=(2, 0), index=MultiIndex("
     f"levels=[range(0, 2), {ints(1, 2)}], codes=[{CODES}, {CODES}]), columns={{}})"),
    (FRAME.set_index(["n", "x"]).index, "MultiIndex#1(names=['n', 'x'], "
     f"levels=[{ints(1, 2)}, {FLOATS}], codes=[{CODES}, {CODES}])"),
    (FRAME.set_index(pd.period_range("2020", periods=2))[[]],
     "DataFrame#1(shape=(None, 0), index=...<PeriodArray 0>, columns={})"),
    (pd.Series(["u", None, "v"], dtype=object), "Series#1(name=None, index=range(0, 3), "
     "data=ndarray(shape=(3,), dtype='object', data=['u', None, 'v']))"),
    (pd.Series(np.array(["2024-02-29", "NaT"], "M8[s]")), "Series#1(name=None, index=range(0, 2), "
     "data=ndarray(shape=(2,), dtype='datetime64[s]', data=['2024-02-29T00:00:00', 'NaT']))"),
    (pd.Series(pd.Categorical([30, 10, 30])), "Series#1(name=None, index=range(0, 3), data=Categorical("
     f"codes=ndarray(shape=(3,), dtype='int8', data=[1, 0, 1]), categories={ints(10, 30)}))"),
    (pd.Series([1, None], dtype="Int64"), "Series#1(name=None, index=range(0, 2), data=MaskedArray("
     f"data={ints(1, 1)}, mask=ndarray(shape=(2,), dtype='bool', data=[False, True])))"),
    (pd.Series(pd.period_range("2020", periods=2)), "Series#1(name=None, index=range(0, 2), data=...<PeriodArray 0>)"),
    (pd.Index([3, 5], name="n"), f"Index#1(name='n', data={ints(3, 5)})"),
    (pd.RangeIndex(3), "RangeIndex#1(name=None, data=range(0, 3))"),
    (pd.DatetimeIndex(np.array(["2024-02-29"], "M8[s]")), "DatetimeIndex#1(name=None, "
     "data=ndarray(shape=(1,), dtype='datetime64[s]', data=['2024-02-29T00:00:00']))"),
    (pd.TimedeltaIndex(np.array([90], "m8[s]")),
     "TimedeltaIndex#1(name=None, data=ndarray(shape=(1,), dtype='timedelta64[s]', data=[90]))"),
    (pd.Categorical([30, 10, 30]),
     f"Categorical#1(codes=ndarray(shape=(3,), dtype='int8', data=[1, 0, 1]), categories={ints(10, 30)})"),
    (pd.CategoricalIndex([30, 10]), "CategoricalIndex#1(name=None, data=Categorical("
     f"codes=ndarray(shape=(2,), dtype='int8', data=[1, 0]), categories={ints(10, 30)}))"),
    (pd.Timestamp("2024-02-29 01:02:03").as_unit("s"), "Timestamp('2024-02-29T01:02:03')"),
    (pd.Timestamp("1969-12-31 23:59:59.000000001"), "Timestamp('1969-12-31T23:59:59.000000001')"),
    (pd.Timestamp("2024-02-29 01:00", tz="Europe/Berlin").as_unit("s"), "Timestamp('2024-02-29T00:00:00', utc=True)"),
    ([pd.Timedelta("-1D").as_unit("s"), pd.NaT, pd.NA], "[Timedelta(-86400, 's'), pandas.NaT, pandas.NA]"),
]
# fmt: on


@pytest.mark.unit
@pytest.mark.parametrize(("shown", "text"), SHOWN, ids=[text[:70] for _, text in SHOWN])
def test_both_cores_write_the_text(shown: Any, text: str) -> None:
    assert both(shown) == text


@pytest.mark.unit
def test_texts_of_arrow_are_read() -> None:
    pytest.importorskip("pyarrow")
    texts = pd.Series(["u", None, "é'"], dtype="string[pyarrow]")
    shown = "ArrowStringArray(shape=(3,), data=['u', None, \"é'\"])"
    assert both(texts) == f"Series#1(name=None, index=range(0, 3), data={shown})"
    parts = pd.concat([texts, texts[1:], texts[2:]], ignore_index=True)
    assert 'data=[\'u\', None, "é\'", None, "é\'", "é\'"])' in both(parts)
    long = both(pd.concat([texts] * 50))
    assert ("head=['u'" in long, "data=...<str 150>" in long) == (True, True)
    assert "...<ArrowExtensionArray 0>" in both(pd.Series([1, 2], dtype="int64[pyarrow]"))


@pytest.mark.unit
def test_a_large_table_has_the_first_columns_and_a_checksum_of_each() -> None:
    large = pd.DataFrame(np.arange(6000).reshape(200, 30))
    before = both(large)
    assert before.count("crc32=") == 20
    large.iloc[199, 19] = 0
    assert both(large) != before
    assert both(large, value_bytes=300) == "...<DataFrame 0>"


@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize("core", CORES)
def test_a_change_of_a_cell_is_seen_where_it_happens(core: str) -> None:
    source = (
        "import pandas as pd\nd = pd.DataFrame({'a': [1, 2]})\ns = d['a']\nd.loc[0, 'a'] = 7\nd['b'] = d['a'] * 2\n"
        "t = 0\nt = 1\nd.sort_values('b', inplace=True)\n"
    )
    trace = record(Program(source=source), core=core, limits=Limits(wall=120, memory=4 << 30))
    assert trace.outcome.kind == "returned", trace.stderr
    lines = [step.line for step in trace.steps if "d" in step.delta]
    assert lines == [2, 4, 5, 8]
    texts = [step.delta["d"] for step in trace.steps if "d" in step.delta]
    assert [text.partition("{")[2].removesuffix("})") for text in texts[1:3]] == [
        f"'a': {ints(7, 2)}", f"'a': {ints(7, 2)}, 'b': {ints(14, 4)}",
    ]  # fmt: skip
    assert not any("s" in step.delta for step in trace.steps if step.line > 3)


HOSTILE = {
    "a class of the same name": (
        "class DataFrame:\n    __module__ = 'pandas.core.frame'\n    def __init__(self): self._mgr = 1\n"
        "import pandas.core.frame\npandas.core.frame.DataFrame = DataFrame\nx = DataFrame()\n",
        "DataFrame#1(_mgr=1)",
    ),
    "parts of another kind": ("x = pd.Series([1])\nx._mgr.axes = [3]\ny = 1\n", None),
    "blocks that are none": ("x = pd.Series([1])\nx._mgr.blocks = (3,)\ny = 1\n", None),
    "categories inside themselves": (
        "c = pd.Categorical([1, 2])\nx = pd.Series(c)\ni = c.dtype._categories\n"
        "object.__setattr__(i, '_data', x._mgr.blocks[0].values)\ny = 1\nimport os; os._exit(0)\n",
        None,
    ),
    "methods of a subclass": (
        "class Mine(pd.DataFrame):\n    @property\n    def shape(self): print('called'); return (0, 0)\n"
        "    def __len__(self): print('called'); return 0\n"
        "x = Mine.__new__(Mine)\nprint('made')\ny = 1\n",
        "Mine#1()",
    ),
    "methods of a scalar": (
        "class Mine(pd.Timestamp):\n    def __repr__(self): print('called'); return ''\n"
        "def loud(self): print('called'); return '1'\n"
        "pd.Timestamp.tzinfo = pd.Timestamp._value = pd.Timestamp.__repr__ = property(loud)\n"
        "x = pd.Timestamp(2024, 1, 2)\nprint('made')\ny = 1\n",
        None,
    ),
    "levels of an index that are itself": (
        "x = pd.MultiIndex.from_arrays([[1], [2]])\nfor k in range(2): list.__setitem__(x._levels, k, x)\ny = 1\n"
        "import os; os._exit(0)\n",
        None,
    ),
    "values of an index that are itself": (
        "x = pd.Index([1])\nobject.__setattr__(x, '_data', x)\ny = 1\nimport os; os._exit(0)\n",
        None,
    ),
}


@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_table_is_read_safely_and_not_called(name: str, core: str) -> None:
    source, expected = HOSTILE[name]
    program = Program(source="import pandas as pd\n" + source)
    trace = record(program, core=core, limits=Limits(wall=120, memory=4 << 30))
    assert [step.delta["y"] for step in trace.steps if "y" in step.delta] == (["1"] if "y = 1" in source else [])
    assert trace.output.rpartition("made\n")[2] == ""
    if expected is not None:
        assert [step.delta["x"] for step in trace.steps if "x" in step.delta] == [expected]

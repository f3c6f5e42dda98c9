"""Arrays and scalars of NumPy in a trace: what is shown, that changes are noticed, and that nothing unsafe is read."""

from __future__ import annotations

import os
import zlib
from random import Random
from typing import Any

import numpy as np
import pytest
import worldline._recorder
from array_programs import array_program
from tiers import examples

from worldline.core import value
from worldline.core.limits import Limits
from worldline.core.malformed import Malformed
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.recording.guests import recorder as readable
from worldline.recording.recorder import record, record_many

CORES = ("native", "python")
COUNT = examples(15, 60, "WORLDLINE_FUZZ")


def changes(trace: Trace) -> list[str]:
    """Every change of a name, as `name=value`."""
    return [f"{name}={text}" for step in trace.steps for name, text in step.delta.items()]


def of(trace: Trace, name: str) -> list[str]:
    return [text for step in trace.steps for changed, text in step.delta.items() if changed == name]


def recorded(source: str, core: str, **limits: Any) -> Trace:
    trace = record(Program(source="import numpy as np\n" + source), core=core, limits=Limits(wall=60, **limits))
    assert trace.interpreter.core == core
    for text in trace.columns.texts:
        if text.startswith("ndarray("):
            assert isinstance(value.parse(text), value.Value), text
    return trace


def renderers(value_bytes: int = 65536) -> list[Any]:
    """Both cores, in this process."""
    cores: list[Any] = []
    for core in (worldline._recorder, readable):
        wire = os.memfd_create("wire")
        os.ftruncate(wire, 1 << 20)
        limits = {"steps": 10, "value_bytes": value_bytes, "value_depth": 100}
        cores.append(core.Recorder(wire, {}, limits, lambda code: ()))
        os.close(wire)
    return cores


LOOP = np.array([None, 1], object)
LOOP[0] = [LOOP]
TWICE = np.zeros(1, "i8")


class Named(np.ndarray):
    """A subclass whose instances have fields."""


IN_ITSELF: Any = np.zeros(1, object).view(Named)
IN_ITSELF[0], IN_ITSELF.tag = [IN_ITSELF], "t"
# fmt: off
SHOWN = [
    (np.array([[1, 2], [3, 4]]), "ndarray(shape=(2, 2), dtype='int64', data=[[1, 2], [3, 4]])"),
    (np.array(5), "ndarray(shape=(), dtype='int64', data=5)"),
    (np.zeros((3, 0)), "ndarray(shape=(3, 0), dtype='float64', data=[])"),
    (np.zeros((0, 1 << 40)), "ndarray(shape=(0, 1099511627776), dtype='float64', data=[])"),
    (np.array([True, False]), "ndarray(shape=(2,), dtype='bool', data=[True, False])"),
    (np.array([-128, 127], "i1"), "ndarray(shape=(2,), dtype='int8', data=[-128, 127])"),
    (np.array([-2**63, 2**63 - 1]),
     "ndarray(shape=(2,), dtype='int64', data=[-9223372036854775808, 9223372036854775807])"),
    (np.array([2**64 - 1], "u8"), "ndarray(shape=(1,), dtype='uint64', data=[18446744073709551615])"),
    (np.array([0.1, -0.0, np.inf, np.nan]), "ndarray(shape=(4,), dtype='float64', data=[0.1, -0.0, inf, nan])"),
    (np.array([0.1, 3.4028235e38, 1e-45],
     "f4"), "ndarray(shape=(3,), dtype='float32', data=[0.1, 3.4028235e+38, 1e-45])"),
    (np.array([0.1, 65504, 6e-8, np.nan],
     "f2"), "ndarray(shape=(4,), dtype='float16', data=[0.1, 65500.0, 6e-08, nan])"),
    (np.frombuffer(np.array([0x7f800001, 0xffc00000], "u4").tobytes(), "f4"),
     "ndarray(shape=(2,), dtype='float32', data=[nan(7ff0000020000000), nan(fff8000000000000)])"),
    (np.array([1 + 2j, -0.0j]),
     "ndarray(shape=(2,), dtype='complex128', data=[complex(1.0, 2.0), complex(-0.0, -0.0)])"),
    (np.array([0.1j], "c8"), "ndarray(shape=(1,), dtype='complex64', data=[complex(0.0, 0.1)])"),
    (np.array([1, 258], ">i2"), "ndarray(shape=(2,), dtype='>i2', data=[1, 258])"),
    (np.array([0.5 + 2j], ">c8"), "ndarray(shape=(1,), dtype='>c8', data=[complex(0.5, 2.0)])"),
    (np.array(["a", "é'\n"]), "ndarray(shape=(2,), dtype='U3', data=['a', \"é'\\n\"])"),
    (np.array(["ab"], ">U2"), "ndarray(shape=(1,), dtype='>U2', data=['ab'])"),
    (np.array([0x110000, 0, 97, 0], "u4").view("U4"), "ndarray(shape=(1,), dtype='U4', data=['\ufffd\\x00a'])"),
    (np.array([b"a\0b", b""], "S4"), "ndarray(shape=(2,), dtype='S4', data=[b'a\\x00b', b''])"),
    (np.array([b"ab"], "V3"), "ndarray(shape=(1,), dtype='V3', data=[b'ab\\x00'])"),
    (np.array(["1969-12-31", "2024-02-29", "NaT"], "M8[D]"),
     "ndarray(shape=(3,), dtype='datetime64[D]', data=['1969-12-31', '2024-02-29', 'NaT'])"),
    (np.array([3, -1], "m8[25ms]"), "ndarray(shape=(2,), dtype='timedelta64[25ms]', data=[3, -1])"),
    (np.array([10**6], "M8[Y]"), "ndarray(shape=(1,), dtype='datetime64[Y]', data=[1000000])"),
    (np.array([(1, 2.5, b"x")], [("x", "i4"), ("y", "f8"), ("z", [("w", "S1")])]),
     "ndarray(shape=(1,), dtype={'x': 'int32', 'y': 'float64', 'z': {'w': 'S1'}}, data=[(1, 2.5, (b'x',))])"),
    (np.zeros(2, [("x", "i4", (2,))]), "ndarray(shape=(2,), dtype='V8', data=...<bytes 16>)"),
    (np.array([[1], None, "x"], object), "ndarray(shape=(3,), dtype='object', data=[[1], None, 'x'])"),
    (np.array([1], "g"), "ndarray(shape=(1,), dtype='longdouble', data=...<bytes 16>)"),
    (np.array(["x"], np.dtypes.StringDType()), "ndarray(shape=(1,), dtype='StringDType', data=...<bytes 16>)"),
    (np.arange(24).reshape(2, 3, 4)[::-1, 1, ::-2], "ndarray(shape=(2, 2), dtype='int64', data=[[19, 17], [7, 5]])"),
    (np.broadcast_to(np.int8(7), (2, 2)), "ndarray(shape=(2, 2), dtype='int8', data=[[7, 7], [7, 7]])"),
    (np.broadcast_to(np.int8(7), (1 << 40,)), "ndarray(shape=(1099511627776,), dtype='int8', "
     "head=[7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7], data=...<bytes 1099511627776>)"),
    (np.arange(300).reshape(50, 3, 2), "ndarray(shape=(50, 3, 2), dtype='int64', "
     "head=[[[0, 1], [2, 3], [4, 5]], [[6, 7], [8, 9], [10, 11]], [[12, 13], [14, 15], [16, 17]]], "
     f"crc32={zlib.crc32(np.arange(300).tobytes())})"),
    (np.arange(300).reshape(2, 150)[:, ::-1], "ndarray(shape=(2, 150), dtype='int64', "
     f"head=[[{', '.join(map(str, range(149, 129, -1)))}]], "
     f"crc32={zlib.crc32(np.arange(300).reshape(2, 150)[:, ::-1].tobytes())})"),
    (LOOP, "ndarray(shape=(2,), dtype='object', data=[[...<ndarray 0>], 1])"),
    ([TWICE, TWICE], "[ndarray(shape=(1,), dtype='int64', data=[0]), ndarray(shape=(1,), dtype='int64', data=[0])]"),
    ([np.int64(-3), np.uint8(3), np.intc(4), np.longlong(5), np.bool_(1)],
     "[int64(-3), uint8(3), int32(4), longlong(5), bool_(True)]"),
    ([np.float16(0.1), np.float32(0.1), np.float64(0.1), np.complex64(1j)],
     "[float16(0.1), float32(0.1), float64(0.1), complex64(complex(0.0, 1.0))]"),
    ([np.str_("a'b"), np.bytes_(b"a\0")], "[str_(\"a'b\"), bytes_(b'a\\x00')]"),
    ([np.datetime64("2020-01", "M"), np.datetime64("NaT"), np.timedelta64(3, "D"), np.timedelta64(4)],
     "[datetime64('2020-01', 'M'), datetime64('NaT'), timedelta64(3, 'D'), timedelta64(4)]"),
    ({np.int64(1): np.longdouble(1), np.float64(2): np.zeros(1, "i4,i4")[0]},
     "{int64(1): <longdouble>, float64(2.0): <void>}"),
    (np.arange(2).view(np.recarray), "recarray#1(ndarray(shape=(2,), dtype='int64', data=[0, 1]))"),
    (np.ma.array([1, 2], mask=[0, 1])[:1], "MaskedArray#1(ndarray(shape=(1,), dtype='int64', data=[1]), "
     "_fill_value=None, _hardmask=False, _sharedmask=True, _isfield=False, _baseclass=<class ndarray>, _optinfo=#1{}, "
     "_basedict=#1, _mask=ndarray(shape=(1,), dtype='bool', data=[False]))"),
    (IN_ITSELF, "Named#1(ndarray(shape=(1,), dtype='object', data=[[Named#1]]), tag='t')"),
]
# fmt: on


@pytest.mark.unit
@pytest.mark.parametrize(("shown", "text"), SHOWN, ids=[text[:60] for _, text in SHOWN])
def test_both_cores_write_the_text(shown: Any, text: str) -> None:
    native, python = (core.render(shown) for core in renderers())
    assert (native, python) == (text, text)
    assert not isinstance(value.parse(text), Malformed)
    assert value.equal(text, text)


@pytest.mark.unit
@pytest.mark.parametrize("unit", ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as", "7D", "25ns"])
def test_times_are_written_as_numpy_writes_them(unit: str) -> None:
    rng = Random(f"dates {unit}")
    times = np.array([rng.randrange(-(10**k), 10**k) for k in range(1, 17) for _ in range(3)], "i8").view(f"M8[{unit}]")
    cores = renderers()
    compared = 0
    for time in times:
        native, python = (core.render(time) for core in cores)
        assert native == python
        expected = str(time)
        if expected[0] != "-" and len(expected.split("-")[0]) == 4 and expected[:4] > "0000":
            assert native == f"datetime64('{expected}', '{unit}')"
            compared += 1
    assert compared >= 10


@pytest.mark.unit
@pytest.mark.parametrize("size", [2, 4])
def test_short_floats_are_exact_and_as_numpy_writes_them(size: int) -> None:
    rng = Random(size)
    patterns = [rng.randrange(1 << 8 * size) for _ in range(500)]
    numbers = np.array(patterns, f"u{size}").view(f"f{size}")
    cores = renderers()
    for number in numbers:
        native, python = (core.render(number) for core in cores)
        assert native == python
        if number == number:
            inside = native.partition("(")[2].removesuffix(")")
            assert number.dtype.type(float(inside)) == number
            assert float(inside) == float(np.format_float_scientific(number, unique=True))


@pytest.mark.unit
def test_a_checksum_is_of_at_most_256_kibibytes_of_one_value() -> None:
    half = np.zeros(1 << 14)
    texts = {core.render([half, half.copy(), half.copy()]) for core in renderers()}
    assert len(texts) == 1
    text = texts.pop()
    assert (text.count("crc32="), text.count("data=...<bytes 131072>")) == (2, 1)


@pytest.mark.unit
def test_random_arrays_are_rendered_alike_by_both_cores() -> None:
    rng = Random("arrays")
    codes = [
        *("b1", "i1", "u2", "i4", "u8", "f2", "f4", "f8", "c8", "c16", ">i4", ">f8", ">c16"),
        *("S5", "U3", ">U2", "V7", "M8[s]", "m8[us]", "i1,f8,U2"),
    ]
    for seed in range(COUNT * 20):
        code = rng.choice(codes)
        shape = [rng.randrange(1, 9) for _ in range(rng.randrange(0, 4))]
        raw = np.frombuffer(rng.randbytes(int(np.prod(shape)) * np.dtype(code).itemsize), np.dtype(code)).reshape(shape)
        array = raw if rng.random() < 0.5 else raw.copy()
        for _ in range(rng.randrange(3)):
            array = rng.choice(
                [lambda a: a.T, lambda a: a[..., ::-1] if a.ndim else a, lambda a: a[1:] if a.ndim else a]
            )(array)
        if array.dtype.char == "?":
            array = array.astype("u1") != 0
        native, python = (core.render(array) for core in renderers(rng.choice((200, 65536))))
        assert native == python, (seed, code, shape)


@pytest.mark.fuzz
def test_cores_agree_on_random_programs() -> None:
    programs = [Program(source=array_program(seed)) for seed in range(COUNT)]
    limits = Limits(steps=2000, wall=60)
    native, python = (record_many(programs, core=core, limits=limits) for core in CORES)
    changed = 0
    for seed, (a, b) in enumerate(zip(native, python, strict=True)):
        assert a.outcome == b.outcome, seed
        assert [(s.event, s.line, s.delta, s.gone, s.same, s.arg) for s in a.steps] == [
            (s.event, s.line, s.delta, s.gone, s.same, s.arg) for s in b.steps
        ], seed
        changed += sum("ndarray(" in text for text in changes(a))
    assert changed > 3 * COUNT


@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize("core", CORES)
def test_changes_in_place_are_seen_where_they_happen(core: str) -> None:
    source = "a = np.zeros(3)\nb = a[:2]\nb[1] = 9\nlong = np.zeros(1000)\nlong[999] = 1\nnp.add(a, 1, out=a)\nc = b\n"
    source += "del c\n"
    trace = recorded(source, core)
    lines = {step.line: step.delta for step in trace.steps if step.event == "line"}
    assert {name: text.partition("data=")[2] for name, text in lines[4].items()} == {
        "a": "[0.0, 9.0, 0.0])",
        "b": "[0.0, 9.0])",
    }
    assert lines[6]["long"].rpartition("crc32=")[2] != lines[5]["long"].rpartition("crc32=")[2]
    assert set(lines[7]) == {"a", "b"}
    assert next(step.same for step in trace.steps if step.line == 8) == {"c": "b"}


@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize("core", CORES)
def test_an_array_that_does_not_change_is_written_once(core: str) -> None:
    trace = recorded("a = np.arange(500)\nt = 0\nfor i in range(20):\n    t += int(a[i])\n", core)
    assert len(of(trace, "a")) == 1


HOSTILE = {
    "a subclass": (
        "class Evil(np.ndarray):\n"
        "    def __getattribute__(self, name):\n        print('called', name)\n"
        "        return super().__getattribute__(name)\n"
        "    def __array_finalize__(self, other):\n        print('finalized')\n"
        "    __array_interface__ = dtype = shape = base = property(lambda self: print('asked'))\n"
        "    def view(self, *a): print('viewed')\n"
        "    tobytes = __getitem__ = __len__ = __iter__ = view\n"
        "x = np.ndarray.__new__(Evil, (2,), 'i8', bytearray(16))\nprint('made')\ny = 1\n"
        "np.ndarray.__setitem__(x, 0, 7)\ny = 2\n",
        [f"Evil#1(ndarray(shape=(2,), dtype='int64', data=[{first}, 0]))" for first in (0, 7)],
    ),
    "a fake module": (
        "import sys, types\nfake = types.ModuleType('numpy')\n"
        "class ndarray:\n    def __init__(self): self.shape = (1,)\n"
        "ndarray.__module__ = 'numpy'\nfake.ndarray = ndarray\nsys.modules['numpy'] = fake\nx = ndarray()\n",
        ["ndarray#1(shape=(1,))"],
    ),
    "a closed memory map": (
        "import mmap\nm = mmap.mmap(-1, 1 << 16)\nx = np.ndarray((4096,), 'i8', m)\nm.close()\ny = 1\n",
        ["ndarray(shape=(4096,), dtype='int64', data=...<bytes 32768>)"],
    ),
    "a view of a resized array": (
        "a = np.zeros(1 << 20)\nx = a[-2:]\na.resize(4, refcheck=False)\ny = 1\n",
        ["ndarray(shape=(2,), dtype='float64', data=[0.0, 0.0])",
         "ndarray(shape=(2,), dtype='float64', data=...<bytes 16>)"],
    ),
    "a shrunken bytearray": (
        "b = bytearray(1 << 20)\nx = np.ndarray((1 << 17,), 'i8', b)[-2:]\ndel b[8:]\ny = 1\n",
        ["ndarray(shape=(2,), dtype='int64', data=[0, 0])",
         "ndarray(shape=(2,), dtype='int64', data=...<bytes 16>)"],
    ),
    "a released view": (
        "b = bytearray(1 << 20)\nx = np.frombuffer(b, 'i8')[-2:]\nx.base.base.release()\nb.clear()\ny = 1\n",
        ["ndarray(shape=(2,), dtype='int64', data=[0, 0])",
         "ndarray(shape=(2,), dtype='int64', data=...<bytes 16>)"],
    ),
    "freed memory of C": (
        "import ctypes, mmap\nlibc = ctypes.CDLL(None)\nlibc.malloc.restype = ctypes.c_void_p\n"
        "p = libc.malloc(ctypes.c_size_t(1 << 26))\n"
        "x = np.ctypeslib.as_array(ctypes.cast(p, ctypes.POINTER(ctypes.c_long)), (1 << 23,))\n"
        "libc.free(ctypes.c_void_p(p))\ndel p\ny = 1\n",
        ["ndarray(shape=(8388608,), dtype='int64', data=...<bytes 67108864>)"],
    ),
    "objects out of bytes": (
        "x = np.ndarray((2,), object, b'\\x10' * 16)\ny = 1\n",
        ["ndarray(shape=(2,), dtype='object', data=...<bytes 16>)"],
    ),
    "objects between objects": (
        "x = np.ndarray((1,), object, np.array([1, 2, 3], object), 4)\ny = 1\n",
        ["ndarray(shape=(1,), dtype='object', data=...<bytes 8>)"],
    ),
    "strides beyond the memory": (
        "x = np.lib.stride_tricks.as_strided(np.zeros(2), (4,), (1 << 40,))\ny = 1\n",
        ["ndarray(shape=(4,), dtype='float64', data=...<bytes 32>)"],
    ),
    "a forged dtype": (
        "d = np.dtype([('u', 'i8'), ('v', 'i8')])\nstate = list(d.__reduce__()[2])\n"
        "state[4] = {'u': (np.dtype('i8'), 0), 'v': (np.dtype('i8'), 1 << 40)}\nd.__setstate__(tuple(state))\n"
        "x = np.zeros(2, 'V16')\nx = np.ndarray((2,), d, np.zeros(4))\ny = 1\n",
        ["ndarray(shape=(2,), dtype='V16', data=[b'" + "\\x00" * 16 + "', b'" + "\\x00" * 16 + "'])",
         "ndarray(shape=(2,), dtype='V16', data=...<bytes 32>)"],
    ),
    "names that compare": (
        "class Name(str):\n    def __hash__(self): return hash('v')\n"
        "    def __eq__(self, other): print('compared'); return False\n"
        "d = np.dtype([('u', 'i4'), ('v', 'i4')])\nx = np.zeros(1, d)\n"
        "try:\n    x.dtype.names = ('u', Name('w'))\nexcept Exception:\n    pass\nprint('set')\ny = 1\ny = 2\n",
        None,
    ),
    "objects that compare": (
        "class Odd:\n    __slots__ = ()\n    def __eq__(self, other): print('compared'); return True\n"
        "    def __repr__(self): print('shown'); return ''\n"
        "x = np.array([Odd(), None], dtype=object)\nprint('made')\ny = 1\n",
        ["ndarray(shape=(2,), dtype='object', data=[Odd#1(), None])"],
    ),
}  # fmt: skip


@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_program_is_read_safely_and_not_called(name: str, core: str) -> None:
    source, expected = HOSTILE[name]
    trace = recorded(source, core)
    assert trace.outcome.kind == "returned", trace.stderr
    assert trace.output.rpartition("made\n")[2].rpartition("set\n")[2] == ""
    if expected is not None:
        assert of(trace, "x") == expected


@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize("core", CORES)
def test_an_array_holds_nothing_alive(core: str) -> None:
    source = (
        "class Loud:\n    def __del__(self): print('gone')\n"
        "x = np.array([Loud()], dtype=object)\nx = None\nprint('after')\n"
    )
    assert recorded(source, core).output == "gone\nafter\n"

"""Both engines compute the trunk's function, from states that fork, whatever the batch, the block or the path."""

from __future__ import annotations

import gc
import os
import threading
from typing import Any

import numpy as np
import pytest
from nets import random_bytes, random_trunk, trunk_logits, weights_of

from worldline.model.engine import native as engine_native
from worldline.model.engine import reference as engine
from worldline.model.engine.quantization import quantize
from worldline.model.shape import Shape
from worldline.model.weights import FloatArray, dequantize, to_bfloat16

SHAPES = (
    Shape(depth=3, window=16),
    Shape(depth=4, window=16, householders=2),
    Shape(depth=3, window=7, mix="attention"),
    Shape(depth=2, window=1, mix="attention"),
    Shape(depth=2, mix="recurrence", householders=3),
    Shape(depth=6, window=33),
)
NATIVE = [f"{precision} {path}" for precision in engine_native.PRECISIONS for path in engine_native.instruction_sets()]
PROMPT, TRACE = 37, 150  # neither a multiple of anything; the trace is longer than every window

native = pytest.mark.skipif(not engine_native.is_built(), reason="the C engine was not built")


def make(kind: str, shape: Shape, weights: dict[str, FloatArray], threads: int = 2) -> Any:
    """An engine by its name: numpy, or precision and path."""
    if kind == "numpy":
        return engine.ReferenceEngine(shape, weights)
    precision, path = kind.split()
    return engine_native.NativeEngine(shape, weights, threads=threads, precision=precision, path=path)


def read(machine: Any, data: bytes, prompt: int = PROMPT) -> FloatArray:
    """Logits after every byte, some of them pinned."""
    state = machine.start()
    parts = (machine.feed_all(state, data[:prompt], pin=True), machine.feed_all(state, data[prompt:], pin=False))
    return np.concatenate(parts)


def distance(logits: FloatArray, expected: FloatArray) -> float:
    """The largest difference, relative to the largest logit."""
    return float(np.abs(logits - expected).max() / np.abs(expected).max())


@pytest.mark.sampled(6)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("prompt", [PROMPT, 0, 1])
def test_numpy_is_the_trunk(shape: Shape, prompt: int) -> None:
    trunk, data = random_trunk(shape), random_bytes(PROMPT + TRACE)
    assert (
        distance(
            read(engine.ReferenceEngine(shape, weights_of(trunk)), data, prompt), trunk_logits(trunk, data, prompt)
        )
        < 1e-4
    )


def test_numpy_takes_any_vocabulary() -> None:
    shape = Shape(depth=3, window=16, vocabulary=301)
    trunk, ids = random_trunk(shape), np.random.default_rng(0).integers(0, 301, 60).tolist()
    assert (
        distance(read(engine.ReferenceEngine(shape, weights_of(trunk)), ids), trunk_logits(trunk, ids, PROMPT)) < 1e-4
    )


@pytest.mark.sampled(6)
@native
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("path", engine_native.instruction_sets())
def test_c_in_float32_is_numpy(shape: Shape, path: str) -> None:
    weights, data = weights_of(random_trunk(shape)), random_bytes(PROMPT + TRACE)
    true = read(engine.ReferenceEngine(shape, weights), data)
    assert distance(read(make(f"fp32 {path}", shape, weights), data), true) < 1e-4


@pytest.mark.sampled(3)
@native
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("path", engine_native.instruction_sets())
def test_c_in_int8_is_close(shape: Shape, path: str) -> None:
    """Trained heads prefer one byte by far; random ones do not, so that only clear preferences are compared."""
    weights, data = weights_of(random_trunk(shape)), random_bytes(PROMPT + 4 * TRACE)
    true, rough = (read(engine.ReferenceEngine(shape, weights), data), read(make(f"int8 {path}", shape, weights), data))
    assert np.corrcoef(true.ravel(), rough.ravel())[0, 1] > 0.997
    second, first = np.sort(true, 1)[:, -2:].T
    clear = first - second > 0.1 * true.std()
    assert clear.mean() > 0.5
    assert (true.argmax(1) == rough.argmax(1))[clear].mean() > 0.97


@native
def test_c_takes_bfloat16_and_any_vocabulary() -> None:
    shape = Shape(depth=3, window=16, vocabulary=301)
    bits = {
        name: (array.view(np.uint32) >> 16).astype(np.uint16) for name, array in weights_of(random_trunk(shape)).items()
    }
    wide = {name: (array.astype(np.uint32) << 16).view(np.float32) for name, array in bits.items()}
    ids = np.random.default_rng(0).integers(0, 301, 60).tolist()
    for precision in engine_native.PRECISIONS:
        machines = [engine_native.NativeEngine(shape, weights, precision=precision) for weights in (bits, wide)]
        assert np.array_equal(*(read(machine, ids) for machine in machines))
    assert distance(read(machines[0], ids), read(engine.ReferenceEngine(shape, wide), ids)) < 1e-4


@pytest.fixture(params=["numpy", *NATIVE])
def machine(request: pytest.FixtureRequest) -> Any:
    """Each engine there is, small."""
    shape = Shape(depth=3, window=16)
    return make(request.param, shape, weights_of(random_trunk(shape)))


def same(machine: Any, logits: FloatArray, expected: FloatArray) -> bool:
    """Whether logits that took other ways agree: to the bit in C, to rounding in NumPy."""
    return (
        distance(logits, expected) < 1e-4
        if isinstance(machine, engine.ReferenceEngine)
        else np.array_equal(logits, expected)
    )


def test_any_pieces_give_the_same(machine: Any) -> None:
    data = random_bytes(PROMPT + TRACE)
    true = read(machine, data)
    state, end = machine.start(), 0
    for size in (1, 2, 34):
        logits = machine.feed(state, data[end : end + size], pin=True)
        end += size
        assert same(machine, logits, true[end - 1])
    for size in (1, 3, 64, 5, 70):
        logits = machine.feed(state, data[end : end + size], pin=False)
        end += size
        assert same(machine, logits, true[end - 1])
    for byte in data[end:]:
        logits = machine.step([state], bytes([byte]))
    assert logits.shape == (1, 256)
    assert same(machine, logits[0], true[-1])
    assert (state.prompt, state.trace) == (PROMPT, TRACE)


def test_a_batch_is_its_states(machine: Any) -> None:
    texts = [random_bytes(20 + 9 * n, seed=n) for n in range(11)]
    alone, together = [machine.start() for _ in texts], [machine.start() for _ in texts]
    for state, other, text in zip(alone, together, texts, strict=True):
        machine.feed(state, text, pin=True)
        machine.feed(other, text, pin=True)
    for byte in b"some bytes of a trace":
        singly = np.concatenate([machine.step([state], bytes([byte])) for state in alone])
        many = machine.step(together, bytes([byte]) * len(texts))
        assert same(machine, many, singly)
    assert len(np.unique(many.round(3), axis=0)) == len(texts)


def test_many_more_states_than_rows_at_once(machine: Any) -> None:
    state = machine.start()
    machine.feed(state, b"def f(): pass", pin=True)
    logits = machine.step([state.fork() for _ in range(150)], bytes(range(150)))
    assert same(machine, logits[149], machine.step([state], b"\x95")[0])


def test_a_fork_is_independent(machine: Any) -> None:
    data = random_bytes(PROMPT + TRACE)
    state = machine.start()
    machine.feed(state, data[:20], pin=True)
    young = state.fork()
    machine.feed(young, b"another prompt", pin=True)  # shares what was pinned until here, and no more
    machine.feed(state, data[20:PROMPT], pin=True)
    machine.feed(state, data[PROMPT:], pin=False)
    fork = state.fork()
    first = machine.step([state], b"a")
    machine.feed(state, random_bytes(100, seed=2), pin=False)
    assert np.array_equal(machine.step([fork.fork()], b"a"), first)
    del state
    gc.collect()
    assert np.array_equal(machine.step([fork], b"a"), first)
    again = machine.start()
    machine.feed(again, data[:20] + b"another prompt", pin=True)
    assert same(machine, machine.step([young], b"x"), machine.step([again], b"x"))


def test_memory_is_constant_behind_the_window(machine: Any) -> None:
    state, sizes = machine.start(), []
    machine.feed(state, random_bytes(50), pin=True)
    for _ in range(12):
        machine.feed(state, random_bytes(200), pin=False)
        for _ in range(20):
            machine.step([state], b"a")
        sizes.append(state.nbytes)
    assert len(set(sizes[2:])) == 1
    assert 0 < state.fork().nbytes <= sizes[-1]


def test_nothing_and_nobody(machine: Any) -> None:
    state = machine.start()
    assert machine.feed_all(state, b"", pin=True).shape == (0, 256)
    assert machine.step([], b"").shape == (0, 256)
    with pytest.raises(ValueError, match="at least one byte"):
        machine.feed(state, b"", pin=False)
    assert machine.step([state], b"a").shape == (1, 256)
    assert machine.feed_all(state, b"", pin=True).shape == (0, 256)


def test_what_cannot_be_is_refused_and_changes_nothing(machine: Any) -> None:
    state, other = machine.start(), machine.start()
    machine.feed(state, b"prompt", pin=True)
    machine.feed(state, b"trace", pin=False)
    before = machine.step([state.fork()], b"x")
    with pytest.raises(ValueError, match="prompt comes before"):
        machine.feed(state, b"late", pin=True)
    with pytest.raises(ValueError, match="states cannot read"):
        machine.step([state, other], b"x")
    with pytest.raises(ValueError, match=r"two bytes|twice"):
        machine.step([state, state], b"xx")
    with pytest.raises(ValueError, match="below 256"):
        machine.feed(state, [3, 256], pin=False)
    with pytest.raises(ValueError, match="below 256"):
        machine.step([state], [-1])
    assert np.array_equal(machine.step([state], b"x"), before)


@pytest.mark.parametrize("kind", ["numpy", *NATIVE])
def test_wrong_weights_are_named(kind: str) -> None:
    shape = Shape(depth=3, window=16)
    weights = weights_of(random_trunk(shape))
    with pytest.raises(ValueError, match=r"layers\.0\.mixer\.rates"):
        make(kind, shape, {name: array for name, array in weights.items() if name != "layers.0.mixer.rates"})
    with pytest.raises(ValueError, match="head"):
        make(kind, shape, weights | {"head": weights["head"][:-1]})


@native
def test_bad_arguments_of_the_c_engine() -> None:
    shape = Shape(depth=3, window=16)
    weights = weights_of(random_trunk(shape))
    for options in ({"threads": -1}, {"threads": 65}, {"precision": "int4"}, {"path": "abacus"}):
        with pytest.raises(ValueError, match=r"threads|precision|path"):
            engine_native.NativeEngine(shape, weights, **options)  # type: ignore[arg-type]
    machine, other_machine = (engine_native.NativeEngine(shape, weights), engine_native.NativeEngine(shape, weights))
    for stranger in (other_machine.start(), None, machine):
        with pytest.raises(ValueError, match="engine that started it"):
            machine.step([stranger], b"a")
    raw, state = machine._engine, machine.start()
    ids, out = np.zeros(4, np.int32), np.zeros((4, 256), np.float32)
    four, two = np.array([4], np.int32), np.array([2, 2], np.int32)
    wrong = [
        ([state], four, four, ids, True, False, out[:3]),
        ([state], four, four + 1, ids, True, False, out),
        ([state], four, -four, ids, True, False, out),
        ([state], -four, four, ids, True, False, out),
        ([state], four, four, ids.astype(np.int8), True, False, out),
        ([state], two, two, ids, True, False, out),
        ([state, state.fork()], four, four, ids, True, False, out),
        ([state], four, four, ids[1:], True, False, out),
        ([state], four, four, ids - 1, True, False, out),
        ([state], four, four, ids + 256, True, False, out),
        ([], four, four, ids, True, False, out),
        ([state], four, four, ids, True, True, out),
        ([state], four + 14, four + 14, np.zeros(18, np.int32), False, True, np.zeros((18, 256), np.float32)),
    ]
    for arguments in wrong:
        with pytest.raises(ValueError, match=r"\w"):
            raw.read(*arguments)
    with pytest.raises(TypeError):
        raw.read([state], four, four, ids, True, False, b"read-only")
    with pytest.raises(TypeError):
        type(state)()
    assert (state.prompt, state.trace) == (0, 0)


def test_numpy_serves_where_nothing_was_built(monkeypatch: pytest.MonkeyPatch) -> None:
    shape = Shape(depth=3, window=16)
    wide = weights_of(random_trunk(shape))
    bits = {name: (array.view(np.uint32) >> 16).astype(np.uint16) for name, array in wide.items()}
    true = read(engine_native.open_engine(shape, bits, precision="fp32"), b"some bytes")
    monkeypatch.setattr(engine_native, "_native", None)
    assert engine_native.instruction_sets() == ()
    with pytest.raises(ValueError, match="not built"):
        engine_native.NativeEngine(shape, wide)
    machine = engine_native.open_engine(shape, bits)
    assert isinstance(machine, engine.ReferenceEngine)
    assert distance(read(machine, b"some bytes"), true) < 1e-4


@pytest.mark.long(reason="test_engines_in_many_python_threads compares one and two threads")
@native
@pytest.mark.parametrize("precision", engine_native.PRECISIONS)
def test_threads_change_nothing(precision: str) -> None:
    shape = Shape(depth=5, window=600)
    weights, data = weights_of(random_trunk(shape)), random_bytes(1300)
    machines = [engine_native.NativeEngine(shape, weights, threads=n, precision=precision) for n in (1, 2, 3, 7)]
    first, *others = (read(machine, data, prompt=530) for machine in machines)
    assert all(np.array_equal(first, other) for other in others)


@native
def test_engines_in_many_python_threads() -> None:
    shape = Shape(depth=3, window=16)
    weights, data = weights_of(random_trunk(shape)), random_bytes(400)
    machines = [engine_native.NativeEngine(shape, weights, threads=n) for n in (1, 2)]
    true, results = read(machines[0], data), []
    readers = [
        threading.Thread(target=lambda machine=machine: results.append(read(machine, data))) for machine in machines * 3
    ]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    assert len(results) == 6
    assert all(np.array_equal(true, other) for other in results)


@native
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_an_engine_survives_a_fork_of_the_process() -> None:
    shape = Shape(depth=3, window=16)
    machine = engine_native.NativeEngine(shape, weights_of(random_trunk(shape)), threads=2)
    true = read(machine, b"before and after")
    child = os.fork()
    if not child:
        os._exit(0 if np.array_equal(read(machine, b"before and after"), true) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert np.array_equal(read(machine, b"before and after"), true)


@pytest.mark.sampled(4)
@native
@pytest.mark.parametrize("narrowed", [False, True], ids=["float32", "bfloat16"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("path", engine_native.instruction_sets())
def test_what_is_rounded_before_is_what_the_engine_rounds(shape: Shape, path: str, narrowed: bool) -> None:
    """To the bit, from float32 and from bfloat16, rows of zeros among them."""
    plain, data = weights_of(random_trunk(shape)), random_bytes(PROMPT + TRACE)
    plain["layers.1.mlp.outer.weight"] = plain["layers.1.mlp.outer.weight"].copy()
    plain["layers.1.mlp.outer.weight"][5:9] = 0
    plain["layers.1.mlp.outer.weight"][9] *= 1e-33
    stored = {name: to_bfloat16(array) for name, array in plain.items()} if narrowed else plain
    held = quantize(shape, dequantize(stored))
    rounding, rounded = (engine_native.NativeEngine(shape, weights, threads=2, path=path) for weights in (stored, held))
    assert np.array_equal(read(rounding, data), read(rounded, data))


@native
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_rounded_weights_are_the_same_numbers_to_both_engines(shape: Shape) -> None:
    held, data = quantize(shape, weights_of(random_trunk(shape))), random_bytes(PROMPT + TRACE)
    wanted = read(engine.ReferenceEngine(shape, dequantize(held)), data)
    assert distance(read(engine_native.NativeEngine(shape, held, precision="fp32"), data), wanted) < 1e-4


@native
@pytest.mark.parametrize("name", ["layers.0.mlp.outer.weight.int8", "layers.0.mlp.outer.weight.scale"])
def test_rounded_weights_of_another_size_or_type_are_refused(name: str) -> None:
    shape = SHAPES[0]
    held = quantize(shape, weights_of(random_trunk(shape)))
    for spoiled in ({**held, name: held[name][:-1]}, {**held, name: held[name].astype(np.uint16)}):
        with pytest.raises(ValueError, match=r"layers\.0\.mlp\.outer\.weight"):
            engine_native.NativeEngine(shape, spoiled)

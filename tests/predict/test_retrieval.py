"""Steps that were recorded are looked up: with the same values only, and never where recordings disagree."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from worldline import record
from worldline.codec.compact.prompt import Compact
from worldline.codec.compact.writer import encode_steps
from worldline.core.errors import FormatError
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.predict.local import Local
from worldline.predict.prediction import PredictionRequest
from worldline.predict.retrieval.retrieval import MemoryScript, Retrieval
from worldline.predict.retrieval.step_memory import StepMemory, load_memory
from worldline.predict.rollout import Logits

SOURCE = """\
def double(number):
    result = number * 2
    return result

def total(numbers):
    amount = 0
    for number in numbers:
        amount += double(number)
    if amount > 10:
        amount = 10
    return amount
"""
OTHER = """\
def shift(number):
    result = number * 2
    result = result + 1
    return result
"""
MODES = [Compact(), Compact(conditions=True), Compact(assigned=True, conditions=True)]


class NoModel:
    """An engine without a preference: the grammar's smallest byte is written."""

    def start(self) -> None:
        return None

    def feed(self, state: None, data: bytes, *, pin: bool) -> Logits:
        return np.zeros(256, np.float32)

    def step(self, states: Sequence[None], data: bytes) -> Logits:
        return np.zeros((len(states), 256), np.float32)


def run(call: str, source: str = SOURCE) -> Trace:
    return record(Program(source=source, call=call), trust=True)


def memory_of(*traces: Trace, options: Compact | None = None) -> StepMemory:
    memory = StepMemory()
    for trace in traces:
        memory.add(trace, options or Compact())
    return memory


def predicted(memory: StepMemory, trace: Trace, options: Compact, known: bytes) -> bytes:
    """What is written after the start of a text."""
    text = encode_steps(trace, options)
    given = text[: text.index(known) + len(known)]
    request = PredictionRequest(program=trace.program, options=options, given=given, limit=2 * len(text))
    (prediction,) = Retrieval(Local(NoModel(), name="none"), memory).predict([request])
    return prediction.text


@pytest.mark.parametrize("options", MODES, ids=str)
def test_a_recorded_call_is_written_to_its_end(options: Compact) -> None:
    """Loops, calls of own functions and the result come from the memory; the engine knows nothing."""
    trace = run("total([1, 5, 7])")
    text = predicted(memory_of(trace, options=options), trace, options, b"\n6")
    # The end of the text is the engine's.
    assert text.startswith(encode_steps(trace, options).removesuffix(b".\n"))


def test_parts_of_several_calls_are_put_together() -> None:
    memory = memory_of(run("total([1, 5])"), run("total([1, 5, 2])"))
    trace = run("double(5)")
    text = encode_steps(trace, Compact())
    assert predicted(memory, trace, Compact(), b"\n2").startswith(text.removesuffix(b".\n"))


def test_other_values_are_not_looked_up() -> None:
    memory = memory_of(run("double(3)"))
    program = Program(source=SOURCE, call="double(4)")
    assert memory.find(program, Compact(), 2, {"number": "3"}) == b" result=6\n3"
    assert memory.find(program, Compact(), 2, {"number": "4"}) is None
    assert memory.find(program, Compact(), 3, {"number": "3"}) is None
    assert memory.find(program, Compact(conditions=True), 2, {"number": "3"}) is None


def test_of_another_program_only_the_changes_of_a_statement_are_used() -> None:
    memory = memory_of(run("double(3)"), run("total([3])"))
    program = Program(source=OTHER, call="shift(3)")
    assert memory.find(program, Compact(), 2, {"number": "3"}) == b" result=6\n"
    calling = Program(source=SOURCE.replace("number * 2", "number * 3"), call="total([3])")
    assert memory.find(calling, Compact(), 8, {"amount": "0", "number": "3"}) is None


def test_steps_that_disagree_say_nothing() -> None:
    """The position of an iterator is in no name."""
    trace = run("total([1, 1, 2])")
    program = trace.program
    names = {"numbers": "[1, 1, 2]", "number": "1"}
    assert memory_of(trace).find(program, Compact(), 7, names) is None
    assert memory_of(trace).find(program, Compact(), 7, names | {"number": "2"}) == b"\n9"


def test_no_digit_follows_a_dictated_line() -> None:
    memory = memory_of(run("double(3)"))
    text = bytearray(b"(1 number=3\n2")
    script = MemoryScript(PredictionRequest(program=Program(source=SOURCE, call="double(3)")), memory)
    assert script.instead(text, ord("0")) == b""
    assert script.instead(text, ord("\n")) == b" result=6\n3\n)6\n"
    first = MemoryScript(PredictionRequest(program=Program(source=SOURCE, call="double(3)")), memory)
    assert first.instead(bytearray(text + b" result="), ord("7")) == b"6\n3\n)6\n"
    unknown = MemoryScript(PredictionRequest(program=Program(source=SOURCE, call="double(3)")), StepMemory())
    assert unknown.instead(text, ord("\n")) == b""


def test_a_model_with_a_memory_is_calibrated_apart() -> None:
    local = Local(NoModel(), name="none", digest="abc")
    first, second = Retrieval(local, memory_of(run("double(3)"))), Retrieval(local, memory_of(run("double(4)")))
    assert len({local.info.digest, first.info.digest, second.info.digest}) == 3
    assert not first.info.is_ground_truth


def test_a_stored_memory_is_read_again(tmp_path: Path) -> None:
    memory = memory_of(run("total([1, 1, 2])"))
    memory.save(tmp_path / "memory.json")
    assert load_memory(tmp_path / "memory.json") == memory
    for text in ("", "[]", "{}", '{"format": "worldline-memory", "version": 2, "entries": {}}', '{"format": 3}'):
        (tmp_path / "odd.json").write_text(text)
        with pytest.raises(FormatError, match="not a memory"):
            load_memory(tmp_path / "odd.json")

"""The operation blamed for a planted fault, over two tables of small programs (`blamed/`).

An answer is right if it names the one operation, or calls the value ambiguous and lists exactly the operations that
fit. The tables are written by hand, from what a person would say of the two values.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from recorded import sample

from worldline.core.program import Program
from worldline.diagnose.cause import Cause
from worldline.diagnose.diagnosis import Diagnosis
from worldline.recording.recorder import record

TABLES = Path(__file__).parent / "blamed"
MIN_PROGRAMS = 40
MIN_RIGHT = 0.95  # 38 of 40


@dataclass(frozen=True)
class PlantedFault:
    """A program, the true text and the wrong one, and the operations of which one must be blamed, or all listed."""

    title: str
    program: Program
    true: str
    said: str
    operations: frozenset[str]


def _faults(table: str) -> list[PlantedFault]:
    blocks = (TABLES / table).read_text("utf-8").split("\n== ")[1:]
    return [_fault(*block.split("\n", 1)) for block in blocks]


def _fault(title: str, block: str) -> PlantedFault:
    source, _, rest = block.partition("call: ")
    call, true, said, operations = rest.strip("\n").split("\n")
    return PlantedFault(
        title=title,
        program=Program(source=source, call=call),
        true=true.removeprefix("true: "),
        said=said.removeprefix("said: "),
        operations=frozenset(operations.removeprefix("blame: ").split(" or ")),
    )


def _cause(fault: PlantedFault) -> Cause:
    # A value stands at the end of its line, or before the next name.
    return Diagnosis(sample(fault.program, (fault.true, fault.said)), record).cause


def _blamed(cause: Cause) -> frozenset[str]:
    return frozenset(cause.candidates) or frozenset((cause.operation,))


@pytest.mark.usefixtures("sandbox")
def test_the_operation_of_each_planted_fault() -> None:
    """At least 95 % of the programs, as 38 of 40, are right or rightly ambiguous."""
    faults = [fault for table in ("programs.txt", "more_programs.txt") for fault in _faults(table)]
    blamed = {fault.title: _blamed(_cause(fault)) for fault in faults}
    wrong = [
        f"{fault.title}: blames {' or '.join(sorted(blamed[fault.title]))}, not {' or '.join(sorted(fault.operations))}"
        for fault in faults
        if blamed[fault.title] != fault.operations
    ]
    right = len(faults) - len(wrong)
    report = f"{right} of {len(faults)} right or rightly ambiguous"
    print(report)
    assert len(faults) >= MIN_PROGRAMS, report
    assert right >= MIN_RIGHT * len(faults), "\n".join((report, *wrong))


@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize(
    "said", ["None", "-1", "''", "[]", "{'a': [1]}", "(1, 'x')", "inf", "<function f>", "#1[#1]", "P#1(x=1)"]
)
def test_whatever_a_model_writes_has_an_answer(said: str) -> None:
    """A value of any type in the place of the true one: some operation is named, and nothing fails."""
    for fault in _faults("programs.txt"):
        start = fault.true[: fault.true.index("=") + 1] if "=" in fault.true[:6] else fault.true[:1]
        if start[0] not in "(:" and not start.isdecimal():
            cause = Diagnosis(sample(fault.program, (fault.true, start + said))).cause
            assert cause.name
            assert (cause.operation == "ambiguous") == bool(cause.candidates)

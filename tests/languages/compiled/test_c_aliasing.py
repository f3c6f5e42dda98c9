"""Random C programs about who shares memory: every variable after every statement is what a model says it is."""

from __future__ import annotations

from collections.abc import Iterator

import c_programs
import pytest
import warm
from tiers import examples

from worldline.core.trace import Trace
from worldline.core.value import Malformed, Value, parse
from worldline.recording.languages import toolchain

pytestmark = [
    pytest.mark.usefixtures("sandbox"),
    pytest.mark.skipif(isinstance(toolchain.find("c"), str), reason="no C compiler"),
]
TOGETHER = 20
FILES = -(-examples(10, 20, "WORLDLINE_FUZZ") // TOGETHER)


class Numbers:
    """Which object of the model each number of a trace stands for: one for one, over the whole trace."""

    def __init__(self) -> None:
        self.of: dict[int, str] = {}
        self.at: dict[str, int] = {}

    def agree(self, number: int, who: str) -> bool:
        return self.of.setdefault(number, who) == who and self.at.setdefault(who, number) == number


def agrees(value: Value, shown: object, numbers: Numbers) -> bool:
    """Is a canonical value what the model shows?"""
    if shown is None:
        return value.kind == "None"
    assert isinstance(shown, tuple)
    parts = [part for _, part in value.fields]
    if shown[0] == "pointer":
        _, who, items, at = shown
        told = value.atom == "Ptr" and integers(value.items[0]) == list(items) and parts[0].atom == str(at)
        return told and numbers.agree(value.number, f"array {who}")
    if shown[0] == "again":  # the number stands in the text of a reference
        return value.atom.startswith("Cell#") and numbers.agree(int(value.atom[5:]), f"cell {shown[1]}")
    if shown[0] == "cell":
        _, who, number, to = shown
        told = value.atom == "Cell" and parts[0].atom == str(number) and agrees(parts[1], to, numbers)
        return told and numbers.agree(value.number, f"cell {who}")
    return integers(value) == list(shown)


def integers(value: Value) -> list[int]:
    return [int(item.atom) for item in value.items]


def wrong(after: dict[int, dict[str, object]], trace: Trace, function: str) -> Iterator[str]:
    """What a trace says of one function otherwise than the model."""
    values: dict[str, str] = {}
    numbers = Numbers()
    for step in trace.steps:
        if trace.frames[step.frame].name != function:
            continue
        values.update(step.delta)
        for name, shown in after.get(step.line, {}).items() if step.event == "line" else ():
            value = parse(values.get(name, "[0]"))  # a static array is told when it changes
            unchanged = name not in values and isinstance(shown, tuple) and not any(shown)
            if isinstance(value, Malformed) or not (unchanged or agrees(value, shown, numbers)):
                yield f"line {step.line}: {name} is {values.get(name)}, not {shown}"


@pytest.mark.long(reason="random programs in C; test_memory_sharing.py has written ones")
@pytest.mark.fuzz
@pytest.mark.parametrize("part", range(FILES))
def test_every_variable_is_what_the_model_says(part: int) -> None:
    source, models, printed = c_programs.together(range(part * TOGETHER, (part + 1) * TOGETHER))
    trace = warm.recorded(source, "program.c")
    said = (trace.outcome, trace.notes, trace.stderr, len(trace))
    assert (trace.outcome.kind, trace.output) == ("returned", printed), (said, source)
    found = {seed: list(wrong(after, trace, f"f{seed}"))[:3] for seed, after in models.items()}
    assert not any(found.values()), (found, said, source)

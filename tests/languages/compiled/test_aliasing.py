"""Random programs about sharing: a trace says of every name, and of who shares with whom, what a model says.

20 programs a language, or as many as WORLDLINE_FUZZ says; twenty are one file.
"""

from __future__ import annotations

import os
from collections.abc import Callable

import aliasing
import pytest
import stepping
import warm

from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Trace

TOGETHER = 20
FILES = -(-int(os.environ.get("WORLDLINE_FUZZ", "20")) // TOGETHER)
LANGUAGES = {"cpp": (aliasing.cpp, aliasing.cpp_source), "rs": (aliasing.rust, aliasing.rust_source)}


def states(trace: Trace) -> dict[str, tuple[dict[str, str], dict[str, str | None]]]:
    """The last state of every function's frame, and who shares with whom in it."""
    found: dict[int, tuple[dict[str, str], dict[str, str | None]]] = {}
    for step in trace.steps:
        state, same = found.setdefault(step.frame, ({}, {}))
        state.update(step.delta)
        same.update(step.same)
        for name in step.gone:
            state.pop(name, None)
            same.pop(name, None)
    return {frame.name: found[frame.serial] for frame in trace.frames}


def differences(script: aliasing.Script, state: dict[str, str], same: dict[str, str | None]) -> list[str]:
    """How a frame's last state differs from the model's."""
    expected = script.expected()
    found = [
        f"{name} is {state.get(name)}, not {value}" for name, value in expected.items() if state.get(name) != value
    ]
    found += [f"{name} is there" for name in script.gone if name in state]
    for name, other in same.items():
        both = other is not None and name in expected and other in expected
        if both and script.names[name] != script.names[str(other)]:
            found.append(f"{name} is said to be {other}")
    first: dict[str, str] = {}
    for name in expected:
        owner = first.setdefault(script.names[name], name)
        if owner != name and same.get(name) != owner:
            found.append(f"{name} shares with {owner}, which nobody says")
    return found


@pytest.mark.long(reason="fuzzing: 20 random programs in C++ and 20 in Rust")
@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize("suffix", LANGUAGES)
@pytest.mark.parametrize("part", range(FILES))
def test_every_name_is_what_a_model_says(part: int, suffix: str) -> None:
    if suffix == "rs" and stepping.RUSTC is None:
        pytest.skip("no rustc on this machine")
    draw: Callable[[int], aliasing.Script] = LANGUAGES[suffix][0]
    scripts = [draw(seed) for seed in range(part * TOGETHER, (part + 1) * TOGETHER)]
    program = Program(source=LANGUAGES[suffix][1](scripts), name=f"prog.{suffix}")
    trace = warm.record(program, Limits(wall=300))
    assert trace.outcome.kind == "returned", (trace.outcome, trace.stderr)
    found = states(trace)
    wrong = {f"f{n}": differences(script, *found[f"f{n}"]) for n, script in enumerate(scripts)}
    assert {name: why for name, why in wrong.items() if why} == {}

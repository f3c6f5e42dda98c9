"""The trace against an independent oracle (oracle.py): `sys.settrace`, and values spelled by docs/reference/format.md.

What it saw in the program's functions must be what the folded deltas of the trace say, line by line, and what the steps
say that functions gave, but for None. Numbers of objects and labels of shared containers are left to the other tests,
as are module and class bodies and comprehensions. `WORLDLINE_FUZZ=N` asks for N programs a version (`make hostile`).
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import fuzz_programs
import kind_programs
import pytest
from interpreters import FOUND, HERE
from odd_programs import PROGRAMS

from worldline.core.program import Program
from worldline.core.state import states
from worldline.core.trace import Trace
from worldline.recording.recorder import record_many

FUZZ = int(os.environ.get("WORLDLINE_FUZZ", "0"))
ORACLE = Path(__file__).with_name("oracle.py")
TRICKY = ("splices", "splices_lined", "dicts", "generators", "closures", "globals_change", "statements", "one_line",
          "many_locals", "loop", "nested_over", "two_namespaces")  # fmt: skip
COMPREHENSIONS = ("<listcomp>", "<setcomp>", "<dictcomp>")
NUMBER = re.compile(r"(?<=[\w'])#\d+")


@cache
def sources(version: str) -> dict[str, str]:
    """Programs by name: most on the interpreter that the suite runs on, a part of them on the others."""
    kinds, plain = (145, 26) if version == HERE else (58, 10)
    found = {f"kinds {seed}": kind_programs.program(seed) for seed in range(max(kinds, FUZZ))}
    found |= {f"plain {seed}": fuzz_programs.program(seed, plain=True) for seed in range(max(plain, FUZZ))}
    return found | {name: PROGRAMS[name] for name in TRICKY}


@cache
def oracle(version: str) -> list[list[Any]]:
    done = subprocess.run(
        [FOUND[version], "-B", str(ORACLE)],
        input=json.dumps(list(sources(version).values())), capture_output=True, text=True, check=True,
        env={"PYTHONHASHSEED": "0", "TZ": "UTC", "LC_ALL": "C.UTF-8"},
    )  # fmt: skip
    rows: list[list[Any]] = json.loads(done.stdout)
    return rows


def recorded(trace: Trace) -> list[list[Any]]:
    """Each line of a function with its names as they were before it ran, and each value that it gave."""
    rows: list[list[Any]] = []
    before: dict[int, dict[str, str]] = {}
    for step, state in states(trace):
        name = trace.frames[step.frame].name
        if name.rpartition(".")[2] not in COMPREHENSIONS:
            if step.event == "line":
                rows.append([name, step.line, before[step.frame]])
            elif step.event in ("return", "yield") and step.arg != "None":
                rows.append([name, "gave", step.arg])
        before = state.frames
    return rows


def check(label: object, seen: list[Any], trace: Trace) -> int:
    """The number of values that were compared and found equal."""
    functions = {row[0] for row in seen}
    ours = [row for row in recorded(trace) if row[0] in functions]
    assert [row[:2] for row in seen] == [row[:2] for row in ours], (label, trace.outcome)
    equal = 0
    for theirs, mine in zip(seen, ours, strict=True):
        if theirs[1] == "gave":
            expected, found = {"": theirs[2]}, {"": mine[2]}
        else:
            expected, found = theirs[3], {n: text for n, text in mine[2].items() if n in theirs[2]}
        assert found.keys() == expected.keys(), (label, theirs[:2])
        for n, text in expected.items():
            if text is not None:
                assert NUMBER.sub("#", found[n]) == text, (label, theirs[:2], n)
                equal += 1
    return equal


@cache
def traces(version: str, core: str) -> list[Trace]:
    programs = [Program(source=text) for text in sources(version).values()]
    return list(record_many(programs, python=FOUND[version], core=core))


@pytest.mark.parametrize("core", ["native", "python"])
@pytest.mark.parametrize("version", FOUND)
def test_the_trace_says_what_the_oracle_saw(version: str, core: str) -> None:
    every = zip(sources(version), oracle(version), traces(version, core), strict=True)
    equal = sum(check(label, seen, trace) for label, seen, trace in every)
    assert equal > 100 * len(sources(version))
    assert version != HERE or len(sources(version)) >= 180


def test_every_kind_is_met_often() -> None:
    counts = Counter(kind for seed in range(436) for kind in kind_programs.kinds_of(seed))
    assert set(counts) == set(kind_programs.KINDS)
    assert min(counts.values()) >= 20


PLANTED = (
    ("    return a + b", "    return a - b", "a value that is given"),
    ("    c = [a, b]", "    c = [b, a]", "a value of a local"),
    ("    for x in c:", "    for x in c[:1]:", "the lines that run"),
    ("    c = [a, b]", "    c = e = [a, b]", "the names that are bound"),
)


@pytest.mark.parametrize(("true", "planted", "what"), PLANTED, ids=[row[2] for row in PLANTED])
def test_a_planted_disagreement_is_found(true: str, planted: str, what: str) -> None:
    source = "def f(a, b):\n    c = [a, b]\n    for x in c:\n        a += x\n    return a + b\nf(1, 2)\n"
    (trace,) = record_many([Program(source=source)])
    done = [source, source.replace(true, planted)]
    assert done[0] != done[1]
    run = subprocess.run(
        [FOUND[HERE], "-B", str(ORACLE)], input=json.dumps(done), capture_output=True, text=True, check=True
    )
    honest, other = json.loads(run.stdout)
    assert check("honest", honest, trace) > 10
    with pytest.raises(AssertionError):
        check("planted", other, trace)


def test_the_oracle_knows_nothing_of_the_recorder() -> None:
    text = ORACLE.read_text(encoding="utf-8")
    assert set(re.findall(r"^(?:from|import) (\w+)", text, re.MULTILINE)) == {
        "collections", "datetime", "decimal", "enum", "io", "json", "re", "sys", "types",
    }  # fmt: skip

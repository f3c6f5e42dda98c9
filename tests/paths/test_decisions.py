"""Decisions are places with line and column: one-line bodies, operands, guards and filters are told apart."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest
from decision_oracle import decided_by
from tiers import examples

import worldline
from worldline.analyze.flow.conditions.jumps import decision_outcomes, source_decisions
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.plan.paths.arcs import find_arcs
from worldline.plan.paths.completeness import open_branches
from worldline.plan.paths.path_class import PathReport
from worldline.plan.paths.search import CALL_LIMITS, paths
from worldline.recording.recorder import SandboxWorker, prepare
from worldline.recording.together import record_all, stretched

sys.path.append(str(Path(__file__).parents[1] / "recording"))
from interpreters import FOUND, HERE

GRADE = """\
def f(a: bool, b: bool) -> str:
    match a, b:
        case (True, True): return "I"
        case (True, False): return "II"
        case (False, True): return "III"
    return "IV"
"""
COUNT = """\
def f(n: Literal[0, 2, 5], k: Literal[4, 5]) -> int:
    while n > 0 and k < 5: n -= 3; k += 1
    return n
"""
BOTH = [(a, b) for a in (False, True) for b in (False, True)]


def searched(source: str, inputs: object = BOTH) -> PathReport:
    """The paths of `f`, executed for exactly these inputs."""
    calls = [f"f{arguments!r}" for arguments in inputs]  # type: ignore[attr-defined]
    source = f"from typing import Literal\n{source}" if "Literal" in source else source
    return paths(Program(source=source), "f", examples=calls, seconds=60.0, solver="never", max_classes=500)


def arcs_of(source: str) -> list[str]:
    return [str(arc) for arc in sorted(find_arcs(source, "f"))]


def test_cases_with_a_body_on_their_line_are_four_classes() -> None:
    report = searched(GRADE)
    assert {each.trace.outcome.detail: len(each.decisions) for each in report.classes} == {
        "'I'": 1, "'II'": 2, "'III'": 3, "'IV'": 3,
    }  # fmt: skip
    assert (len(report.reached), report.uncovered) == (6, ())


def test_a_loop_on_one_line_tells_its_rounds_and_its_conditions_apart() -> None:
    """By hand: 0 ends at once; k=5 stops a positive n; k=4 allows one round, after which n is -1 or 2."""
    report = searched(COUNT, product((0, 2, 5), (4, 5)))
    told = {tuple(str(decision) for decision in each.decisions) for each in report.classes}
    n, k = "3:10 n > 0 → ", "3:20 k < 5 → "
    assert told == {
        (f"{n}false",),
        (f"{n}true", f"{k}false"),
        (f"{n}true", f"{k}true", f"{n}false"),
        (f"{n}true", f"{k}true", f"{n}true", f"{k}false"),
    }
    assert (len(report.reached), report.uncovered) == (4, ())


# The classes that an input of two truth values makes, and the arcs, by hand.
SHAPES = {
    "and": ("    if a and b: return 1\n    return 0", 3, 4),
    "or": ("    if a or b: return 1\n    return 0", 3, 4),
    "not": ("    if not a: return 1\n    return 0", 2, 2),
    "value": ("    return a and b", 2, 2),
    "values": ("    return (a and b) or 3", 3, 4),
    "ternary": ("    return 1 if a else 2", 2, 2),
    "nested ternary": ("    return 1 if a else 2 if b else 3", 3, 4),
    "ternary in a test": ("    return 1 if (a if b else not a) else 2", 4, 6),
    "two on a line": ("    x = 1 if a else 2; y = 1 if b else 2; return x + y", 4, 4),
    "chain": ("    return 0 < a + b < 2", 2, 2),
    "chain in a test": ("    if 0 < a + b < 2: return 1\n    return 0", 3, 4),
    "filter": ("    return [x for x in (a, b) if x]", 4, 4),
    "two filters": ("    return [x for x in (a,) if x if b]", 3, 6),
    "two generators": ("    return sum(x for x in (a,) if x) + sum(x for x in (b,) if x)", 4, 8),
    "nested loops": ("    return [y for x in [a] for y in range(x)]", 2, 4),
    "guard": ("    match a:\n        case True if b: return 1\n        case _: return 2", 3, 4),
    "alternatives": ("    match a + b:\n        case 0 | 1: return 1\n        case 2: return 2", 2, 4),
    "None": ("    match a or None:\n        case None if b: return 1\n    return 0", 3, 6),
    "is None": ("    x = a or None\n    if x is None and b: return 1\n    return 0", 3, 6),
    "is not None": ("    x = a or None\n    return 1 if x is not None else 2", 2, 4),
    "not in": ("    if not a in (1, 2): return 1\n    return 0", 2, 2),
    "for": ("    for x in range(a + b): x += 1\n    return a", 3, 2),
    "break": ("    for x in (a, b):\n        if x: break\n    else: return 1\n    return 0", 3, 4),
    "assert": ("    assert a or b", 3, 3),
    "assert both": ("    assert a and b", 3, 2),
    "try": ("    try: return 1 // a\n    except ZeroDivisionError: return b", 2, 1),
    "handlers": (
        "    try: return [0][a] // b\n    except IndexError: return 1\n    except ZeroDivisionError: return 2",
        3,
        2,
    ),
    "finally": ("    try: return a\n    finally: x = a and b", 2, 2),
    "lambda": ("    return (lambda x: 1 if x else 2)(a)", 2, 2),
    "walrus": ("    if (x := a and b): return 1\n    return x", 3, 4),
    "constant": ("    if 1: return 1 if a and True else 2", 2, 2),
}


@pytest.mark.parametrize(("body", "classes", "arcs"), SHAPES.values(), ids=SHAPES)
def test_classes_and_arcs_are_those_counted_by_hand(body: str, classes: int, arcs: int) -> None:
    source = f"def f(a: bool, b: bool) -> object:\n{body}\n"
    report = searched(source)
    assert (len(report.classes), len(find_arcs(source, "f"))) == (classes, arcs)
    assert len(report.reached) + len(report.uncovered) == arcs


def test_what_is_not_called_is_not_an_arc() -> None:
    source = """\
class Unrelated:
    x = 1 if __name__ else 2


def g(x, y=3 if __name__ else 4): return x or y


def f(x: int) -> int: return g(x)
"""
    assert arcs_of(source) == ["5:41 x → false", "5:41 x → true"]
    assert {arc.function for arc in find_arcs(source, "f")} == {"g"}


def test_columns_count_characters() -> None:
    assert arcs_of("def f(ü): return 'äöü' and ü and 1\n") == ["1:27 ü → false", "1:27 ü → true"]


def test_open_branches_are_the_ways_that_no_executed_path_took() -> None:
    place, other = (1, 0, 1, 5), (2, 0, 2, 5)
    assert open_branches([]) == 0
    assert open_branches([((place, True),)]) == 1
    assert open_branches([((place, True),), ((place, False),)]) == 0
    assert open_branches([((place, True), (other, True)), ((place, False),)]) == 1


# ---- drawn programs against an oracle


def drawn(rng: Random) -> str:
    """A function of a: bool, b: bool and n in 0..3, with most of its statements on one line."""

    def test(depth: int = 2) -> str:
        atoms = ["a", "b", "n > 1", "n == 2", "n % 2", "r > 3", "0 < n < 3", "n in (1, 3)", "r is None"]
        if depth == 0 or rng.random() < 0.35:
            return rng.choice(atoms)
        one, two, three = (test(depth - 1) for _ in range(3))
        return rng.choice(
            [f"{one} and {two}", f"({one} or {two})", f"not ({one})", f"({one} if {two} else {three})",
             f"any([x for x in range(n) if {one}])", f"sum(1 for x in (n, 1) if x and {one})", f"bool({one} or {two})"]
        )  # fmt: skip

    def statements() -> Iterator[str]:
        for _ in range(rng.randint(2, 4)):
            yield rng.choice(
                [
                    f"    if {test()}: r += 1",
                    f"    if {test()}: return r",
                    f"    if {test()}: r += 2; n = 1\n    elif {test()}: r += 3\n    else: r -= 1",
                    f"    while n > 0 and r < 9: n -= 1; r += 1 if {test()} else 2",
                    f"    while r < 6:\n        r += 2\n        if {test()}: continue\n        if {test()}: break",
                    f"    for i in range(n): r += i if {test()} else 5",
                    f"    for i in a, b:\n        if i: continue\n        r = 1\n    else: r += 5 if {test()} else 0",
                    f"    r = {test()} and 2 or 3; r += 1 if {test()} else 0",
                    f"    assert {test()}",
                    f"    try: r += 4 // n\n    except TypeError: r += 9\n    except ZeroDivisionError: r -= 1"
                    f"\n    finally: r += 1 if {test()} else 2",
                    f"    match (a, n):\n        case (True, 0 | 1): r += 1\n        case (_, 2) if {test()}: return 2"
                    f"\n        case (False, None | 3): r += {test()}\n        case [_, x] if x > 5: r = 7",
                    f"    r += (lambda q: 1 if q else 2)({test()})",
                ]
            )

    return "def f(a, b, n):\n    r = 0\n" + "\n".join(statements()) + "\n    return r\n"


CALLS = [f"f({a}, {b}, {n})" for a, b, n in product((False, True), (False, True), range(4))]


def decided(trace: Trace) -> list[tuple[int, int, bool]]:
    return [(one.line, one.column, one.taken) for one in decision_outcomes(trace)]


@pytest.mark.fuzz
def test_decisions_are_those_that_a_reporting_copy_makes() -> None:
    """Each input of a small domain, of drawn programs: the same decisions in the same order, and the same end."""
    limits = stretched(CALL_LIMITS, len(CALLS))
    worker = SandboxWorker(prepare(limits=limits, python=None, core="auto", trust=False))
    met = 0
    try:
        for seed in range(examples(25, 400)):
            source = drawn(Random(seed))
            traces = record_all(worker, [Program(source=source, call=call) for call in CALLS], jumps=True)
            for call, trace in zip(CALLS, traces, strict=True):
                assert trace is not None
                wanted, raised = decided_by(source, call)
                assert decided(trace) == wanted, (source, call)
                assert trace.outcome.detail.startswith(raised) if raised else trace.outcome.kind == "returned"
                met += len(wanted)
    finally:
        worker.close()
    assert met > 3000


def as_row(trace: Trace) -> dict[str, Any]:
    program = trace.program
    return {
        "version": trace.interpreter.version,
        "name": program.name,
        "source": program.source,
        "frames": [(frame.name, frame.file) for frame in trace.frames],
        "frame": list(trace.columns.frame),
        "line": list(trace.columns.line),
        "jumps": trace.jumps,
    }


@pytest.mark.fuzz
@pytest.mark.long(reason="other interpreters, which read their own code")
@pytest.mark.parametrize("version", sorted(FOUND.keys() - {HERE}))
def test_decisions_are_the_same_in_other_interpreters(version: str) -> None:
    sources = [drawn(Random(seed)) for seed in range(examples(10, 60))]
    programs = [Program(source=source, call=call) for source in sources for call in CALLS]
    limits = stretched(CALL_LIMITS, len(CALLS))
    worker = SandboxWorker(prepare(limits=limits, python=FOUND[version], core="auto", trust=False))
    try:
        traces = [worker.record(program, jumps=True) for program in programs]
    finally:
        worker.close()
    done = subprocess.run(
        [FOUND[version], str(Path(__file__).parent / "decode_decisions.py")],
        input=json.dumps([as_row(trace) for trace in traces]),
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(Path(worldline.__file__).parents[1])},
    )
    for program, told in zip(programs, json.loads(done.stdout), strict=True):
        assert program.call is not None
        assert [tuple(one) for one in told] == decided_by(program.source, program.call)[0], (
            program.source,
            program.call,
        )


@pytest.mark.fuzz
def test_classes_are_the_distinct_sequences_of_every_input() -> None:
    for seed in range(examples(3, 30)):
        source = drawn(Random(f"classes {seed}")).replace("a, b, n", "a: bool, b: bool, n: Literal[0, 1, 2, 3]", 1)
        source = f"from typing import Literal\n{source}"
        report = paths(Program(source=source), "f", examples=CALLS, seconds=120.0, solver="never", max_classes=100)
        wanted = set()
        for call in CALLS:
            sequence, raised = decided_by(source, call)
            wanted.add((tuple(sequence), raised))
        told = {
            (
                tuple((one.line, one.column, one.taken) for one in each.decisions),
                each.trace.outcome.detail.partition("(")[0] if each.raised else "",
            )
            for each in report.classes
        }
        assert told == wanted, source
        assert report.completeness.classes == len(wanted)


def test_every_conditional_jump_of_a_large_source_is_told_apart() -> None:
    """The compiler leaves out what it knows; every other point has a jump."""
    import argparse
    import inspect

    decisions = source_decisions(inspect.getsource(argparse))
    assert len(decisions.points) > 300
    assert decisions.decided == list(decisions.points)

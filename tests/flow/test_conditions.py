"""Path conditions of recorded traces against programs that print what they decide: not one difference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from random import Random

import pytest
from branching_programs import Odd
from instrumented import Instrumented, own
from tiers import examples

from worldline.analyze.flow.conditions import Condition, conditions
from worldline.core.events import CHANGELESS
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.programs.generate import program as drawn
from worldline.recording.recorder import record, record_many

ENTERED = ("for", "case", "except")


def ordinals(trace: Trace) -> list[int]:
    """Of each step how many of its frame's own came before."""
    counts, found = Counter[int](), []
    for step in trace.steps:
        found.append(counts[step.frame])
        counts[step.frame] += step.event not in CHANGELESS
    return found


def compared(
    program: Program, plain: Trace, printing: Trace, reference: Instrumented
) -> tuple[Counter[str], list[str]]:
    """How many conditions were compared, by kind; and where they differ."""
    truths, count, wrong = reference.truths(printing), Counter[str](), list[str]()
    logged = {(site.kind, site.line): site.lines for site in reference.sites}
    alike = [common(one, other) for one, other in zip(own(plain), own(printing), strict=False)]
    for name, trace in (("plain", plain), ("printing", printing)):
        at = ordinals(trace)
        for one in conditions(trace):
            frame = trace.columns.frame[one.step]
            is_alike = name == "printing" or (frame < len(alike) and at[one.step] + 1 < alike[frame])
            if not is_alike or (one.kind, one.line) not in logged:
                count[f"{name} not compared"] += 1
                continue
            count[f"{name} {one.kind}"] += 1
            said = truth(truths, one, frame, at[one.step], logged[one.kind, one.line])
            if said[:1] != [one.taken]:
                wrong.append(f"{name} {one}: said {said}\n{trace.program.source}\n{program.call}")
    return count, wrong


def common(one: list[tuple[str, int]], other: list[tuple[str, int]]) -> int:
    """How many own steps two runs of a frame begin with that are the same."""
    pairs = zip(one, other, strict=False)
    return next((i for i, (left, right) in enumerate(pairs) if left != right), min(len(one), len(other)))


def truth(
    truths: dict[tuple[int, int, int, str], list[bool]], one: Condition, frame: int, at: int, lines: int
) -> list[bool]:
    """What the program printed for a condition: at its own step, shortly before, or on the way on."""
    if one.kind in ENTERED:
        return [any(truths.get((frame, at + near, one.line, one.kind)) for near in (0, 1))]
    here = [truths.get((frame, at - back, one.line, one.kind)) for back in range(1 if lines == 1 else 40)]
    return next((some for some in here if some), [])


def differing(programs: Iterable[Program]) -> tuple[Counter[str], list[str]]:
    some = [(program, Instrumented(program)) for program in programs]
    count, wrong = Counter[str](), list[str]()
    limits = Limits(steps=3000)  # some never end, and are cut
    plain = record_many([one for one, _ in some], limits=limits)
    printing = record_many([reference.program for _, reference in some], limits=limits)
    for (program, reference), one, other in zip(some, plain, printing, strict=True):
        counted, differences = compared(program, one, other, reference)
        count, wrong = count + counted, wrong + differences
    return count, wrong


@pytest.mark.fuzz
def test_programs_that_branch_in_every_way_tell_the_truth() -> None:
    count, wrong = differing(Odd(Random(seed)).program() for seed in range(examples(150, 400)))
    assert not wrong, wrong[0]
    for kind in ("if", "while", "for", "ternary", "assert", "case", "except", "filter"):
        assert count[f"plain {kind}"] > examples(5, 20), count


@pytest.mark.fuzz
def test_generated_programs_tell_the_truth() -> None:
    rng = Random(5)
    programs = [drawn(rng) for _ in range(examples(100, 300))]
    count, wrong = differing(one for one in programs if "@@" not in one.source)
    assert not wrong, wrong[0]
    assert sum(count.values()) > examples(600, 2000), count


def told(source: str, call: str | None = None) -> list[tuple[int, str, bool]]:
    trace = record(Program(source=source, call=call))
    return [(one.line, one.text, one.taken) for one in conditions(trace)]


EXAMPLES = {
    "if and elif": (
        "def f(n):\n    if n % 2 == 0:\n        return 1\n    elif n > 3:\n        return 2\n    return 3\n",
        [(2, "n % 2 == 0", False), (4, "n > 3", True)],
    ),
    "a loop": (
        "def f(n):\n    for x in [n]:\n        n = x\n    while n > 4:\n        n -= 1\n",
        [(2, "for x in [n]", True), (2, "for x in [n]", False), (4, "n > 4", True), (4, "n > 4", False)],
    ),
    "one line tells by what follows": (
        "def f(n):\n    if n: n = 2\n    if n > 9: n = 3\n    if n > 9: return 1\n    if n: return 8\n    return 2\n",
        [(2, "n", True), (4, "n > 9", False), (5, "n", True)],
    ),
    "an assertion that fails, and what takes it": (
        "def f(n):\n    try:\n        assert n < 5, n\n    except KeyError:\n        pass\n"
        "    except AssertionError:\n        n = 1\n",
        [(3, "n < 5", False), (4, "except KeyError", False), (6, "except AssertionError", True)],
    ),
    "a test that raises has no condition": (
        "def f(n):\n    try:\n        if n / 0:\n            pass\n    except ArithmeticError:\n        n = 1\n",
        [(5, "except ArithmeticError", True)],
    ),
    "cases": (
        "def f(n):\n    match [n, 2]:\n        case [1, x]:\n            return x\n"
        "        case [_, x] if x > 1:\n            return 5\n",
        [(3, "case [1, x]", False), (5, "case [_, x] if x > 1", True)],
    ),
    "lines that share a step are left out": (
        "def f(n):\n    n = 1 if n else n\n    a = n; assert a\n    while n > 0: n -= 1\n",
        [],
    ),
    "a lambda on the line of a test is not the test": (
        "def f(n):\n    if (lambda x: x)(n) > 9:\n        return 1\n    return 2\n",
        [(2, "(lambda x: x)(n) > 9", False)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples(name: str) -> None:
    source, expected = EXAMPLES[name]
    assert told(source, "f(5)") == expected


def test_the_kind_and_the_step_are_told() -> None:
    trace = record(Program(source="def f(n):\n    if n:\n        n = 1\n    return n\n", call="f(5)"))
    assert conditions(trace) == (Condition(1, 2, "n", True, "if"),)


def test_a_cut_trace_tells_what_it_has() -> None:
    source = "def f(n):\n    while n:\n        n += 1\n"
    trace = record(Program(source=source, call="f(1)"), limits=Limits(steps=4))
    assert [one.taken for one in conditions(trace)] == [True]


def test_other_files_are_read_and_other_languages_are_not() -> None:
    files = (("other.py", "def g(n):\n    if n > 1:\n        return 2\n    return 3\n"),)
    trace = record(Program(source="import other\nother.g(5)\n", files=files))
    assert [(one.line, one.taken) for one in conditions(trace)] == [(2, True)]
    assert conditions(replace(trace, program=Program(source="if (1) {}", name="x.js"))) == ()
    assert conditions(replace(trace, program=Program(source="if (1 {}", files=files))) != ()
    assert conditions(replace(trace, program=Program(source="if (1 {}"))) == ()

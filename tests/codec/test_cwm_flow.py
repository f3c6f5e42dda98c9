"""Control flow read off the source allows every pair of events that an interpreter reports."""

from __future__ import annotations

import glob
import inspect
import json
import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import cwm_sources
import pytest

from worldline.analyze.flow.control import Flow, successors
from worldline.codec.cwm.guard import FrameGuard
from worldline.core.program import Program
from worldline.recording.recorder import record

HERE = f"{sys.version_info[0]}.{sys.version_info[1]}"
REPORTER = Path(__file__).with_name("settrace_pairs.py")


def _interpreter(version: str) -> str:
    if version == HERE:
        return sys.executable
    interpreters = sorted(glob.glob(os.path.expanduser(f"~/.pyenv/versions/{version}.*/bin/python")))
    if not interpreters:
        pytest.skip(f"no Python {version} here")
    return interpreters[-1]


def _reported(version: str, programs: list[tuple[str, list[str]]]) -> list[list[list[Any]]]:
    command = [_interpreter(version), "-I", str(REPORTER)]
    done = subprocess.run(command, input=json.dumps(programs), capture_output=True, text=True, check=True)
    rows: list[list[list[Any]]] = json.loads(done.stdout)
    return rows


def _allows(flow: Flow, before: str, start: int, event: str, line: int) -> bool:
    if event == "call":
        return line == start if before else line == flow.line
    if event == "exception" or event == "return":
        return line == start or line in flow.next.get(start, ()) or before in ("", "call")
    if before == "call":
        return line in flow.start or line == start or line in flow.next.get(start, ())
    return line in (flow.handlers if before == "exception" else flow.next).get(start, ())


def _missing(source: str, rows: list[list[Any]]) -> list[list[Any]]:
    flows = defaultdict(list)
    for flow in successors(source):
        flows[flow.name, flow.line].append(flow)
    return [row for row in rows if not any(_allows(flow, *row[2:]) for flow in flows[row[0], row[1]])]


@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13"])
def test_every_statement_of_the_language(version: str) -> None:
    source = cwm_sources.STATEMENTS
    (rows,) = _reported(version, [(source, [f"{name}()" for name in cwm_sources.TOPS])])
    assert len(rows) > 500
    assert _missing(source, rows) == []


@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13"])
def test_humaneval_solutions_and_their_tests(version: str) -> None:
    rows = cwm_sources.humaneval()[::6]
    if not rows:
        pytest.skip("no ../shared/data/HumanEval.jsonl.gz here")
    programs = [
        (r["prompt"] + r["canonical_solution"] + "\n" + r["test"], [f"check({r['entry_point']})"]) for r in rows
    ]
    for (source, _), reported in zip(programs, _reported(version, programs), strict=True):
        assert reported
        assert _missing(source, reported) == []


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("module", "calls"),
    [
        ("textwrap", ["wrap('the quick brown fox ' * 9, 30)", "dedent('  a\\n  b')", "shorten('a b c d e f', 8)"]),
        ("fractions", ["Fraction('3/4') + Fraction(1, 3)", "format(Fraction(1, 3).limit_denominator(2))"]),
        ("statistics", ["stdev([1, 2, 4])", "quantiles([1, 2, 3, 4])", "multimode('aab')"]),
        ("heapq", ["list(merge([1, 4], [2, 3]))", "nsmallest(2, [3, 1, 2], key=lambda v: -v)"]),
        ("bisect", ["insort_left([1, 3], 2)"]),
        ("shlex", ["split('a \"b c\" d')", "quote('a b')"]),
        ("string", ["Template('$a ${b}').substitute(a=1, b=2)", "Formatter().format('{0:>5} {a}', 1, a=2)"]),
        ("pprint", ["pformat({'k': list(range(40)), 'z': {1: (2, 3)}}, width=30)"]),
    ],
)
def test_library_code(module: str, calls: list[str]) -> None:
    source = inspect.getsource(__import__(module))
    (rows,) = _reported(HERE, [(source, calls)])
    assert len(rows) > 10
    assert _missing(source, rows) == []


def test_two_equal_lines_are_two_lines() -> None:
    source = "def f(x):\n    x += 1\n    x += 1\n    return x\n"
    flow = next(flow for flow in successors(source) if flow.name == "f")
    assert (flow.start, flow.next[2], flow.next[3]) == ({2}, {3}, {4})
    assert flow.returns == {4}


def test_an_exception_goes_to_its_handler_and_nowhere_else() -> None:
    source = "def f():\n    try:\n        g()\n    except E:\n        a = 1\n    else:\n        a = 2\n    return a\n"
    flow = next(flow for flow in successors(source) if flow.name == "f")
    assert flow.next[3] == {7}
    assert flow.handlers[3] == {4}
    assert flow.handlers[7] == set()
    assert flow.after(3) == {4, 7}
    assert flow.next[4] == {5}


def test_a_loop_that_never_ends_leads_nowhere_else() -> None:
    source = "def f():\n    while True:\n        a = 1\n    return a\n"
    flow = next(flow for flow in successors(source) if flow.name == "f")
    assert flow.next[3] == {2}
    assert 4 not in flow.next[2]


def test_names_of_a_frame() -> None:
    source = "x = 1\ndef f(a, *b):\n    global x\n    x = c = a\n    def g():\n        return c\n    return g\n"
    flows = {flow.name: flow.names for flow in successors(source)}
    assert flows["f"].parameters == {"a", "b"}
    assert not flows["f"].shows("x")
    assert flows["g"].shows("c")
    assert flows["g"].may_start_with({"c"})
    assert not flows["f"].may_start_with({"a", "b", "c"})


@pytest.mark.parametrize("source", ["def f(:\n", "\0", "(" * 5000, "x = " + "-" * 200_000 + "1"])
def test_what_is_not_python_has_no_flow(source: str) -> None:
    assert successors(source) == ()


def test_long_and_deep_sources_cost_no_recursion() -> None:
    chain = "def f(x):\n    if x == 0:\n        return 0\n" + "".join(
        f"    elif x == {n}:\n        return {n}\n" for n in range(1, 400)
    )
    deep = "y = " + "+".join("x" for _ in range(900)) + "\n"
    table = "t = [\n" + "".join(f"    name{n},\n" for n in range(5000)) + "]\n"
    flows = successors(chain + deep + table)
    f = next(flow for flow in flows if flow.name == "f")
    assert f.next[2] == {3, 4}
    module = flows[0]
    # One set for all 5,000 lines, not one each.
    assert len({id(after) for after in module.next.values()}) < 20


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        ('    """Doc."""\n    n += 1\n    return n\n', {"    n += 1"}),
        ('    """Doc.\n    More."""\n    if n:\n        return 1\n    return n\n', {"    if n:"}),
        ('    """Doc."""\n', {"def f(n):", '    """Doc."""'}),
    ],
)
def test_a_docstring_is_a_line_only_where_it_is_the_whole_body(body: str, lines: set[str]) -> None:
    program = Program(source=f"def f(n):\n{body}", call="f(2)")
    guard = FrameGuard(program)
    guard.feed("call_sep", "def f(n):\n", b'{"n": "2"}')
    assert guard.lines("line_sep") == lines
    trace = record(program, trust=True)
    executed = [step for step in trace.steps if step.event == "line"][:1]
    assert {program.source.split("\n")[step.line - 1] for step in executed} <= lines

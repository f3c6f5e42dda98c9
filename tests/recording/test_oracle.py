"""An independent oracle: a sys.settrace function of a dozen lines that takes the repr of each local before each line.

It shares no code with the recorder. What it saw in the program's functions must be what the folded deltas of the native
trace say, line by line. Only plain values are compared: exact ints, strs, floats, bytes, bools, None, and lists, tuples
and dicts of them in which nothing occurs twice. Module and class bodies and comprehensions are left to the other tests.
"""

from __future__ import annotations

import json
import os
import subprocess
from typing import Any

import pytest
from fuzz_programs import program
from interpreters import FOUND
from odd_programs import PROGRAMS

from worldline.core.program import Program
from worldline.core.state import states
from worldline.core.trace import Trace
from worldline.recording.recorder import record_many

COUNT = int(os.environ.get("WORLDLINE_FUZZ", "40"))
TRICKY = ("splices", "splices_lined", "dicts", "generators", "closures", "globals_change", "statements", "one_line",
          "many_locals", "loop", "nested_over", "two_namespaces")  # fmt: skip

ORACLE = r"""
import io, json, sys

def plain(v, seen):
    kind = type(v)
    if kind in (int, str, float, bytes, bool, type(None)):
        return True
    if kind not in (list, tuple, dict) or id(v) in seen:
        return False
    if kind is not tuple:
        seen.add(id(v))
    parts = [*v, *v.values()] if kind is dict else v
    return all(plain(part, seen) for part in parts)

def watch(source):
    rows = []
    def trace(frame, event, arg):
        code = frame.f_code
        if code.co_filename != 'program.py' or not code.co_flags & 1 or code.co_name[1:] in ('listcomp>', 'setcomp>',
                                                                                             'dictcomp>'):
            return None if code.co_filename != 'program.py' else trace
        if event == 'line':
            found = dict(frame.f_locals)
            names = [*code.co_varnames, *code.co_cellvars, *code.co_freevars]
            state = {n: repr(found[n]) if plain(found[n], set()) else None for n in names if n in found}
            rows.append([code.co_qualname, frame.f_lineno, names, state])
        return trace
    code = compile(source, 'program.py', 'exec')
    kept, sys.stdout = sys.stdout, io.StringIO()
    sys.settrace(trace)
    scope = {'__name__': '__main__', '__file__': 'program.py', '__builtins__': __builtins__}
    try:
        exec(code, scope)
        for name in list(scope): # as at the end of a module: generators that are left are closed
            if name != '__builtins__': scope[name] = None
    finally:
        sys.settrace(None)
        sys.stdout = kept
    return rows

print(json.dumps([watch(source) for source in json.load(sys.stdin)]))
"""
COMPREHENSIONS = ("<listcomp>", "<setcomp>", "<dictcomp>")


def oracle(python: str, sources: list[str]) -> list[list[Any]]:
    done = subprocess.run(
        [python, "-B", "-c", ORACLE],
        input=json.dumps(sources), capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": "0"},
    )  # fmt: skip
    rows: list[list[Any]] = json.loads(done.stdout)
    return rows


def recorded(trace: Trace) -> list[tuple[str, int, dict[str, str]]]:
    """Each line of a function with its names as they were before it ran."""
    rows = []
    last: dict[int, dict[str, str]] = {}
    for step, state in states(trace):
        name = trace.frames[step.frame].name
        if step.event == "line" and not name.endswith(COMPREHENSIONS):
            rows.append((name, step.line, last[step.frame]))
        if step.event not in ("output", "input", "exit"):
            last[step.frame] = dict(state.frames[step.frame])
    return rows


def check(label: object, seen: list[Any], trace: Trace) -> int:
    """The number of values that were compared and found equal."""
    functions = {name for name, *_ in seen}
    ours = [row for row in recorded(trace) if row[0] in functions]
    assert [row[:2] for row in seen] == [[name, line] for name, line, _ in ours], label
    equal = 0
    for (name, line, names, expected), (_, _, state) in zip(seen, ours, strict=True):
        found = {n: text for n, text in state.items() if n in names}
        assert found.keys() == expected.keys(), (label, name, line)
        for n, text in expected.items():
            if text is not None:
                assert found[n] == text, (label, name, line, n)
                equal += 1
    return equal


@pytest.mark.parametrize("version", FOUND)
def test_the_trace_says_what_the_oracle_saw(version: str) -> None:
    sources = {f"seed {seed}": program(seed, plain=True) for seed in range(COUNT)}
    sources |= {name: PROGRAMS[name] for name in TRICKY}
    expected = oracle(FOUND[version], list(sources.values()))
    traces = record_many(
        [Program(source=text) for text in sources.values()], python=FOUND[version], core="native"
    )
    equal = sum(
        check(label, seen, trace) for label, seen, trace in zip(sources, expected, traces, strict=True)
    )
    assert equal > 100 * COUNT

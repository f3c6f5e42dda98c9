"""Coverage counts what ran, and the generator leaves nothing that is required out."""

from __future__ import annotations

import ast
import random
import re
from collections import Counter

import pytest

from worldline.core.program import Program
from worldline.data.mixture import BATCH_PROGRAMS, DOCUMENT_LIMITS
from worldline.programs import generate
from worldline.programs.coverage.coverage import REQUIRED, count, missing, share, table
from worldline.programs.coverage.lines import entries, spellings
from worldline.programs.coverage.required import LEFT_OUT
from worldline.recording.recorder import SandboxWorker, prepare, record
from worldline.recording.together import record_all, stretched

ROUNDS, EACH = 100, 10
SOURCE = """\
def g(n, *rest, step=1, **more):
    yield n
    yield from rest

def f(text, items, flag=False):
    global seen
    parts = text.upper().split(',')
    total = 0x1F + 1_000
    for i, part in enumerate(parts):
        total += len(part[1:-1]) if part else 0
    if flag:
        items.sort(key=lambda x: -x)
    try:
        items[99] = f"{total:>10,d} {text!r}"
    except IndexError as error:
        seen = list(g(*items, step=2))
    return [x for x in items if x > 1][::-1]
"""


def counted(call: str) -> Counter[str]:
    return count(record(Program(source=SOURCE, call=call), trust=True))


def test_what_ran_is_counted() -> None:
    found = counted("f('a,b', [1, 2, 3])")
    expected = {
        "assign": 4, "for": 3, "op +": 1, "op +=": 2, "conditional": 2, "slice [i:-j]": 2, "builtin len": 2,
        "builtin list": 1, "literal hex": 1, "literal underscored int": 1, "method str.upper": 1,
        "method str.split": 1, "item assign": 1, "format >": 1, "format group": 1, "format d": 1, "f-string !r": 1,
        "raised IndexError": 1, "caught IndexError": 1, "except": 1, "starred argument": 1, "keyword argument": 1,
        "yield": 1, "yield from": 1, "list comprehension": 1, "comprehension if": 1, "slice [::-k]": 1, "global": 1,
        "default argument": 1, "*args": 1, "**kwargs": 1, "keyword-only argument": 1, "unpacking": 3, "if": 1,
        "event yield": 3, "call": 2,
    }  # fmt: skip
    assert {entry: found[entry] for entry in expected} == expected
    assert found["op >"] >= 3  # once an item, inside the comprehension


def test_what_did_not_run_is_not() -> None:
    assert counted("f('a', [1])")["lambda"] == 0
    assert counted("f('a', [1], True)")["method list.sort"] == 1
    assert "lambda" in counted("f('a', [1], True)")


def test_tables_name_what_is_missing() -> None:
    found = counted("f('a', [1])")
    assert set(REQUIRED) <= {entry for entry, _ in table(found)}
    assert set(missing(found)) == {entry for entry, times in table(found) if entry in REQUIRED and not times}
    assert 0 < share(found) < 1
    assert share(dict.fromkeys(REQUIRED, 1)) == 1
    assert len(set(REQUIRED)) == len(REQUIRED)


def test_required_are_all_methods_and_builtins() -> None:
    """Beyond what is left out for a reason that is given, nothing that the types have is missing."""
    for kind in (str, list, dict, set, tuple, bytes, int, float):
        for name in dir(kind):
            if callable(getattr(kind, name)) and not name.startswith("_"):
                entry = f"method {kind.__name__}.{name}"
                assert (entry in REQUIRED) != (entry in LEFT_OUT), entry
    assert {entry for entry in LEFT_OUT if entry.startswith("method ")} == {
        "method set.pop", "method int.is_integer", "method bytes.maketrans",
    }  # fmt: skip
    for name in ("type", "iter", "next", "frozenset", "bytes", "getattr", "hasattr", "super", "slice", "hash"):
        assert f"builtin {name}" in REQUIRED
    for entry in ("class", "import", "from import", "def", "literal octal", "literal exponent", "op **=", "with"):
        assert entry in REQUIRED
    assert not set(REQUIRED) & set(LEFT_OUT)


RECEIVERS = """\
import math
from string import capwords

class Box:
    def __init__(self, items):
        self.items = items
    def put(self, x):
        self.items.append(x)

def f(s, groups, data):
    box = Box([])
    box.put(math.floor(1.5))
    s = s.split(',')
    s.reverse()
    groups['a'].add(3)
    groups.setdefault('b', set()).discard(1)
    low = data.upper().center(9)
    for s in s:
        low = s.title()
    return capwords(low)
"""


def test_receivers_are_told_by_the_trace_at_the_step() -> None:
    """Fields, elements, results, and a name that holds one kind after the other."""
    found = count(record(Program(source=RECEIVERS, call="f('x,y', {'a': {1}}, b'q')"), trust=True))
    methods = {entry: times for entry, times in found.items() if entry.startswith("method ")}
    assert methods == {
        "method list.append": 1, "method object.put": 1, "method ?.floor": 1, "method str.split": 1,
        "method list.reverse": 1, "method set.add": 1, "method dict.setdefault": 1, "method set.discard": 1,
        "method bytes.upper": 1, "method bytes.center": 1, "method str.title": 2,
    }  # fmt: skip
    assert (found["class"], found["import"], found["from import"]) == (2, 1, 1)


def word(entry: str) -> str:
    """What a text must have in it for an entry to be there."""
    named = entry.startswith(("method ", "builtin "))
    return re.split(r"[ .]", entry)[-1] if named else "**" if entry.startswith("double-starred") else ""


def promises(program: Program, wanted: list[str]) -> bool:
    """Whether a program's text holds something that is wanted; whether that runs, only a recording tells."""
    wanted = [entry for entry in wanted if word(entry) in program.source]
    if not wanted:
        return False
    shown = {entry for several in entries(program.source, ast.parse(program.source)).values() for entry in several}
    shown |= {entry for _, entry in spellings(program.call or "")}
    methods = {entry.rpartition(".")[2] for entry in shown if entry.startswith("method ")}
    if any(entry.startswith(("raised", "caught")) for entry in wanted) and "except" in shown:
        return True
    return any(entry in shown or entry.rpartition(".")[2] in methods for entry in wanted)


@pytest.mark.long(reason="draws and records programs until all that is required has run")
def test_the_generator_covers_all_that_is_required() -> None:
    """Some hundred programs are recorded as they come; of further ones those that promise what is still missing."""
    rng = random.Random(2)
    kinds = list(generate.KINDS.values())
    worker = SandboxWorker(
        prepare(limits=stretched(DOCUMENT_LIMITS, BATCH_PROGRAMS), python=None, core="auto", trust=True)
    )
    found: Counter[str] = Counter()
    try:
        for turn in range(ROUNDS):
            wanted = missing(found)
            programs = [kind(rng) for kind in kinds for _ in range(EACH)]
            programs += [generate.program(rng) for _ in range(EACH)]
            chosen = programs if turn == 0 else [each for each in programs if promises(each, wanted)]
            for trace in record_all(worker, chosen):
                if trace is not None:
                    found.update(count(trace))
            if not missing(found):
                break
    finally:
        worker.close()
    assert not missing(found), missing(found)

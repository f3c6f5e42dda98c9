"""Both cores render the whole zoo (zoo.py) alike: instances of the library's classes, and of subclasses of theirs."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from interpreters import FOUND

from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.recording.recorder import record

ZOO = Path(__file__).with_name("zoo.py").read_text(encoding="utf-8")
VISIT = f"def look(name, thing): pass\nzoo = {{}}\nexec(compile({ZOO!r}, 'zoo', 'exec'), zoo)\nzoo['show_all'](look)\n"
LIMITS = Limits(value_bytes=1000, value_depth=3, wall=300)


@cache
def visit(version: str, core: str) -> Trace:
    return record(Program(source=VISIT), python=FOUND[version], core=core, limits=LIMITS)


def seen(trace: Trace) -> list[tuple[str, str]]:
    """What was looked at, by name."""
    assert trace.outcome.kind == "returned", (trace.outcome, trace.stderr[-2000:])
    calls = [step.delta for step in trace.steps if step.event == "call" and "thing" in step.delta]
    return [(delta["name"].strip("'"), delta["thing"]) for delta in calls]


@pytest.mark.long(reason="more than 5,000 objects of 600 classes, on both cores")
@pytest.mark.parametrize("version", FOUND)
def test_cores_agree_on_instances_of_every_class_and_its_subclasses(version: str) -> None:
    native, readable = seen(visit(version, "native")), seen(visit(version, "python"))
    assert [pair for pair in zip(native, readable, strict=True) if pair[0] != pair[1]] == []
    assert len({name for name, _ in native}) > 600
    assert len(native) > 5000


@pytest.mark.parametrize("core", ["native", "python"])
@pytest.mark.parametrize("version", FOUND)
def test_attributes_are_fields_where_a_class_offers_a_dict_or_slots(version: str, core: str) -> None:
    """asyncio.Future hides its dict (`vars` raises TypeError): docs/reference/format.md, section 1."""
    source = (
        "import asyncio\nclass Free(asyncio.Future): pass\nclass Slotted(asyncio.Future): __slots__ = ('a',)\n"
        "loop = asyncio.new_event_loop()\nfree, slotted = Free(loop=loop), Slotted(loop=loop)\n"
        "free.a = slotted.a = slotted.b = 1\ntry: vars(free)\nexcept TypeError: hidden = True\nloop.close()\n"
        "both = (free, slotted)\n"
    )
    trace = record(Program(source=source), python=FOUND[version], core=core)
    values = {name: text for step in trace.steps for name, text in step.delta.items()}
    assert (values["hidden"], values["free"]) == ("True", "<Free>")
    assert values["slotted"].partition("#")[0] == "Slotted"
    assert values["slotted"].endswith("(a=1)")


@pytest.mark.parametrize("core", ["native", "python"])
@pytest.mark.parametrize("version", FOUND)
def test_objects_of_c_types_at_one_address_have_numbers_of_their_own(version: str, core: str) -> None:
    """None of these allows a weak reference; each is freed before the next is made."""
    source = (
        "import ast, collections, time\ndef look(x): pass\n"
        "for i in range(3): look(collections.defaultdict(list))\n"
        "for i in range(3): look(time.gmtime(i))\n"
        "for i in range(3): look(ast.AST())\n"
    )
    trace = record(Program(source=source), python=FOUND[version], core=core)
    values = [step.delta["x"] for step in trace.steps if "x" in step.delta]
    assert [text.partition("(")[0].partition("#")[2] for text in values] == [str(n + 1) for n in range(9)]

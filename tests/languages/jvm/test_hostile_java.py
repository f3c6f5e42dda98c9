"""Hostile Java programs: each ends as its first lines say, and, where it can be compared, as in a plain run."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from java_runs import HAS_JDK, JavaRecorder, check, plain, recorder, status_of

from worldline.core.trace import Trace

PROGRAMS = sorted((Path(__file__).parent / "hostile").glob("*.java"))
HEAD = re.compile(r"// (outcome|limits|plain|perturbed|note|output|stdin|name): (.*)")
LONG = 20_000  # steps: what recurses without end is not taken through every codec
pytestmark = [pytest.mark.usefixtures("sandbox"), pytest.mark.skipif(not HAS_JDK, reason="no JDK")]


def head_of(path: Path) -> dict[str, str]:
    """What the first lines of a program say of it."""
    found = {}
    for line in path.read_text().splitlines():
        match = HEAD.fullmatch(line)
        if match is None:
            break
        found[match[1]] = match[2]
    return found


@pytest.fixture(scope="module")
def java() -> Iterator[JavaRecorder]:
    with recorder() as found:
        yield found


def recorded(path: Path, head: dict[str, str], java: JavaRecorder) -> Trace:
    stdin = ast.literal_eval(head.get("stdin", "''"))
    name, source = head.get("name", "Main.java"), path.read_text()
    if "limits" not in head:
        return java.record(source, stdin=stdin, name=name)
    bounds = {key: int(value) for key, value in (word.split("=") for word in head["limits"].split())}
    java.prepared(source, name=name)  # so that its own worker needs no compiler
    with recorder(**bounds) as bounded:
        return bounded.record(source, stdin=stdin, name=name)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_hostile_program(path: Path, java: JavaRecorder, record_property: Callable[[str, object], None]) -> None:
    head = head_of(path)
    trace = recorded(path, head, java)
    said = f"{trace.outcome.kind} {trace.outcome.detail}"
    wanted = tuple(head["outcome"].replace("Main.", "").split(" | "))
    assert said.startswith(wanted), (said, trace.stderr)
    if "note" in head:
        assert head["note"] in trace.notes
    if "output" in head:
        assert trace.output == ast.literal_eval(head["output"])
    if trace.outcome.kind != "unsupported" and len(trace) < LONG:
        check(trace, java.flow(trace))
    if "plain" in head:
        record_property("plainly", "java has no plain end")
        return
    alone = plain(path.read_text(), ast.literal_eval(head.get("stdin", "''")))
    alike = (status_of(trace), trace.output) == (alone.status, alone.stdout)
    record_property("plainly", f"java {'alike' if alike else 'apart'}")
    assert alike or "perturbed" in head, (trace.outcome, trace.output, alone)


def test_most_are_not_perturbed() -> None:
    assert len(PROGRAMS) >= 25
    assert sum("perturbed" in head_of(path) for path in PROGRAMS) <= len(PROGRAMS) // 4

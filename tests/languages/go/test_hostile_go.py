"""Hostile Go programs: each ends as its first lines say, and, where it can be compared, as in a plain run."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from go_runs import HAS_GO, GoRecorder, check, plain, recorder, status_of

from worldline.core.trace import Trace

PROGRAMS = sorted((Path(__file__).parent / "hostile").glob("*.go"))
HEAD = re.compile(r"// (outcome|limits|plain|perturbed|note|output|stdin): (.*)")
LONG = 20_000  # steps
pytestmark = [pytest.mark.usefixtures("sandbox"), pytest.mark.skipif(not HAS_GO, reason="there is no Go")]


def head_of(path: Path) -> dict[str, str]:
    """What the first lines of a program say of it."""
    head = {}
    for line in path.read_text().splitlines():
        match = HEAD.fullmatch(line)
        if match is None:
            break
        head[match[1]] = match[2]
    return head


@pytest.fixture(scope="module")
def go() -> Iterator[GoRecorder]:
    with recorder() as opened:
        yield opened


def recorded(path: Path, head: dict[str, str], go: GoRecorder) -> Trace:
    stdin = ast.literal_eval(head.get("stdin", "''"))
    source = path.read_text()
    if "limits" not in head:
        return go.record(source, stdin=stdin)
    bounds = {key: int(value) for key, value in (word.split("=") for word in head["limits"].split())}
    with recorder(**bounds) as bounded:
        return bounded.record(source, stdin=stdin)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_hostile_program(path: Path, go: GoRecorder, record_property: Callable[[str, object], None]) -> None:
    head = head_of(path)
    trace = recorded(path, head, go)
    outcome = f"{trace.outcome.kind} {trace.outcome.detail}"
    assert outcome.startswith(head["outcome"]), (outcome, trace.stderr)
    if "note" in head:
        assert head["note"] in trace.notes
    if "output" in head:
        assert trace.output == ast.literal_eval(head["output"])
    if trace.outcome.kind != "unsupported" and len(trace) < LONG:
        check(trace, go.flow(trace))
    if "plain" in head:
        record_property("plainly", "go has no plain end")
        return
    alone = plain(path.read_text(), ast.literal_eval(head.get("stdin", "''")))
    alike = (status_of(trace), trace.output) == (alone.status, alone.stdout)
    record_property("plainly", f"go {'alike' if alike else 'apart'}")
    assert alike or "perturbed" in head, (trace.outcome, trace.output, alone)


def test_most_are_not_perturbed() -> None:
    assert len(PROGRAMS) >= 25
    assert sum("perturbed" in head_of(path) for path in PROGRAMS) <= len(PROGRAMS) // 4

"""Each program under hostile/, recorded and compared with its plain run and with the facts in its first lines.

// outcome: raised TypeError('late')   how it ends; `raised TypeError(`: with whatever words
// delta: x=1                          some step binds x to exactly this value
// series: x = 1 | 2                   all values of x, in order
// same: b=a    arg: EVENT VALUE    note: SLUG    hidden: KIND    limits: steps=10    stdin: 'a\n'    plain: skip
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from node_runs import as_in_a_plain_run, faults, plain, program

from worldline.core.limits import Limits
from worldline.core.trace import Trace
from worldline.recording.recorder import SandboxWorker, prepare

pytestmark = pytest.mark.usefixtures("sandbox")
PROGRAMS = sorted((Path(__file__).parent / "hostile").glob("*.*js"))


@cache
def worker(limits: Limits) -> SandboxWorker:
    """A box that stays warm: what one program does to it, the next ones see."""
    return SandboxWorker(prepare(limits=limits, python=None, core="auto", trust=False))


@pytest.fixture(scope="module", autouse=True)
def _closed() -> Iterator[None]:
    yield
    worker.cache_clear()


def header(path: Path) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in path.read_text().splitlines():
        if not line.startswith("// "):
            break
        key, _, value = line[3:].partition(": ")
        found.setdefault(key, []).append(value)
    return found


def limits_of(said: dict[str, list[str]]) -> Limits:
    pairs = [pair.split("=") for text in said.get("limits", []) for pair in text.split()]
    return Limits(**{"wall": 60, **{name: int(value) for name, value in pairs}})


def complaints(said: dict[str, list[str]], trace: Trace) -> Iterator[str]:
    changes = [(name, value) for step in trace.steps for name, value in step.delta.items()]
    args = {f"{step.event} {step.arg}" for step in trace.steps}
    shared = {f"{name}={other}" for step in trace.steps for name, other in step.same.items()}
    yield from (f"no delta {fact}" for fact in said.get("delta", []) if tuple(fact.split("=", 1)) not in changes)
    for fact in said.get("series", []):
        name, _, values = fact.partition(" = ")
        if [value for other, value in changes if other == name] != values.split(" | "):
            yield f"no series {fact}: {[value for other, value in changes if other == name]}"
    yield from (f"no {fact}" for fact in said.get("arg", []) if fact not in args)
    yield from (f"no same {fact}" for fact in said.get("same", []) if fact not in shared)
    yield from (f"no note {fact}" for fact in said.get("note", []) if fact not in trace.notes)
    kinds = {hidden.kind for hidden in trace.hidden}
    yield from (f"no hidden {fact}" for fact in said.get("hidden", []) if fact not in kinds)


def test_there_are_enough() -> None:
    assert len(PROGRAMS) >= 25


@pytest.mark.sampled(2)
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.name)
def test_a_hostile_program(path: Path, record_property: Callable[[str, object], None]) -> None:
    said, source = header(path), path.read_text()
    stdin = said.get("stdin", [""])[0].replace("\\n", "\n")
    asked = program(source, f"program{path.suffix}", stdin=stdin)
    sandbox = worker(limits_of(said))
    with tempfile.TemporaryDirectory() as folder:
        run = None if "plain" in said else plain(source, f"program{path.suffix}", Path(folder), stdin)
    for _ in range(2):  # instrumented in the program's own process, then by prepare.js, which `flow` asks for
        trace = sandbox.record(asked)
        outcome = f"{trace.outcome.kind} {trace.outcome.detail}".strip()
        wanted = said["outcome"][0]
        assert outcome == wanted or (wanted.endswith("(") and outcome.startswith(wanted)), (outcome, trace.stderr)
        assert trace.outcome.kind != "host-fault"
        assert list(complaints(said, trace)) == []
        assert faults(trace, sandbox.in_language("js").flow(asked)) == []
        if run is None:
            record_property("plainly", "js has no plain end")
            continue
        alike = as_in_a_plain_run(trace, run)
        record_property("plainly", f"js {'alike' if alike else 'apart'}")
        assert alike, (trace.output, run.stdout, run.returncode)

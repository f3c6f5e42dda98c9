"""Stochastic programs as documents: each under a seed of its own, in three modes, draws as even as they are."""

from __future__ import annotations

import random
from collections import Counter
from contextlib import closing
from itertools import islice

import pytest

from worldline.codec.compact.parse import parse
from worldline.codec.compact.prompt import Compact
from worldline.core.hidden import Control, possibilities, replaying
from worldline.core.program import Program
from worldline.data.document import CHANCE, Document
from worldline.data.mixture import DOCUMENT_LIMITS, Mixture, Mode, Source, draw_documents
from worldline.programs.generate import chance
from worldline.programs.split import execution
from worldline.recording.recorder import SandboxWorker, prepare
from worldline.recording.together import draws_apart, record_all

MODES = tuple(Mode(weight=1, options=Compact(hidden=how)) for how in ("predicted", "given", "blind"))
DRAWS = Source(kind=CHANCE, program="worldline.programs.generate.chance:of", argument="draws")
ANY = Source(kind=CHANCE, program="worldline.programs.generate.chance:program")


def take(mixture: Mixture, count: int, **options: int) -> list[Document]:
    with closing(draw_documents(mixture, trust=True, **options)) as source:  # type: ignore[type-var]
        return list(islice(source, count))


def test_the_same_seed_gives_the_same_documents_whole_in_every_mode() -> None:
    mixture = Mixture(sources=(ANY,), modes=MODES, shift=0, query=0)
    documents = take(mixture, 60, seed=3)
    assert documents == take(mixture, 60, seed=3)
    assert documents != take(mixture, 60, seed=4)
    headers = Counter(word for document in documents for word in ("given", "blind") if _header(document, word))
    assert headers.keys() == {"given", "blind"}
    for document in documents:
        parsed = parse(document.prompt + document.steps)
        assert parsed.malformed is None
        assert parsed.ended
        assert document.kind == CHANCE
    drawn = [document for document in documents if b"\n%'" in document.steps]
    assert any(not _header(document, "given") for document in drawn)
    assert all(
        b"\n%'" not in document.steps.replace(b"\n%'thread", b"")
        for document in documents
        if _header(document, "blind")
    )
    listed = [document for document in drawn if _header(document, "given")]
    assert listed
    assert all(b"%" in document.prompt for document in listed)


def _header(document: Document, word: str) -> bool:
    first = document.prompt.split(b"\n")[0]
    return first.startswith(b"#") and word.encode() in first.split()


@pytest.mark.long(reason="thousands of draws")
def test_draws_are_even() -> None:
    """Every document has a seed of its own: over many, each value of `below n` comes as often as the others."""
    mixture = Mixture(sources=(DRAWS,), modes=MODES[:1], shift=0, query=0)
    seen: dict[int, Counter[str]] = {}
    for document in take(mixture, 1_500, seed=7):
        for hidden in parse(document.prompt + document.steps).hidden:
            if hidden.kind.startswith("below ") and (n := possibilities(hidden.kind) or 0) <= 20:
                seen.setdefault(n, Counter())[hidden.value] += 1
    assert len(seen) >= 18
    square = freedom = 0.0
    for n, counts in seen.items():
        even = counts.total() / n
        assert all(0 <= int(value) < n for value in counts)
        square += sum((counts[str(value)] - even) ** 2 / even for value in range(n))
        freedom += n - 1
    assert abs(square - freedom) < 5 * (2 * freedom) ** 0.5, (square, freedom)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("kind", chance.KINDS)
def test_every_kind_is_recorded_and_ends(kind: str) -> None:
    setup = prepare(limits=DOCUMENT_LIMITS, python=None, core="auto", trust=True, controlled=True)
    worker, rng = SandboxWorker(setup), random.Random(5)
    parsed: Counter[str] = Counter()
    hidden = 0
    try:
        for seed in range(25):
            trace = worker.record(chance.of(kind)(rng), control=Control(seed=seed, schedule=seed))
            parsed[trace.outcome.kind] += 1
            hidden += bool(trace.hidden)
    finally:
        worker.close()
    assert parsed["returned"] + parsed["raised"] == 25, parsed
    assert hidden >= (10 if kind in ("races", "seeded") else 20)


def test_a_run_is_told_by_its_draws_too() -> None:
    from worldline.core.trace import Hidden

    program = Program(source="import random\nprint(random.randrange(6))\n")
    plain = execution(program, "key")
    runs = {execution(program, "key", [Hidden(1, "below 6", str(value))]) for value in range(6)}
    assert len(runs) == 6
    assert plain not in runs


def test_draws_of_programs_recorded_together_are_told_apart() -> None:
    """Each program of a bundle, replayed alone with the draws that it was told to have, does the same."""
    setup = prepare(limits=DOCUMENT_LIMITS, python=None, core="auto", trust=True, controlled=True)
    worker, rng = SandboxWorker(setup), random.Random(8)
    drawn = (chance.program(rng) for _ in range(200))
    programs = [program for program in drawn if draws_apart(program)][:60]
    try:
        traces = record_all(worker, programs, Control(seed=3))
        assert sum(trace is not None for trace in traces) >= 58
        assert sum(bool(trace and trace.hidden) for trace in traces) >= 50
        for program, trace in zip(programs, traces, strict=True):
            if trace is not None:
                alone = worker.record(program, control=replaying(trace.hidden))
                assert not any(note.startswith("parted") for note in alone.notes), program.source
                assert list(map(repr, alone.steps)) == list(map(repr, trace.steps))
                assert alone.hidden == trace.hidden
    finally:
        worker.close()
    assert not draws_apart(Program(source="import random\nrandom.seed(3)\n"))
    assert not draws_apart(Program(source="x = input()", stdin="a\n"))

"""A mixture is followed: shares, modes, splits, and the same documents for the same seed."""

from __future__ import annotations

import random
from contextlib import closing
from itertools import islice

import pytest

from worldline.codec.compact.parse import parse
from worldline.codec.compact.prompt import Compact, Prompt, parse_prompt
from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.data.document import Document
from worldline.data.mixture import MODES, TASKS, Mixture, Mode, Source, draw_documents, draw_queries, write_document
from worldline.programs.split import key, split
from worldline.recording.recorder import record

SMALL = Mixture(sources=(TASKS,))


def take(mixture: Mixture, count: int, **options: int) -> list[Document]:
    with closing(draw_documents(mixture, trust=True, **options)) as source:  # type: ignore[type-var]
        return list(islice(source, count))


def prompt_of(document: Document) -> Prompt:
    parsed = parse_prompt(document.prompt)
    assert isinstance(parsed, Prompt)
    return parsed


def is_whole(text: bytes) -> bool:
    """Whether a document is all of a trace, well formed."""
    parsed = parse(text)
    return parsed.malformed is None and parsed.ended


@pytest.mark.long(reason="records 240 documents")
def test_the_same_seed_gives_the_same_documents() -> None:
    first = take(SMALL, 60, seed=3)
    assert first == take(SMALL, 60, seed=3)
    assert first != take(SMALL, 60, seed=4)
    assert first != take(SMALL, 60, seed=3, worker=1, workers=2)


def test_every_document_is_whole_and_of_its_split() -> None:
    documents = take(SMALL, 150, seed=1)
    for document in documents:
        assert len(document) <= SMALL.max_bytes
        assert is_whole(document.prompt + document.steps)
        assert document.kind == "tasks"
    plain = [document for document in documents if not prompt_of(document).options.bare]
    assert plain
    for document in plain:
        assert split(prompt_of(document).program.source) == "train"
        assert key(prompt_of(document).program.source) == document.key


@pytest.mark.long(reason="writes 2,000 documents")
def test_every_mode_is_drawn() -> None:
    assert sum(mode.weight for mode in MODES) == pytest.approx(1)
    trace = record(
        Program(source="def f(n):\n    t = 0\n    for i in range(n):\n        t += i\n    return t\n", call="f(9)"),
        trust=True,
    )
    rng = random.Random(1)
    documents = [write_document(Mixture(), rng, trace, kind="other") for _ in range(2000)]
    seen = [prompt_of(document) for document in documents if document]
    modes = {(p.options.delta, p.options.reveal) for p in seen}
    assert modes == {("whole", n) for n in (0, 1, 2, 4, 8, 16, 32, 64)} | {("element", 1)}
    shifted = [p for p in seen if p.options.bare and not p.program.source.startswith("def")]
    assert 0.12 < len(shifted) / len(seen) < 0.18
    queried = [document for document in documents if document and b"?" in document.steps]
    assert 0.06 < len(queried) / len(documents) < 0.14
    assert all(is_whole(document.prompt + document.steps) for document in queried)


def test_questions_have_answers_in_every_mode() -> None:
    trace = record(
        Program(
            source="def g(a):\n    b = a\n    yield b\n    b += 1\n    yield b\ndef f(n):\n    return list(g(n))\n",
            call="f(9)",
        ),
        trust=True,
    )
    rng = random.Random(1)
    for reveal in (0, 1, 3):
        mixture = Mixture(modes=(Mode(weight=1, options=Compact(reveal=reveal), queries=4),), shift=0)
        for _ in range(50):
            documents = write_document(mixture, rng, trace, kind="other")
            assert documents is not None
            assert b"?" in documents.steps
            assert is_whole(documents.prompt + documents.steps)
    assert len({i for i, _ in draw_queries(trace, rng, 99)}) == len(draw_queries(trace, rng, 99)) > 5


def test_a_bad_mixture_says_why() -> None:
    with pytest.raises(UsageError, match="kind"):
        Source(kind="nowhere", program="a:b")
    with pytest.raises(UsageError, match="no source of programs"):
        take(Mixture(sources=(Source(kind="other", program="worldline.programs.tasks:nothing"),)), 1)
    with pytest.raises(UsageError, match="split"):
        Mixture(split="other")
    with pytest.raises(UsageError, match="at least one"):
        Mixture(sources=())


def test_a_mode_may_be_for_some_kinds_alone() -> None:
    sparse = Mode(weight=1e9, options=Compact(reveal=4), kinds=("tasks",))
    mixture = Mixture(sources=(TASKS,), modes=(Mode(weight=1.0), sparse), shift=0.0)
    trace = record(Program(source="def f():\n    return 1\n", call="f()"))
    documents = {kind: write_document(mixture, random.Random(0), trace, kind=kind) for kind in ("tasks", "generate")}
    assert {kind: document and document.prompt.startswith(b"# reveal=4") for kind, document in documents.items()} == {
        "tasks": True,
        "generate": False,
    }
    with pytest.raises(UsageError, match="no mode"):
        write_document(Mixture(sources=(TASKS,), modes=(sparse,)), random.Random(0), trace, kind="mine")

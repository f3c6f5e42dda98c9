"""A journal is read as it was written, by whom it was written, and nothing else is taken for one."""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline.core.errors import FormatError, UsageError
from worldline.core.program import Program
from worldline.plan.journal import HEAD, NAME, JournalEntry, append, read_journal
from worldline.plan.ledger import calibration_entries
from worldline.plan.question import read_question

texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=20)
programs = st.builds(
    Program, source=texts, name=st.just("a.py"), call=st.none() | texts, argv=st.tuples(texts), stdin=texts,
    files=st.lists(st.tuples(texts, texts), max_size=2).map(tuple),
)  # fmt: skip
entries = st.builds(
    JournalEntry, program=programs, question=st.sampled_from(["return", "line:3", "name:x@2"]).map(read_question),
    true=texts, imagined=st.none() | texts, probability=st.none() | st.floats(0, 1), why=texts, model=texts,
    score=st.none() | st.floats(-100, 0), told=st.integers(0, 9),
)  # fmt: skip
ONE = JournalEntry(program=Program(source="x"), question=read_question("return"), true="1")


@given(st.lists(entries, max_size=3), st.lists(entries, max_size=3))
def test_appended_entries_are_read(first: list[JournalEntry], second: list[JournalEntry]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "a" / "b"
        assert read_journal(place) == []
        append(place, first)
        append(place, second)
        assert read_journal(place) == first + second
        assert [one.ledger.digest for one in read_journal(place)] == [one.program.digest for one in first + second]


def test_a_torn_line_costs_no_other(tmp_path: Path) -> None:
    append(tmp_path, [ONE, ONE])
    whole = (tmp_path / NAME).read_bytes()
    (tmp_path / NAME).write_bytes(whole[:-20])
    assert read_journal(tmp_path) == [ONE]
    append(tmp_path, [ONE])
    assert read_journal(tmp_path) == [ONE, ONE]


def test_other_file_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / NAME).write_text("my diary\n")
    for act in (lambda: append(tmp_path, [ONE]), lambda: read_journal(tmp_path)):
        with pytest.raises(FormatError, match="not a journal"):
            act()
    assert (tmp_path / NAME).read_text() == "my diary\n"
    (tmp_path / NAME).unlink()
    append(tmp_path, [ONE])
    with (tmp_path / NAME).open("a") as file:
        file.write('{"question": "return"}\n')
    with pytest.raises(FormatError, match="line 3, is not a journal entry"):
        read_journal(tmp_path)


def test_file_is_refused_as_a_journal_folder(tmp_path: Path) -> None:
    (tmp_path / "diary").write_text("dear")
    for act in (lambda: append(tmp_path / "diary", [ONE]), lambda: read_journal(tmp_path / "diary")):
        with pytest.raises(UsageError, match="diary is a file: a journal is a folder"):
            act()
    assert (tmp_path / "diary").read_text() == "dear"


def test_a_line_of_before_true_steps_were_counted_was_imagined_whole(tmp_path: Path) -> None:
    line = '{"program": {"source": "x = 1"}, "question": "return", "true": "1", "imagined": "1", "score": -0.1}'
    (tmp_path / NAME).write_text(f"{json.dumps(HEAD)}\n{line}\n")
    (old,) = read_journal(tmp_path)
    behind = replace(old, told=2, program=Program(source="y = 1"))
    append(tmp_path, [behind])
    ledger = [one.ledger for one in read_journal(tmp_path)]
    assert calibration_entries(ledger, what="return", model="") == [old.ledger]
    assert calibration_entries(ledger, what="return", model="", stepped=True) == [behind.ledger]


@pytest.mark.parametrize("odd", ['"question": "zork"', '"question": "return", "score": NaN'])
def test_a_line_that_says_nonsense_is_named(tmp_path: Path, odd: str) -> None:
    line = '{"program": {"source": "x = 1"}, "true": "1", "imagined": "1", ' + odd + "}"
    (tmp_path / NAME).write_text(f"{json.dumps(HEAD)}\n{line}\n")
    with pytest.raises(FormatError, match=r"line 2, is not a journal entry"):
        read_journal(tmp_path)

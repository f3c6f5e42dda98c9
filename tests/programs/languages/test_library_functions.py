"""Functions over each language's own containers: seeded, distinct, complete in every language, and executed."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

import worldline
from worldline.core.errors import UsageError
from worldline.data.mixture import DOCUMENT_LIMITS
from worldline.programs.languages.library_functions import TARGETS, pieces, program

LIMITS = replace(DOCUMENT_LIMITS, wall=20.0, memory=1 << 30, processes=64, disk=64 << 20)
STARTS = ("loop", "test", "parameter", "before", "map", "tally", "list", "int", "string")


@pytest.mark.parametrize("language", TARGETS)
def test_same_seed_same_function_and_most_differ(language: str) -> None:
    make = program(language)
    drawn = [make(random.Random(seed)) for seed in range(300)]
    assert drawn == [make(random.Random(seed)) for seed in range(300)]
    assert len({item.source for item in drawn}) >= 280
    assert all(item.language == language for item in drawn)
    # Every hole is filled.
    assert not any(hole in item.source for item in drawn for hole in ("$", "#m", "#n ", "#w", " ;; "))


def test_languages_say_the_same_pieces() -> None:
    said = {language: {piece for target, piece in pieces() if target == language} for language in TARGETS}
    for language in TARGETS:
        assert {f"{start} {source}" for start in STARTS for source in ("nums", "text")} <= said[language]
        assert said[language] - {"class", "opening", "loop unread"} == said["js"]


def test_unknown_language_is_refused() -> None:
    with pytest.raises(UsageError, match="unknown language 'cobol'"):
        program("js,cobol")


@pytest.mark.parametrize("language", TARGETS)
def test_functions_are_recorded(language: str) -> None:
    make = program(language)
    traces = [worldline.record(make(random.Random(seed)), limits=LIMITS) for seed in range(4)]
    if any(trace.outcome.lacks_toolchain for trace in traces):
        pytest.skip(f"no toolchain of {language}")
    assert [trace.outcome.kind for trace in traces] == ["returned"] * 4
    assert all(len(trace) > 4 for trace in traces)

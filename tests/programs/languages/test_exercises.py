"""Exercises in each language's own manner: seeded, distinct, without empty holes, and executed."""

from __future__ import annotations

import random
import re
from dataclasses import replace

import pytest

import worldline
from worldline.core.errors import UsageError
from worldline.data.mixture import DOCUMENT_LIMITS
from worldline.programs.languages.exercises import exercises, fill_exercise, program
from worldline.programs.languages.library_functions import TARGETS

LIMITS = replace(DOCUMENT_LIMITS, wall=20.0, memory=1 << 30, processes=64, disk=64 << 20)


@pytest.mark.parametrize("language", TARGETS)
def test_same_seed_same_function_and_most_differ(language: str) -> None:
    make = program(language)
    drawn = [make(random.Random(seed)) for seed in range(300)]
    assert drawn == [make(random.Random(seed)) for seed in range(300)]
    assert len({item.source for item in drawn}) >= 270
    assert all(item.language == language for item in drawn)


@pytest.mark.parametrize("language", TARGETS)
def test_every_hole_is_filled(language: str) -> None:
    for number, exercise in enumerate(exercises(language)):
        for seed in range(10):
            filled = fill_exercise(language, exercise, random.Random(f"{number}/{seed}"))
            assert "@{" not in filled.source
            assert not re.search(r"\$(?:[a-z]\w*)", filled.source.replace("${", ""))
            assert not re.search(r"^\s*\? ", filled.source, re.MULTILINE)


def test_names_differ_within_a_function() -> None:
    text = ("$f($xs, $ys, $total, acc) nums", ())
    for seed in range(50):
        filled = fill_exercise("js", text, random.Random(seed)).source
        words = re.findall(r"\w+", filled)
        assert len(set(words)) == len(words), filled


def test_unknown_language_is_refused() -> None:
    with pytest.raises(UsageError, match="unknown language 'cobol'"):
        program("js,cobol")


@pytest.mark.parametrize("language", TARGETS)
def test_exercises_are_recorded(language: str) -> None:
    chosen = random.Random(7).sample(exercises(language), 4)
    traces = [
        worldline.record(fill_exercise(language, exercise, random.Random(1)), limits=LIMITS) for exercise in chosen
    ]
    if any(trace.outcome.lacks_toolchain for trace in traces):
        pytest.skip(f"no toolchain of {language}")
    assert {trace.outcome.kind for trace in traces} <= {"returned", "raised"}
    assert all(len(trace) > 1 for trace in traces)


@pytest.mark.long("each exercise of each language is compiled and executed")
@pytest.mark.parametrize("language", TARGETS)
def test_all_exercises_are_recorded(language: str) -> None:
    outcomes = []
    for number, exercise in enumerate(exercises(language)):
        trace = worldline.record(fill_exercise(language, exercise, random.Random(number)), limits=LIMITS)
        if trace.outcome.lacks_toolchain:
            pytest.skip(f"no toolchain of {language}")
        outcomes.append(trace.outcome.kind)
    # An exercise or two of each language fail on purpose for some arguments.
    assert outcomes.count("returned") >= len(outcomes) - 2

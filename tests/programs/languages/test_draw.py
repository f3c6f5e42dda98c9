"""Programs drawn in other languages: the same for a seed, and the same answer in every language that can say it."""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from random import Random

import pytest
from plain_runs import COMMANDS, as_number, in_python, is_here, printed

from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.evaluation import suites
from worldline.programs.languages import draw
from worldline.programs.languages.ordinary import composed, filled, ordinary, templates
from worldline.programs.languages.spelling import UntranslatableError
from worldline.programs.languages.translate import translated
from worldline.programs.split import program_key, split_of

SAMPLE = int(os.environ.get("WORLDLINE_SAMPLE", "3"))  # programs of each kind that every toolchain runs
TEXTS: dict[str, Callable[[Random], Program]] = {"ordinary": ordinary, "composed": composed, "task": draw.task_text}
LISTS_AND_MAPS = 12  # templates that C cannot say: they give lists back, or count in maps


@pytest.mark.parametrize("language", draw.TARGETS)
def test_the_same_seed_draws_the_same_bytes(language: str) -> None:
    for kind in (draw.ordinary, draw.state, draw.program):
        one, other = (kind(language)(Random(5)) for _ in range(2))
        assert one == other
        assert one.language == language


def test_all_languages_are_drawn_and_others_refused() -> None:
    every, rng = draw.program("all"), Random(1)
    assert {every(rng).language for _ in range(60)} == set(draw.TARGETS)
    several = draw.program("c,rust")
    assert {several(rng).language for _ in range(20)} == {"c", "rust"}
    with pytest.raises(UsageError, match="'cobol'"):
        draw.program("js,cobol")


@pytest.mark.parametrize("language", draw.TARGETS)
def test_nearly_every_template_can_be_said(language: str) -> None:
    silent = []
    for number, template in enumerate(templates()):
        try:
            translated(filled(template, Random(number)), language, Random(0))
        except UntranslatableError as why:
            silent.append(str(why))
    assert len(silent) <= (LISTS_AND_MAPS if language == "c" else 0), silent


def sayable(text: Callable[[Random], Program], seed: str) -> Program:
    """The first program of a seed that every language can say, as a script."""
    for number in range(1_000):
        program = as_number(text(Random(f"{seed}/{number}")))
        try:
            for language in draw.TARGETS:
                translated(program, language, Random(number))
        except UntranslatableError:
            continue
        return program
    raise AssertionError("nothing is sayable everywhere")


@pytest.mark.sampled(2)
@pytest.mark.parametrize("kind", TEXTS)
@pytest.mark.parametrize("number", range(SAMPLE))
def test_every_language_gives_the_answer_that_python_gives(kind: str, number: int, tmp_path: Path) -> None:
    program = sayable(TEXTS[kind], f"{kind} {number}")
    true = printed(in_python(program), tmp_path / "python")
    told = {
        language: printed(translated(program, language, Random(number)), tmp_path / language)
        for language in draw.TARGETS
        if language in COMMANDS and is_here(language)
    }
    assert true
    assert told == dict.fromkeys(told, true)


def test_the_suite_of_a_language_is_held_out() -> None:
    tasks = list(islice(suites.load("generated", language="rust").tasks, 5))
    assert {split_of(program_key(task.program)) for task in tasks} == {"test"}
    assert {task.group for task in tasks} == {"Rust"}
    assert len({program_key(task.program) for task in tasks}) == 5
    with pytest.raises(UsageError, match="works only with Python programs"):
        suites.load("generated", language="c", functions=2)

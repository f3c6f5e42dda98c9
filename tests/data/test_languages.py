"""Programs in other languages in a mixture: drawn by shares, split by their keys, like no benchmark's, recorded."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from worldline.core.errors import UsageError
from worldline.core.language import LANGUAGES, usual_name
from worldline.core.program import Program
from worldline.data.mine.near import Benchmark
from worldline.data.mixture import Mixture, Source, draw_documents, draw_programs
from worldline.data.recipe import load_config
from worldline.programs.split import program_key, split_of
from worldline.recording.languages import worker

GCD = """\
int greatest(int a, int b) {
    while (b != 0) {
        int t = a % b;
        a = b;
        b = t;
    }
    return a;
}
"""
SPOKEN = tuple(language for language in LANGUAGES if language != "python")


@pytest.mark.long(reason="draws 132 programs that fit a split")
def test_the_recipe_draws_every_language_and_keeps_its_split(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORLDLINE_LANGUAGES", ",".join(SPOKEN))
    mixture = load_config("languages", "data", Mixture)
    programs = list(islice(draw_programs(replace(mixture, split="valid"), Random(0)), 12))
    assert {split_of(hashed) for _, _, hashed in programs} == {"valid"}
    every = Counter(program.language for _, program, _ in islice(draw_programs(mixture, Random(1)), 120))
    assert set(every) == set(SPOKEN)
    assert min(every.values()) >= 5


def test_a_language_without_its_toolchain_is_not_drawn_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "find", lambda language: f"toolchain: no compiler of {language}")
    source = Source(kind="tasks", program="worldline.programs.languages.draw:state", argument="rust")
    with pytest.raises(UsageError, match="toolchain: no compiler of rust"):
        next(iter(draw_documents(Mixture(sources=(source,), split="all"), seed=0)))


def test_the_label_of_a_source_says_its_language() -> None:
    source = Source(kind="tasks", program="worldline.programs.languages.draw:state", argument="rust")
    assert source.label == "source draw state rust"


def test_a_renamed_copy_of_a_benchmarks_function_is_found_in_a_language_of_braces() -> None:
    benchmark = Benchmark.of([GCD])
    copy = re.sub(r"\b(greatest|a|b|t)\b", r"\1\1", GCD)
    likeness = benchmark.like(f"#include <stdio.h>\n{copy}")
    assert likeness is not None
    assert (likeness.other, likeness.why) == ("greatest", "same")
    other = "int f(int n) { int s = 0; for (int i = 0; i < n; i++) { if (i % 3 == 1) { s += i * n; } } return s; }"
    assert benchmark.like(other) is None


def test_what_is_like_a_benchmark_is_not_drawn(tmp_path: Path) -> None:
    path = tmp_path / "bench.jsonl"
    path.write_text(json.dumps({"prompt": "", "declaration": "", "canonical_solution": GCD}) + "\n")
    source = Source(kind="generate", program="worldline.programs.languages.draw:ordinary", argument="c")
    benchmark = Benchmark.read([path])
    free, held = (Mixture(sources=(source,), split="all", leave_out=out) for out in ((), (str(path),)))
    assert any(benchmark.like(program.source) for _, program, _ in islice(draw_programs(free, Random(2)), 600))
    assert not any(benchmark.like(program.source) for _, program, _ in islice(draw_programs(held, Random(2)), 600))


@pytest.mark.parametrize("language", SPOKEN)
def test_the_recipe_makes_documents_of_every_language(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A source whose programs never end well is passed over in silence: a recipe's limits must let a JVM start."""
    monkeypatch.setenv("WORLDLINE_LANGUAGES", language)
    mixture = load_config("languages", "data", Mixture)
    own = tuple(source for source in mixture.sources if source.argument == language)
    documents = list(islice(draw_documents(replace(mixture, sources=own), seed=3), 2))
    assert all(f"lang={language}".encode() in program.prompt.split(b"\n")[0] for program in documents)
    assert all(program.steps.endswith(b".\n") for program in documents)


@pytest.mark.parametrize("language", SPOKEN)
def test_a_program_that_cannot_be_read_as_python_has_a_key(language: str) -> None:
    assert len(program_key(Program(source="???", name=usual_name(language)))) == 64

"""What the generator writes in Go: its compiler refuses names that nobody reads, and unused imports."""

from __future__ import annotations

import contextlib
import io
import shutil
import subprocess
from pathlib import Path
from random import Random

import pytest
from plain_runs import as_number, in_python

from worldline.core.program import Program
from worldline.programs.languages import draw
from worldline.programs.languages.library_functions import program
from worldline.programs.languages.ordinary import composed, filled, templates
from worldline.programs.languages.spelling import UntranslatableError
from worldline.programs.languages.translate import translated

HAS_GO = pytest.mark.skipif(shutil.which("go") is None, reason="needs go")
MODULE = "module drawn\n\ngo 1.19\n"
SAMPLE = 40


def written(source: str, call: str | None = "f(3)") -> str:
    """The text of a small program in Go."""
    return translated(Program(source=source, call=call), "go", Random(1)).source


def test_a_name_that_nobody_reads_is_marked() -> None:
    text = written("def f(n):\n    a = 1\n    b = 2\n    b += n\n    if n > 2:\n        c = n\n    return n\n")
    assert "_ = a\n" in text
    assert "\t\t_ = c\n" in text
    assert "_ = b" not in text


@pytest.mark.parametrize(("iterated", "call"), [("xs", "f([1, 2])"), ("text", "f('ab')")])
def test_a_loop_that_only_counts_has_no_name(iterated: str, call: str) -> None:
    text = written(f"def f({iterated}):\n    n = 0\n    for x in {iterated}:\n        n += 2\n    return n\n", call)
    assert f"for range {iterated} {{\n" in text


def test_keys_are_looked_up_in_the_head_of_a_branch() -> None:
    source = (
        "def f(text):\n    counts = {}\n    ok = 0\n    for c in text:\n        if c in counts:\n            ok += 1\n"
        "        elif c not in counts:\n            counts[c] = 1\n    return ok\n"
    )
    text = written(source, "f('abca')")
    assert "if _, exists := counts[c]; exists {" in text
    assert "} else if _, exists := counts[c]; !exists {" in text


def test_letters_are_texts_where_they_are_joined_or_printed() -> None:
    text = written("text = 'ab'\nword = 'xy'\nfor c in text:\n    word += c\n    print(c)\n", None)
    assert "word += string(c)" in text
    assert "string(c))" in text


def test_an_import_stands_only_where_it_is_used() -> None:
    for seed in range(200):
        source = program("go")(Random(seed)).source
        for package in ("sort", "strings", "unicode", "fmt"):
            assert (f'import "{package}"' in source) == (f"{package}." in source), source


def drawn() -> list[Program]:
    """Every template, and some composed programs and tasks, as Python scripts."""
    found = [filled(template, Random(number)) for number, template in enumerate(templates())]
    found += [make(Random(number)) for make in (composed, draw.task_text) for number in range(SAMPLE)]
    return [as_number(one) for one in found]


def printed_here(script: Program) -> list[str]:
    """The words that a drawn script prints in this interpreter; truth values as 0 and 1."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(in_python(script).source, "drawn", "exec"), {"__name__": __name__})
    return [{"True": "1", "False": "0"}.get(word, word) for word in out.getvalue().split()]


@pytest.mark.long
@HAS_GO
def test_go_prints_what_python_prints(tmp_path: Path) -> None:
    """One build links all of them: the compiler starts once."""
    pairs = {}
    for number, script in enumerate(drawn()):
        try:
            said = translated(script, "go", Random(number))
        except UntranslatableError:
            continue
        pairs[f"p{number}"] = script
        folder = tmp_path / f"p{number}"
        folder.mkdir()
        (folder / said.name).write_text(said.source)
    (tmp_path / "go.mod").write_text(MODULE)
    (tmp_path / "bin").mkdir()
    build = ["go", "build", "-ldflags=-s -w", "-o", "bin/", "./..."]
    done = subprocess.run(build, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert len(pairs) > 120
    for name, script in pairs.items():
        words = subprocess.check_output([tmp_path / "bin" / name], text=True).split()
        told = [{"true": "1", "false": "0"}.get(word, word) for word in words]
        assert told == printed_here(script), script.source


@pytest.mark.long
@HAS_GO
def test_library_functions_compile(tmp_path: Path) -> None:
    (tmp_path / "go.mod").write_text(MODULE)
    for seed in range(60):
        folder = tmp_path / f"p{seed}"
        folder.mkdir()
        (folder / "main.go").write_text(program("go")(Random(seed)).source + "\nfunc main() {}\n")
    done = subprocess.run(["go", "vet", "-atomic", "./..."], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr

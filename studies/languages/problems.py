"""Whole programs of a language with their tests: HumanEval-X's own, and for C, which it has not, the generator's.

TypeScript's are JavaScript's with types on what they name. Rust's tests are called from a `main`, and imports of crates
that a program has no use for are left out. Go's tests are called from a `main`, with a checker of our own in place of a
library's, which prints each value. C's are ordinary programs and tasks that print their answer.
"""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

from worldline.core.language import usual_name
from worldline.core.program import Program
from worldline.evaluation.rows import read_rows
from worldline.evaluation.suites.languages.humaneval_x import file_of, with_package, without_crates
from worldline.programs.languages.draw import draw_translated, ordinary_text, task_text
from worldline.programs.languages.translate import as_script

LANGUAGES = ("java", "rust", "cpp", "c", "go", "ts", "js")
DRAWN = 164
TASKS = 0.25  # of C's programs, those that track a state
KEYS = ("task_id", "prompt", "declaration", "canonical_solution", "test")
_ARROW = re.compile(r"^const (\w+) = \(([\w, ]*)\) => \{", re.MULTILINE)
_LET = re.compile(r"^(\s+let \w+) = ", re.MULTILINE)
_GO_TEST = re.compile(r"^func (Test\w+)\(t \*testing\.T\)", re.MULTILINE)
_GO_CHECKER = """
type checker struct{}

func (c checker) Equal(wanted, got interface{}, words ...interface{}) {
	fmt.Printf("%v %v\\n", got, reflect.DeepEqual(wanted, got))
}
"""
_TEST = re.compile(r"#\[test\](\s+)(?:pub )?fn (\w+)")


def problems(data: Path, language: str) -> dict[str, Program]:
    """Every program of a language by its name."""
    if language == "c":
        return {f"C/{seed}": drawn(seed) for seed in range(DRAWN)}
    rows = read_rows(file_of(data, "js" if language == "ts" else language), KEYS)
    name = "Main.java" if language == "java" else usual_name(language)
    sources = {str(row["task_id"]).replace("JavaScript", language.upper()): row for row in rows}
    return {task: Program(source=_source(row, language), name=name) for task, row in sources.items()}


def drawn(seed: int) -> Program:
    """One of the generator's programs in C, printing its answer."""

    def script(rng: Random) -> Program:
        return as_script(task_text(rng) if rng.random() < TASKS else ordinary_text(rng))

    return draw_translated(script, "c", Random(f"plain c {seed}"))


def _source(row: dict[str, str], language: str) -> str:
    if language == "rust":
        return _with_main(row["prompt"] + row["declaration"] + row["canonical_solution"] + row["test"])
    if language == "go":
        return _with_checker(row)
    source = row["prompt"] + row["canonical_solution"] + "\n" + row["test"]
    return typed(source) if language == "ts" else source


def typed(source: str) -> str:
    """JavaScript with types: parameters and results of the functions that are named, and their variables."""

    def head(found: re.Match[str]) -> str:
        params = [f"{name.strip()}: any" for name in found[2].split(",") if name.strip()]
        return f"const {found[1]} = ({', '.join(params)}): any => {{"

    return _LET.sub(r"\1: any = ", _ARROW.sub(head, source))


def _with_checker(row: dict[str, str]) -> str:
    tests = _GO_TEST.findall(row["test"])
    # Some tests draw their inputs by the time, and two runs have to draw the same.
    drawn_alike = row["test"].replace("time.Now().UnixNano()", "42").replace("assert.New(t)", "checker{}")
    checked = _GO_TEST.sub(r"func \1()", drawn_alike)
    calls = "".join(f"\t{name}()\n" for name in tests)
    whole = f"{row['canonical_solution']}{_GO_CHECKER}\n{checked.strip()}\n\nfunc main() {{\n{calls}}}\n"
    return with_package({**row, "canonical_solution": whole})


def _with_main(source: str) -> str:
    tests = [found[2] for found in _TEST.finditer(source)]
    open_ = _TEST.sub(r"\1pub fn \2", source.replace("#[cfg(test)]", ""))
    calls = "".join(f"    tests::{name}();\n" for name in tests)
    return without_crates(f"{open_.rstrip()}\n\nfn main() {{\n{calls}}}\n")

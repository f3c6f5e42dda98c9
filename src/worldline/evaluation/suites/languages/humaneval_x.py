"""The humaneval-x suite: HumanEval-X's solutions in other languages, on the inputs of their tests.

The data is a folder of `js.jsonl.gz` and so on, or one file. A task is a call in the tests with literal arguments. The
program has no comments with examples and their answers: the benchmark's `declaration` omits them. Problems whose
tests draw or compute all inputs have no task.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random

from worldline.codec.compact.prompt import Compact
from worldline.core.errors import UsageError
from worldline.core.language import LANGUAGES, usual_name
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.evaluation.rows import read_rows
from worldline.evaluation.suites.crux import ended
from worldline.evaluation.suites.languages.calls import calls as calls_in
from worldline.evaluation.suites.languages.calls import functions, parameter_types
from worldline.evaluation.suites.suite import Suite, Task

KEYS = ("task_id", "declaration", "canonical_solution", "test")
OTHER_KEYS = {"go": ("prompt",)}
CALLS, STEPS = 3, 10_000  # as in humaneval
BENCHMARK_LANGUAGES = ("js", "java", "cpp", "rust", "go")
NAMES = (
    "{0}.jsonl.gz",
    "{0}.jsonl",
    "humaneval_{0}.jsonl.gz",
    "{0}/data/humaneval_{0}.jsonl.gz",
    "{0}/data/humaneval.jsonl",
)
CRATES = {  # that rustc does not include
    "rand": ("rand::", "Rng", "gen_range"),
    "regex": ("Regex",),
    "md5": ("md5::",),
}
# The packages that the benchmark imports for a solution that names them.
GO_PACKAGES = "bytes crypto/md5 fmt math math/rand reflect regexp sort strconv strings time"
_GO_COMMENT = re.compile(r"^//[^\n]*\n", re.MULTILINE)
_GO_PACKAGE = re.compile(r"^package[ \t]+\w+[^\n]*\n", re.MULTILINE)
_GO_PATH = re.compile(r'"([^"\n]+)"')
_GO_IMPORTS = re.compile(r"^import (?:\([^)]*\)|[^\n]*)\n", re.MULTILINE)


@dataclass(frozen=True)
class Solution:
    """One row of the benchmark: a solution, and the calls of its tests with literal arguments."""

    name: str
    language: str
    source: str
    calls: tuple[str, ...]

    def program(self, call: str) -> Program:
        """Return the solution with one call."""
        return Program(source=self.source, name=usual_name(self.language), call=call)


def problems(data: str | Path, language: str) -> list[Solution]:
    """Read the benchmark's rows of one language."""
    keys = (*KEYS, *OTHER_KEYS.get(language, ()))
    return [_solution(row, language) for row in read_rows(file_of(Path(data), language), keys)]


def load(
    *,
    data: str | Path,
    language: str = "",
    seed: int = 0,
    calls: int = CALLS,
    steps: int = STEPS,
    reveal: int = 1,
    delta: str = "whole",
) -> Suite:
    """Load at most `calls` calls (0: all) of each problem in a language, shuffled by the seed."""
    if language not in BENCHMARK_LANGUAGES:
        known = ", ".join(BENCHMARK_LANGUAGES)
        raise UsageError(f"humaneval-x needs --language, one of {known}, not {language or 'none'}")
    if calls < 0:
        raise UsageError(f"calls is 1 or more, or 0 for all, not {calls}")
    rng = Random(f"bench humaneval-x {seed}")
    chosen = problems(data, language)
    rng.shuffle(chosen)
    options = Compact(reveal=reveal, delta=delta)
    return Suite(name="humaneval-x", tasks=_tasks(chosen, calls, options, rng), limits=Limits(steps=steps))


def _tasks(chosen: list[Solution], max_calls: int, options: Compact, rng: Random) -> Iterator[Task]:
    for solution in chosen:
        calls = solution.calls
        for call in rng.sample(calls, min(max_calls, len(calls))) if max_calls else calls:
            program = solution.program(call)
            yield Task(
                program=program,
                options=options,
                name=f"{solution.name} {call}",
                group=LANGUAGES[solution.language].title,
            )


def file_of(data: Path, language: str) -> Path:
    """Find the benchmark's file of a language."""
    if not data.is_dir():
        return data
    for name in NAMES:
        if (path := data / name.format(language)).is_file():
            return path
    raise UsageError(f"{data} has no {NAMES[0].format(language)} of HumanEval-X")


def without_crates(source: str) -> str:
    """Remove the imports of unused crates: every row of Rust has all of them."""
    for crate, signs in CRATES.items():
        line = re.compile(rf"^use {crate}\b[^\n]*;[ \t]*\n", re.MULTILINE)
        rest = line.sub("", source)
        source = source if any(sign in rest for sign in signs) else rest
    return source


def with_package(row: Mapping[str, str]) -> str:
    """Return the source of a row of Go: its package, the imports that it uses, and its prompt without comments.

    The declaration lacks the helpers of the prompt. A row imports what only its tests use, which the compiler refuses,
    and some rows lack an import.
    """
    return go_file(_GO_COMMENT.sub("", row["prompt"]) + row["canonical_solution"])


def go_file(source: str) -> str:
    """Return Go source as a file of the package `main` that imports what it uses and nothing else."""
    listed = [path for block in _GO_IMPORTS.findall(source) for path in _GO_PATH.findall(block)]
    body = _GO_IMPORTS.sub("", _GO_PACKAGE.sub("", source)).strip("\n") + "\n"
    known = sorted({*listed, *GO_PACKAGES.split()})
    used = [path for path in known if re.search(rf"(?<![\w.]){path.rpartition('/')[2]}\.", body)]
    imports = "".join(f'import "{path}"\n' for path in used)
    return "\n".join(part for part in ("package main\n", imports, body) if part)


_CLEANED = {"rust": without_crates}
_WHOLE = {"go": with_package}


def _solution(row: dict[str, str], language: str) -> Solution:
    whole = _WHOLE.get(language)
    source = whole(row) if whole else row["declaration"].lstrip("\n") + row["canonical_solution"]
    source = ended(_CLEANED.get(language, str)(source).rstrip() + "\n")
    for entry in reversed(functions(row["declaration"], language)):
        if calls := calls_in(row["test"], entry, language, types=parameter_types(source, entry, language)):
            return Solution(row["task_id"], language, source, tuple(calls))
    return Solution(row["task_id"], language, source, ())

"""Find functions that resemble a benchmark's: renamed, reformatted or slightly changed. They are excluded.

Definitions are compared by shingles of five tokens of their normal form (`programs.split`), own names
erased. Two are similar if they share over half of their shingles, or if nearly all of a benchmark's are
in the other. A shared compound name is enough. Different code for the same task is not found.
"""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from worldline.core.errors import FormatError, UsageError
from worldline.programs.languages import tokens as foreign
from worldline.programs.split import normal
from worldline.storage.inputs import read_input, unpack

SHINGLE_TOKENS = 5
# Share of the shingles of both.
MIN_SHARED = 0.5
# Share of a benchmark's shingles inside a larger function that has at least MIN_SHINGLES.
MIN_CONTAINED = 0.75
MIN_SHINGLES = 12
_TOKEN = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|[^\s()\[\]]+")
_COMPOUND_NAME = re.compile(r"[^_]_[^_]|[a-z][A-Z]")


@dataclass(frozen=True)
class Likeness:
    """What a function resembles: the benchmark's function, the share of common shingles, and the reason."""

    other: str
    share: float
    why: str


@dataclass
class Benchmark:
    """Functions of benchmarks, indexed by their shingles."""

    runs: list[frozenset[str]] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    # Compound names.
    telling: set[str] = field(default_factory=set)
    _holding: dict[str, list[int]] = field(default_factory=dict)

    @classmethod
    def of(cls, programs: Iterable[str]) -> Benchmark:
        """Index the functions of programs."""
        benchmark = cls()
        for source in programs:
            for name, runs in _list_definitions(source):
                benchmark.names.append(name)
                benchmark.runs.append(runs)
                for run in runs:
                    benchmark._holding.setdefault(run, []).append(len(benchmark.runs) - 1)
        benchmark.telling = {name for name in benchmark.names if _COMPOUND_NAME.search(name)}
        return benchmark

    @classmethod
    def read(cls, paths: Iterable[str | Path]) -> Benchmark:
        """Index the functions of benchmark files, and names in `.txt` files, one per line."""
        files = [Path(path) for path in paths]
        benchmark = cls.of(source for path in files if path.suffix != ".txt" for source in read_programs(path))
        for path in files:
            if path.suffix == ".txt":
                benchmark.telling.update(read_input(path).decode("utf-8").split())
        return benchmark

    def like(self, source: str) -> Likeness | None:
        """Return what a definition of this source resembles, if anything."""
        for name, runs in _list_definitions(source):
            if name in self.telling:
                return Likeness(name, 1.0, "name")
            common = Counter(number for run in runs for number in self._holding.get(run, ()))
            for number, count in common.most_common(8):
                theirs = len(self.runs[number])
                share = count / (len(runs) + theirs - count)
                if share >= MIN_SHARED:
                    return Likeness(self.names[number], share, "same")
                if theirs >= MIN_SHINGLES and count / theirs >= MIN_CONTAINED:
                    return Likeness(self.names[number], count / theirs, "within")
        return None


def _list_definitions(source: str) -> list[tuple[str, frozenset[str]]]:
    """Each function of a source, methods included, with its shingles."""
    try:
        tree = ast.parse(source)
        functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
        return [(node.name, _source_shingles(ast.unparse(node))) for node in functions]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return [
            (name, _shingles(foreign.normal(text, erased=True).split())) for name, text in foreign.definitions(source)
        ]


def _source_shingles(source: str) -> frozenset[str]:
    return _shingles(["$" if token.startswith("$") else token for token in _TOKEN.findall(normal(source))])


def _shingles(tokens: list[str]) -> frozenset[str]:
    return frozenset(
        " ".join(tokens[at : at + SHINGLE_TOKENS]) for at in range(max(1, len(tokens) - SHINGLE_TOKENS + 1))
    )


def read_programs(path: str | Path) -> list[str]:
    """Read a benchmark's programs: JSON lines, optionally gzipped, with `code` or `prompt` and solution.

    Raises:
        UsageError: The file cannot be read.
        FormatError: It holds something else.
    """
    path = Path(path)
    try:
        packed = read_input(path)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None
    try:
        data = unpack(packed)
        return [_benchmark_program(json.loads(line)) for line in data.splitlines() if line.strip()]
    except (OSError, ValueError, KeyError, TypeError, EOFError) as error:
        raise FormatError(
            f"{path}: not JSON lines with `code`, or `prompt` and `canonical_solution`: {error!r}"
        ) from None


def _benchmark_program(row: dict[str, str]) -> str:
    if "code" in row:
        return row["code"]
    # HumanEval-X has both.
    return row.get("declaration", row["prompt"]) + row["canonical_solution"]

"""Whether a function is one of a benchmark's, renamed, reformatted or slightly changed: those are not learned from.

Each definition is compared by the runs of five tokens of its normal form (`programs.split`), own names erased. Two are
near when they share more than half of their runs, or when a benchmark's are nearly all inside the other's. A name of
several words that a benchmark has is enough by itself. What does the same in other words is not found. A source that
is not Python is compared by the tokens of `programs.languages.tokens`.
"""

from __future__ import annotations

import ast
import gzip
import json
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from worldline.core.errors import FormatError
from worldline.programs.languages import tokens as foreign
from worldline.programs.split import normal

RUN = 5  # tokens
SAME = 0.5  # of the runs of both
WITHIN = 0.75  # of a benchmark's runs, inside a larger function
LEAST = 12  # runs that a benchmark's function has for that
_TOKEN = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|[^\s()\[\]]+")
_SEVERAL = re.compile(r"[^_]_[^_]|[a-z][A-Z]")  # words in a name


@dataclass(frozen=True)
class Likeness:
    """What a function is too like: the benchmark's function, the share of common runs, and why that is too much."""

    other: str
    share: float
    why: str


@dataclass
class Benchmark:
    """The functions of benchmarks, found by the runs they have."""

    runs: list[frozenset[str]] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    telling: set[str] = field(default_factory=set)  # names of several words
    _holding: dict[str, list[int]] = field(default_factory=dict)

    @classmethod
    def of(cls, programs: Iterable[str]) -> Benchmark:
        """The functions of these programs."""
        made = cls()
        for source in programs:
            for name, runs in _definitions(source):
                made.names.append(name)
                made.runs.append(runs)
                for run in runs:
                    made._holding.setdefault(run, []).append(len(made.runs) - 1)
        made.telling = {name for name in made.names if _SEVERAL.search(name)}
        return made

    @classmethod
    def read(cls, paths: Iterable[str | Path]) -> Benchmark:
        """The functions of benchmarks' files, and the names in files that end in `.txt`, one a line."""
        several = [Path(path) for path in paths]
        made = cls.of(source for path in several if path.suffix != ".txt" for source in read_programs(path))
        for path in several:
            if path.suffix == ".txt":
                made.telling.update(path.read_text("utf-8").split())
        return made

    def like(self, source: str) -> Likeness | None:
        """What a definition of this source is too like, if anything."""
        for name, runs in _definitions(source):
            if name in self.telling:
                return Likeness(name, 1.0, "name")
            common = Counter(number for run in runs for number in self._holding.get(run, ()))
            for number, count in common.most_common(8):
                theirs = len(self.runs[number])
                share = count / (len(runs) + theirs - count)
                if share >= SAME:
                    return Likeness(self.names[number], share, "same")
                if theirs >= LEAST and count / theirs >= WITHIN:
                    return Likeness(self.names[number], count / theirs, "within")
        return None


def _definitions(source: str) -> list[tuple[str, frozenset[str]]]:
    """Each function of a source, methods too, with its runs."""
    try:
        tree = ast.parse(source)
        functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
        return [(node.name, _runs(ast.unparse(node))) for node in functions]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return [
            (name, _runs_of(foreign.normal(text, erased=True).split()))
            for name, text in foreign.definitions(source)
        ]


def _runs(source: str) -> frozenset[str]:
    return _runs_of(["$" if token.startswith("$") else token for token in _TOKEN.findall(normal(source))])


def _runs_of(tokens: list[str]) -> frozenset[str]:
    return frozenset(" ".join(tokens[at : at + RUN]) for at in range(max(1, len(tokens) - RUN + 1)))


def read_programs(path: str | Path) -> list[str]:
    """The programs of a benchmark's file: JSON lines, perhaps gzipped, with `code`, or `prompt` and its solution."""
    path = Path(path)
    try:
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        return [_program(json.loads(line)) for line in data.splitlines() if line.strip()]
    except (OSError, ValueError, KeyError, TypeError, EOFError) as error:
        raise FormatError(
            f"{path}: no JSON lines with `code`, or `prompt` and `canonical_solution`: {error!r}"
        ) from None


def _program(row: dict[str, str]) -> str:
    if "code" in row:
        return row["code"]
    return row.get("declaration", row["prompt"]) + row["canonical_solution"]  # HumanEval-X says both

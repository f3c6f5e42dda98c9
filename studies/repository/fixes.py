"""Bug-fix commits of well-known repositories: where a fixed test first diverges, and whether the fix is there.

`python studies/repository/fixes.py --clones DIR --out fixes.jsonl` compares each commit of `fixes.txt` with its parent.
DIR has one clone with history per repository, by name. With `--find NAME`, it tries the latest fixes of one repository
instead and prints those that have a test that fails before and passes after.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from worldline.core.errors import UsageError, WorldlineError
from worldline.core.repository.source_change import SourceChange
from worldline.diagnose.revisions.sentences import what_differs
from worldline.diagnose.revisions.source_map import function_spans
from worldline.evaluation.revisions import RevisionComparison, compare_revisions
from worldline.recording.repository.budget import TestBudget
from worldline.recording.repository.revision import is_test_path, source_change

COMMITS = Path(__file__).with_name("fixes.txt")
BUDGET = TestBudget(steps=20_000, total_seconds=240.0)


def git(repository: Path, *arguments: str) -> str:
    """Execute git and return what it prints."""
    return subprocess.run(["git", "-C", str(repository), *arguments], check=True, capture_output=True, text=True).stdout


def listed() -> Iterator[tuple[str, str]]:
    """Yield the repository and commit of each line of the list."""
    for line in COMMITS.read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            name, commit = line.split()[:2]
            yield name, commit


def candidates(clone: Path, limit: int) -> Iterator[str]:
    """Yield the latest commits whose message says fix and that change sources and tests, a few lines of them."""
    log = git(clone, "log", "--no-merges", "-i", "--grep=fix", "--format=%x00%H", "--numstat", f"-{limit}")
    for entry in log.split("\0")[1:]:
        commit, _, stat = entry.partition("\n")
        rows = [row.split("\t") for row in stat.strip().splitlines()]
        python = [row for row in rows if len(row) == 3 and row[2].endswith(".py") and row[0] != "-"]
        sources = [int(row[0]) + int(row[1]) for row in python if not is_test_path(row[2])]
        tests = [row for row in python if is_test_path(row[2]) and int(row[0]) > 2]
        if tests and sources and sum(sources) <= 60:
            yield commit


def changed_tests(change: SourceChange) -> list[str]:
    """Return the ids of the tests that a change added or changed; parametrised ones without their parameters."""
    found = list[str]()
    for file in change.files:
        for span in function_spans(file.after) if file.is_test and file.path else ():
            is_test = span.name.rpartition(".")[2].startswith("test") and "<locals>" not in span.name
            if is_test and not file.lines.changed_after.isdisjoint(range(span.first, span.last + 1)):
                found.append(f"{file.path}::{span.name.replace('.', '::')}")
    return found


def compare(clone: Path, commit: str) -> tuple[RevisionComparison, float]:
    """Compare a commit with its parent, by the tests that it added or changed."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / clone.name
        subprocess.run(["git", "clone", "-q", "--shared", "--no-checkout", str(clone), str(tree)], check=True)
        git(tree, "checkout", "-q", "--detach", commit)
        change = source_change(tree, "HEAD~1")
        tests = changed_tests(change)
        if not tests:
            raise UsageError("it changes no test function")
        began = time.perf_counter()
        return compare_revisions(tree, "HEAD~1", args=tests, budget=BUDGET), time.perf_counter() - began


def row_of(name: str, commit: str, comparison: RevisionComparison, seconds: float) -> dict[str, Any]:
    """What the study reports about one commit: its first fixed test."""
    row: dict[str, Any] = {"repository": name, "commit": commit, "seconds": round(seconds, 1)}
    row |= {"affected": len(comparison.tests), "fixed": len(comparison.fixed), "broken": len(comparison.broken)}
    row["differs"] = sum(test.diverges for test in comparison.tests)
    test = next((test for test in comparison.fixed if test.diff and test.diff.first), None)
    if test is not None and test.diff is not None and test.diff.first is not None:
        first = test.diff.first
        row |= {"test": test.test.id, "kind": first.kind, "location": first.location, "what": what_differs(first)}
        row |= {"imported": test.diff.imported, "reached": [str(place) for place in test.diff.reached]}
        row |= {"steps": test.diff.steps, "step": first.place.step, "after_change": test.diff.steps_after_change}
        row["locations"] = [t.diff.first.location for t in comparison.fixed if t.diff and t.diff.first]
    return row


def main() -> None:
    """Compare each commit, and print one row per commit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clones", type=Path, required=True)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--find", metavar="NAME")
    parser.add_argument("--limit", type=int, default=120, help="commits to look at with --find")
    parser.add_argument("--wanted", type=int, default=2, help="fixes to find with --find")
    options = parser.parse_args()
    commits = listed() if not options.find else ((options.find, c) for c in candidates(
        options.clones / options.find, options.limit
    ))  # fmt: skip
    found = 0
    for name, commit in commits:
        try:
            row = row_of(name, commit, *compare(options.clones / name, commit))
        except (WorldlineError, subprocess.CalledProcessError) as error:
            row = {"repository": name, "commit": commit, "error": str(error)[:200]}
        print(json.dumps(row), flush=True)
        if options.out is not None:
            with options.out.open("a", encoding="utf-8") as out:
                out.write(json.dumps(row) + "\n")
        found += "test" in row
        if options.find and found >= options.wanted:
            break


if __name__ == "__main__":
    main()

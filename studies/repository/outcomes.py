"""Whether tests end as they do without the recorder: `python studies/repository/outcomes.py --repositories DIR -o OUT`.

DIR has clones of the repositories that are named, or of all in repositories.txt. Each repository's tests are executed
in the sandbox without and with the recorder. A test that ends differently is executed once more in both ways: if it
then ends otherwise, it is flaky. Writes one JSON file per repository into OUT, skips those that are there, and prints
a table of all of them.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from worldline.core.stats import wilson
from worldline.recording.repository.budget import TestBudget
from worldline.recording.repository.calls import CallPaths, calls_of
from worldline.recording.repository.record import record_tests

LISTED = Path(__file__).with_name("repositories.txt")
CALLS_PER_FUNCTION = 10


def arguments_of(name: str) -> list[str]:
    """The arguments for pytest of a listed repository: what follows its name on its line."""
    for line in LISTED.read_text().splitlines():
        words = line.split()
        if words and words[0] == name:
            return words[1:]
    return []


def listed() -> list[str]:
    """The names in repositories.txt."""
    return [line.split()[0] for line in LISTED.read_text().splitlines() if line.strip() and not line.startswith("#")]


def measure(repository: Path, budget: TestBudget) -> dict[str, Any]:
    """Record the tests of one repository and count."""
    recording = record_tests(
        repository,
        args=arguments_of(repository.name),
        budget=budget,
        say=lambda text: print(" ", text, file=sys.stderr),
    )
    outcomes: Counter[str] = Counter()
    steps = traced = cut = calls = 0
    paths, differing = CallPaths(CALLS_PER_FUNCTION), []
    for test in recording.tests():
        outcomes[test.outcome] += 1
        if test.plain != test.outcome:
            differing.append([test.id, test.plain, test.outcome, "flaky" in test.notes, test.message[-2000:]])
        if test.trace is not None:
            traced += 1
            steps += len(test.trace.columns)
            cut += test.trace.outcome.kind == "limit"
            calls += sum(1 for _ in calls_of(test, paths))
    return {
        "name": recording.instance.name,
        "revision": recording.instance.revision,
        "licence": recording.instance.licence,
        "tests": len(recording),
        "outcomes": dict(outcomes),
        "differing": differing,
        "steps": steps,
        "traced": traced,
        "cut": cut,
        "functions": paths.functions,
        "calls": calls,
        "seconds": recording.seconds,
        "plain_seconds": recording.plain_seconds,
        "notes": list(recording.notes),
    }


def print_table(rows: list[dict[str, Any]]) -> None:
    """Print one row per repository and the sum."""
    print("| repository | tests | passed | same outcome | flaky | steps | functions | calls | slow-down |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    for row in rows:
        flaky = sum(1 for item in row["differing"] if item[3])
        same = row["tests"] - len(row["differing"])
        ratio = row["seconds"] / max(row["plain_seconds"], 1e-9)
        print(
            f"| {row['name']} {row['revision'][:7]} | {row['tests']:,} | {row['outcomes'].get('passed', 0):,} "
            f"| {same:,} | {flaky} | {row['steps']:,} | {row['functions']:,} | {row['calls']:,} | {ratio:.1f} |"
        )
    tests = sum(row["tests"] for row in rows)
    unexplained = sum(1 for row in rows for item in row["differing"] if not item[3])
    low, high = wilson(tests - unexplained, tests)
    print(f"\n{len(rows)} repositories, {tests:,} tests, {sum(row['steps'] for row in rows):,} steps")
    print(
        f"same outcome, flaky ones apart: {tests - unexplained:,} of {tests:,} ({100 * low:.2f} - {100 * high:.2f} %)"
    )
    for row in rows:
        for test, plain, outcome, is_flaky, message in row["differing"]:
            print(f"{row['name']} {test}: {plain} without, {outcome} with the recorder{', flaky' if is_flaky else ''}")
            print("   ", " ".join(message.split())[-300:])


def main() -> None:
    """Measure what is missing, then print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="folders of DIR; default: those of repositories.txt")
    parser.add_argument("--repositories", type=Path, required=True, metavar="DIR")
    parser.add_argument("-o", "--out", type=Path, required=True)
    parser.add_argument("--max-steps", type=int, default=TestBudget.steps)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    rows = []
    for name in options.names or listed():
        path = options.out / f"{name}.json"
        if not path.exists():
            print(name, file=sys.stderr)
            try:
                row = measure(options.repositories / name, TestBudget(steps=options.max_steps))
            except Exception as error:  # one repository costs only itself
                print(f"  failed: {error}", file=sys.stderr)
                continue
            path.write_text(json.dumps(row, indent=1))
        rows.append(json.loads(path.read_text()))
    print_table(rows)


if __name__ == "__main__":
    main()

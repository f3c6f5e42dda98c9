"""The HumanEval study: reference solutions on their own test inputs, through both codecs, and what they cost.

    python benchmarks/humaneval.py [--json] [--tasks N] [--calls N] [--data FILE]

The calls are those of `worldline.evaluation.suites.humaneval`, each a program of its own. Every trace is
encoded and parsed back by both codecs: a difference is counted, named, and makes the exit code 1. Random test
inputs are drawn with seed 0. A call of more than 10,000 steps is recorded and round-tripped up to there and left
out of the cost table, of which a few such would be all.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roundtrip import differences

from worldline.codec.cost import CostTable, cost
from worldline.codec.tokens import Bytes, Tokenizer
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.data import vocabularies
from worldline.evaluation.suites.humaneval import Problem, calls, problems
from worldline.recording.recorder import record_many

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "HumanEval.jsonl.gz"
CONTEXT = 131_072
LIMITS = Limits(steps=10_000)
WHOLE = ("returned", "raised")
AIMS = {"bytes": 0.20, "llama3": 0.25}


def programs(chosen: Sequence[Problem], limit: int | None) -> Iterator[tuple[Problem, Program]]:
    """Every distinct call of every problem's tests, at most `limit` each."""
    for problem, found in calls(chosen):
        for call in found[:limit]:
            yield problem, problem.program(call)


@dataclass
class Study:
    """What came out."""

    table: CostTable
    tasks: int
    outcomes: dict[str, int]
    differences: list[str]

    def ratios(self, part: str) -> dict[str, dict[str, float]]:
        """Each format beside cwm, by bytes and by each tokenizer; `part` is whole or steps."""
        sizes = {cost.format: getattr(cost, part) for cost in self.table.total}
        base = sizes["cwm"]
        found: dict[str, dict[str, float]] = {}
        for name, size in sizes.items():
            tokens = {key: size.tokens[key] / base.tokens[key] for key in self.table.tokenizers}
            found[name] = {"bytes": size.bytes / base.bytes, **tokens}
            if "llama3" in base.tokens:
                found[name]["bytes beside llama3 tokens of cwm"] = size.bytes / base.tokens["llama3"]
        return found

    def aims(self) -> dict[str, bool]:
        """The project's aims for the compact codec with whole values and every step revealed, in both its modes."""
        met: dict[str, bool] = {}
        for mode in ("compact", "compact bare"):
            ratio = self.ratios("whole")[mode]
            for name, most in AIMS.items():
                if name in ratio:
                    met[f"{mode}: at most {most:.0%} of the {name}"] = ratio[name] <= most
            if "llama3" in ratio:
                fewer = ratio["bytes beside llama3 tokens of cwm"] < 1
                met[f"{mode}: fewer bytes than cwm has llama3 tokens"] = fewer
        met["0 differences"] = not self.differences
        return met

    def as_json(self) -> dict[str, Any]:
        """Everything but the rows of single traces."""
        table = {name: value for name, value in self.table.as_json().items() if name != "traces"}
        ratios = {part: self.ratios(part) for part in ("whole", "steps")}
        return {
            "tasks": self.tasks,
            "traces": len(self.table.rows),
            "steps": sum(row.steps for row in self.table.rows),
            "outcomes": self.outcomes,
            "differences": self.differences,
            "ratios": ratios,
            "aims": self.aims(),
            **table,
        }


def study(chosen: Sequence[Problem], tokenizers: Sequence[Tokenizer], limit: int | None) -> Study:
    """Record, round trip, count."""
    pairs = list(programs(chosen, limit))
    found: list[str] = []
    outcomes: dict[str, int] = {}

    def checked(traces: Iterable[Trace]) -> Iterator[Trace]:
        for number, ((problem, program), trace) in enumerate(zip(pairs, traces, strict=True), 1):
            outcomes[trace.outcome.kind] = outcomes.get(trace.outcome.kind, 0) + 1
            found.extend(f"{problem.name} {program.call}: {text}" for text in differences(trace))
            if sys.stderr.isatty():
                print(f"\r{number} of {len(pairs)} traces", end="", file=sys.stderr, flush=True)
            yield trace

    traces = checked(record_many([program for _, program in pairs], limits=LIMITS))
    table = cost((trace for trace in traces if trace.outcome.kind in WHOLE), tokenizers, CONTEXT)
    return Study(table, len(chosen), outcomes, found)


def text(result: Study) -> str:
    """The study as a table."""
    names = result.table.tokenizers
    lines = [
        f"HumanEval: {result.tasks} tasks, {sum(result.outcomes.values()):,} calls: {result.outcomes}",
        f"round trips through both codecs: {len(result.differences)} differences",
        *result.differences[:20],
        "",
        f"{'format':<18}{'part':<8}{'frames':>10}{'characters':>14}{'bytes':>14}" + "".join(f"{n:>14}" for n in names),
    ]
    for row in result.table.total:
        for part in ("whole", "steps"):
            size = getattr(row, part)
            tokens = "".join(f"{size.tokens[name]:>14,}" for name in names)
            lines.append(f"{row.format:<18}{part:<8}{row.frames:>10,}{size.characters:>14,}{size.bytes:>14,}{tokens}")
    for part in ("whole", "steps"):
        lines += ["", f"beside cwm, {'prompt and steps' if part == 'whole' else 'steps alone'}"]
        for name, ratios in result.ratios(part).items():
            lines.append(f"{name:<18}" + ", ".join(f"{ratio:.1%} of {key}" for key, ratio in ratios.items()))
    lines += ["", medians(result), ""]
    return "\n".join(lines + [f"{'met' if met else 'MISSED'}: {aim}" for aim, met in result.aims().items()])


def medians(result: Study) -> str:
    """How the ratio lies trace by trace, so that a few long ones do not speak for all."""
    shares = []
    for row in result.table.rows:
        sizes = {cost.format: cost.whole.bytes for cost in row.costs}
        shares.append(sizes["compact"] / sizes["cwm"])
    shown = f"median {statistics.median(shares):.1%}, n = {len(shares):,}"
    return f"compact beside cwm in bytes, trace by trace: {shown}"


def main() -> None:
    """Run the study; exit 1 where a round trip differed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--tasks", type=int, help="only the first N tasks")
    parser.add_argument("--calls", type=int, help="at most N calls a task")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    if not options.data.is_file():
        raise SystemExit(f"{options.data} is absent: give --data HumanEval.jsonl.gz")
    tokenizers: list[Tokenizer] = [Bytes()]
    if vocabularies.llama3_path() is None:
        print("no llama3 tokens: pip install --no-deps llama-models", file=sys.stderr)
    else:
        tokenizers.append(vocabularies.load("llama3"))
    result = study(problems(options.data)[: options.tasks], tokenizers, options.calls)
    print(json.dumps(result.as_json(), indent=1) if options.json else text(result))
    raise SystemExit(bool(result.differences))


if __name__ == "__main__":
    main()

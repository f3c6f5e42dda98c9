"""HumanEval's typed solutions: the arcs that random inputs reach, that CrossHair reaches, and both, with the time.

`python studies/paths/humaneval.py --data HumanEval.jsonl.gz --limit 30 --seconds 4`
"""

from __future__ import annotations

import argparse
import ast
import gzip
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from needles import confirmed

from worldline.core.program import Program
from worldline.plan.paths.search import paths


def typed(path: Path) -> Iterator[tuple[str, Program]]:
    """Each task whose prompt says the type of every parameter: the function and the whole program."""
    for line in gzip.decompress(path.read_bytes()).splitlines():
        row = json.loads(line)
        source = row["prompt"] + row["canonical_solution"]
        nodes = (node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef))
        node = next(node for node in nodes if node.name == row["entry_point"])
        if node.args.args and all(each.annotation is not None for each in node.args.args):
            yield row["entry_point"], Program(source=source)


def main() -> None:
    """A row a task, and the sums."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--limit", type=int, default=30)
    parser.add_argument("--seconds", type=float, default=4.0)
    asked = parser.parse_args()
    total: Counter[str] = Counter()
    seconds: Counter[str] = Counter()
    for name, program in list(typed(asked.data))[: asked.limit]:
        runs = {
            "random": paths(program, name, seconds=asked.seconds, solver="never"),
            "crosshair": paths(program, name, seconds=asked.seconds, solver="always", drawn=False),
            "both": paths(program, name, seconds=asked.seconds),
        }
        arcs = len(runs["both"].reached) + len(runs["both"].uncovered)
        reached = {who: len(report.reached) for who, report in runs.items()}
        either = len(set().union(*(report.reached for report in runs.values())))
        for who, report in runs.items():
            total[who] += reached[who]
            seconds[who] += report.seconds["random"] + report.seconds["crosshair"]
            total["paths"] += len(report.classes)
            total["again"] += confirmed(report)
            total["raising"] += len(report.raising)
            total["rightly"] += report.agreed[0]
            total["told"] += report.agreed[1]
        total.update(tasks=1, arcs=arcs, either=either, asked=runs["both"].solver != "not asked")
        total["exhausted"] += runs["crosshair"].solver == "exhausted"
        told = " ".join(f"{who} {count}" for who, count in reached.items())
        print(f"{name:30} arcs {arcs:3}  {told}  CrossHair: {runs['crosshair'].solver}", flush=True)
    print(f"tasks {total['tasks']}, arcs {total['arcs']}, reached by anyone {total['either']}")
    for who in ("random", "crosshair", "both"):
        print(f"{who:10} {total[who]} arcs in {seconds[who]:.0f} s")
    print(f"CrossHair was through with {total['exhausted']}; after random inputs it was asked for {total['asked']}")
    print(f"of CrossHair's {total['told']} paths {total['rightly']} end, recorded, as it says")
    print(
        f"paths reported {total['paths']} ({total['raising']} raise), confirmed by a fresh recording {total['again']}"
    )


if __name__ == "__main__":
    main()

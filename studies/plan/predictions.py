"""The predictions that the oracle's studies share, made once: a run, as `worldline bench -o` keeps one, of mined calls.

    worldline bench generated --max-programs 200 -o runs/plan/generated
    worldline bench humaneval --data HumanEval.jsonl.gz --max-programs 160 -o runs/plan/humaneval
    worldline data mine PACKAGE ... -o mined.xz
    python studies/plan/predictions.py mined.xz -o runs/plan/mined [--n 120] [--seed 0] [--each 2]
    python studies/plan/predictions.py mined.xz -o runs/plan/more --each 8 --functions 13 --file more_itertools/more.py

At most `each` calls of each function, in an order that the seed decides; with --file only functions of this file, and
with --functions at most so many functions. Run again to resume.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from random import Random

from worldline.codec.compact.prompt import Compact
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.data.mine.mined import MinedCall, read_mined
from worldline.evaluation.run.run import run
from worldline.evaluation.suites.suite import Suite, Task
from worldline.predict.models import load_model

LIMITS = Limits(steps=150)  # longer runs are skipped, and counted so
LONGEST = 2_500  # characters of a source: imagining is dear


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mined", type=Path)
    parser.add_argument("-o", "--out", type=Path, required=True)
    parser.add_argument("--n", type=int, default=120, help="calls [120]")
    parser.add_argument("--each", type=int, default=2, help="calls of a function [2]")
    parser.add_argument("--file", default="", help="only functions whose origin starts with this")
    parser.add_argument("--functions", type=int, help="maximum number of functions")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--model", default="default")
    asked = parser.parse_args()
    calls = [call for call in read_mined(asked.mined) if call.origin.startswith(asked.file)]
    tasks = _tasks(calls, asked.each, asked.seed, asked.functions)
    model = load_model(asked.model)
    suite = Suite(name="mined", tasks=tasks, count=len(tasks), limits=LIMITS).in_modes_of(model.info)
    config = {"options": {"each": asked.each, "seed": asked.seed, "file": asked.file}, "weights": model.info.digest}
    report = run(suite, model, limit=asked.n, out=asked.out, config=config)
    print(f"{report.all.answer.right} of {report.all.answer.n} answers right, {report.skipped} skipped, in {asked.out}")
    return 0


def _tasks(calls: list[MinedCall], each: int, seed: int, functions: int | None = None) -> list[Task]:
    """Calls spread over their functions."""
    rng = Random(f"plan predictions {seed}")
    by_function: dict[str, list[MinedCall]] = {}
    for one in calls:
        if len(one.source) > LONGEST:
            continue
        by_function.setdefault(one.key, []).append(one)
    order = sorted(by_function)
    drawn = order if functions is None else rng.sample(order, min(functions, len(order)))
    chosen = [one for key in drawn for one in rng.sample(by_function[key], min(each, len(by_function[key])))]
    rng.shuffle(chosen)
    options = Compact(bare=True)
    return [
        Task(program=_in_its_file(one), options=options, name=f"{one.origin} {number}")
        for number, one in enumerate(chosen)
    ]


def _in_its_file(call: MinedCall) -> Program:
    """The call, named after the file that its function comes from."""
    return replace(call.program, name=call.origin.partition(":")[0].replace("/", "_"))


if __name__ == "__main__":
    sys.exit(main())

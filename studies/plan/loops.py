"""What the end of a long loop is predicted by: rules found in the rounds that were executed, or the model.

    python studies/plan/loops.py [--rounds 4,8,16] [--sure 0.9] [--json FILE]

The 16 loops of `loops.txt` have irregular and regular values. Rules (as `rehearse` finds them) see 3,000 rounds of each
and predict the values after 30,000. The model sees the values after 6 rounds and predicts those after some more, with
the scratchpad `flatten`; its probability is that of its whole text. The truth is executed.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from math import exp
from pathlib import Path
from typing import Any

from worldline.codec.answer import same_answer
from worldline.core.program import Program
from worldline.core.stats import wilson
from worldline.plan.imagined import predict_answers
from worldline.plan.question import Question
from worldline.predict.models import load_model
from worldline.predict.predictor import Predictor
from worldline.predict.scratchpad import Scratchpad
from worldline.recording.guests.rehearsal.assumed.loops import MARKS, MAX_WATCHED, SETTLED_MARKS
from worldline.recording.guests.rehearsal.assumed.regularity import PLAIN, find_rules

LOOPS = Path(__file__).with_name("loops.txt")
EXECUTED, ALL, BEFORE = 3_000, 30_000, 6
MAX_BYTES = 1 << 14


@dataclass(frozen=True)
class Loop:
    """A loop: the statement before it, and its body."""

    name: str
    start: str
    body: str

    def rounds(self) -> Iterator[dict[str, Any]]:
        """Yield the values of the names at the start of each round."""
        names: dict[str, Any] = {}
        exec(self.start, names)
        shown_names = [name for name in names if not name.startswith("_")]
        code = compile(self.body, self.name, "exec")
        while True:
            yield {name: names[name] for name in shown_names}
            exec(code, names)

    def after(self, count: int) -> dict[str, Any]:
        """The values after so many rounds."""
        return next(values for at, values in enumerate(self.rounds()) if at == count)

    def program(self, values: dict[str, Any], count: int) -> Program:
        """The loop as a function that is called with values."""
        body = "".join(f"        {line}\n" for line in self.body.splitlines())
        source = f"def rest({', '.join(values)}):\n    for _ in range({count}):\n{body}    return {', '.join(values)}\n"
        return Program(source=source, call=f"rest({', '.join(map(repr, values.values()))})")


def read_loops() -> list[Loop]:
    """Read the loops of the file."""
    parts = re.split(r"^=== ", LOOPS.read_text("utf-8"), flags=re.MULTILINE)[1:]
    loops = []
    for part in parts:
        head, _, body = part.partition("\n")
        name, _, start = head.partition(": ")
        loops.append(Loop(name, start, body))
    return loops


def by_rules(loop: Loop) -> dict[str, int]:
    """Count the names whose values rules give, rightly or not, and the others."""
    seen = [values for _, values in zip(range(EXECUTED), loop.rounds(), strict=False)]
    plain = [{name: value for name, value in values.items() if type(value) in PLAIN} for values in seen]
    first, every = EXECUTED - MAX_WATCHED, EXECUTED // (MARKS + 1)
    earlier = [(at, plain[at]) for at in range(every, first, every)][SETTLED_MARKS:]
    rules, true = find_rules(plain[first:], earlier, first), loop.after(ALL)
    right = sum(rule(ALL - first) == true[name] for name, rule in rules.items())
    return {"right": right, "wrong": len(rules) - right, "not known": len(true) - len(rules)}


def by_model(model: Predictor, loop: Loop, count: int) -> dict[str, Any]:
    """Ask the model for the values some rounds later."""
    program = loop.program(loop.after(BEFORE), count)
    true, began = tuple(loop.after(BEFORE + count).values()), time.process_time()
    (answer,) = predict_answers(model, [program], Question(), limit=MAX_BYTES)
    is_right = answer.value is not None and same_answer(answer.value, repr(true if len(true) > 1 else true[0]))
    sure = exp(answer.score) if answer.score is not None else 0.0
    row = {"loop": loop.name, "rounds": count, "right": is_right, "p": round(sure, 4)}
    return {**row, "cpu": round(time.process_time() - began, 2)}


def share(rows: list[dict[str, Any]]) -> str:
    """How many are right, with the interval."""
    right = sum(row["right"] for row in rows)
    low, high = wilson(right, len(rows))
    return f"{right} of {len(rows)} ({100 * low:.0f}-{100 * high:.0f} %)"


def main() -> None:
    """Print what rules and the model say."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", default="4,8,16")
    parser.add_argument("--sure", type=float, default=0.9)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    loops = read_loops()
    counts_by_loop = {loop.name: by_rules(loop) for loop in loops}
    for name, counts in counts_by_loop.items():
        print(f"rules      {name:12} {counts}", flush=True)
    total = {key: sum(counts[key] for counts in counts_by_loop.values()) for key in ("right", "wrong", "not known")}
    print(f"rules, all names: {total}")
    model, rows = Scratchpad(load_model("default"), "flatten"), []
    for count in map(int, options.rounds.split(",")):
        rows += (model_rows := [by_model(model, loop, count) for loop in loops])
        sure = [row for row in model_rows if row["p"] >= options.sure]
        cpu = sum(row["cpu"] for row in model_rows) / len(model_rows)
        print(
            f"model, {count} rounds: right {share(model_rows)}; at p >= {options.sure}: {share(sure)}: "
            f"{', '.join(row['loop'] for row in sure)}; {cpu:.1f} CPU s each",
            flush=True,
        )
    sure = [row for row in rows if row["p"] >= options.sure]
    print(f"model, all: right {share(rows)}; at p >= {options.sure}: {share(sure)}")
    if options.json:
        options.json.write_text(json.dumps({"rules": counts_by_loop, "model": rows}, indent=1))


if __name__ == "__main__":
    main()

"""How many failing traces a few true steps mend, by where the interpreter is asked: a table, and the rows of it.

    python studies/plan/queries.py RUN ... --keep FILE.jsonl [--n 200] [--longest 400] [--json]

RUN is a run of `worldline bench -o` (or of predictions.py beside this file), whose failures are taken, in an
order by chance, if their texts have at most `longest` bytes: imagining is dear. Each is written anew with 0, 1, 2, 4
and 8 true steps told: at the least sure step that is left, at the earliest below 0.9, and at random ones.
A step is told of the recorded run, by its number; behind an action that the run did not take a query has no answer.
FILE keeps what was done, so that a study that was stopped goes on.
"""

from __future__ import annotations

import argparse
import copy
import hashlib
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from math import log
from pathlib import Path
from random import Random
from typing import Any

from worldline.codec.compact.writer import encode_steps
from worldline.core.limits import Limits
from worldline.core.stats import Share
from worldline.core.trace import Trace
from worldline.evaluation.run.directory import newest
from worldline.evaluation.run.record import Record
from worldline.plan.executed import sandboxed_world
from worldline.plan.question import Question
from worldline.plan.reading import read_answer, read_imagined
from worldline.predict.forcing.queries import Inquiry, write_round
from worldline.predict.models import load_model
from worldline.predict.prediction import Prediction
from worldline.predict.predictor import Predictor

COUNTS = (0, 1, 2, 4, 8)
SURE = 0.9
TOGETHER = 8
Order = Callable[[Inquiry, Random], int | None]


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", type=Path)
    parser.add_argument("--keep", type=Path, required=True)
    parser.add_argument("--n", type=int, default=200, help="failures [200]")
    parser.add_argument("--longest", type=int, default=400, help="bytes of a true text [400]")
    parser.add_argument("--model", default="default")
    parser.add_argument("--table", action="store_true", help="only the table of what is kept")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    chosen, kept = _failures(asked.runs, asked.longest)[: asked.n], _kept(asked.keep)
    if not asked.table:
        done = {row["id"] for row in kept}
        failures = [one for one in chosen if one[0] not in done]
        with asked.keep.open("a", encoding="utf-8") as file:
            for row in _studied(load_model(asked.model), failures):
                kept.append(row)
                print(json.dumps(row), file=file, flush=True)
    wanted = {mark for mark, _, _ in chosen}
    table = _table([row for row in kept if row["id"] in wanted])
    print(json.dumps(table) if asked.json else _text(table))
    return 0


def _kept(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []


def _failures(runs: Sequence[Path], longest: int) -> list[tuple[str, str, Record]]:
    """Every failing trace of the runs that is short enough: an id, the run's name, the record."""
    found = [
        (f"{run.name}/{record.at}", run.name, record)
        for run in runs
        for record in newest(run).values()
        if record.counts and record.judged["trace"] != "right" and len(record.found.text) <= longest
    ]
    return sorted(found, key=lambda one: hashlib.sha256(one[0].encode()).digest())


def _studied(model: Predictor, failures: Sequence[tuple[str, str, Record]]) -> Iterator[dict[str, Any]]:
    """The rows of failures, several at a time."""
    for first in range(0, len(failures), TOGETHER):
        some = failures[first : first + TOGETHER]
        began = time.process_time()
        with sandboxed_world(limits=Limits(steps=20_000)) as world:
            truths = [world(record.ask.program) for _, _, record in some]
        texts = [encode_steps(truth, one[2].ask.options) for truth, one in zip(truths, some, strict=True)]
        begun = [
            Inquiry(record.ask, Prediction(text=text, status="ended"))
            for (_, _, record), text in zip(some, texts, strict=True)
        ]
        write_round(model, begun)
        orders = {name: _ordered(model, begun, order, truths, texts) for name, order in ORDERS.items()}
        seconds = (time.process_time() - began) / len(some)
        for number, (mark, run, _) in enumerate(some):
            yield {
                "id": mark, "run": run, "cpu": round(seconds, 2), "bytes": len(texts[number]),
                **{name: rows[number] for name, rows in orders.items()},
            }  # fmt: skip


def _ordered(
    model: Predictor, begun: Sequence[Inquiry], order: Order, truths: Sequence[Trace], texts: Sequence[bytes]
) -> list[dict[str, Any]]:
    """What comes of each text, by how many steps were told: whether answer and trace are right, and the score."""
    going = [copy.copy(one) for one in begun]
    for one in going:
        one.spent, one.answered = [], set()
    rngs = [Random(f"queries {len(text)} {text[:99]!r}") for text in texts]
    rows: list[dict[str, Any]] = [{} for _ in going]
    for count in range(max(COUNTS) + 1):
        for row, one, truth, text in zip(rows, going, truths, texts, strict=True):
            if count in COUNTS:
                row[str(count)] = _judged(one, truth, text)
        if count == max(COUNTS):
            break
        asked = []
        for one, rng, text in zip(going, rngs, texts, strict=True):
            assert one.prediction is not None
            number = None if one.prediction.text == text else order(one, rng)
            if number is not None:
                one.spent = [*one.spent, number]
                if one.left is None or number <= one.left:
                    asked.append(one)
        if asked:
            write_round(model, asked)
    return rows


def _judged(one: Inquiry, truth: Trace, text: bytes) -> list[Any]:
    assert one.prediction is not None
    answer = read_imagined(Question(), one.request, one.prediction).value
    is_right = answer is not None and answer == read_answer(Question(), truth)
    return [is_right, one.prediction.text == text, round(sum(step.logprob for step in one.sure), 4)]


def _open(one: Inquiry) -> list[tuple[float, int]]:
    return [(step.logprob, number) for number, step in enumerate(one.sure) if number not in one.spent]


def _least(one: Inquiry, rng: Random) -> int | None:
    return min(_open(one))[1] if _open(one) else None


def _earliest(one: Inquiry, rng: Random) -> int | None:
    unsure = [number for logprob, number in _open(one) if logprob < log(SURE)]
    return min(unsure) if unsure else _least(one, rng)


def _random(one: Inquiry, rng: Random) -> int | None:
    return rng.choice(_open(one))[1] if _open(one) else None


ORDERS: dict[str, Order] = {"least sure": _least, "earliest unsure": _earliest, "random": _random}


def _table(kept: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Shares of answers and of traces that are right, by run, order and count."""
    runs = ["all", *sorted({row["run"] for row in kept})]
    table: dict[str, Any] = {"cpu": round(sum(row["cpu"] for row in kept), 1)}
    for run in runs:
        some = [row for row in kept if run in ("all", row["run"])]
        table[run] = {
            name: {
                str(count): {
                    what: Share(sum(bool(row[name][str(count)][at]) for row in some), len(some)).as_json()
                    for at, what in enumerate(("answers", "traces"))
                }
                for count in COUNTS
            }
            for name in ORDERS
        }
    return table


def _text(table: dict[str, Any]) -> str:
    lines = [f"{table['cpu']:,} CPU seconds; answers (whole traces) right; 95 % interval of the traces"]
    for run, orders in table.items():
        if run == "cpu":
            continue
        n = orders["random"]["0"]["traces"]["n"]
        lines.append(f"\n{run}, {n} failing traces; true steps told: {', '.join(map(str, COUNTS))}")
        for name, counts in orders.items():
            cells = []
            for one in counts.values():
                low, high = one["traces"]["interval"]
                cells.append(f"{one['answers']['some']} ({one['traces']['some']}: {100 * low:.0f}-{100 * high:.0f} %)")
            lines.append(f"  {name:16} " + "  ".join(cells))
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())

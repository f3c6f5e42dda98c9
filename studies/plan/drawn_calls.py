"""What more drawn calls bring to `learn --on`: the same training with them and without them.

    python studies/plan/drawn_calls.py FOLDER -o OUT.json [--steps 20] [--held-out 60] [--seed 0]

The calls of a folder are split as `learn --on` splits them. One arm trains on the lessons alone, the other on the
lessons and the drawn calls, for the same number of steps from the same base. Both predict the same held-out calls.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from worldline.core.stats import Paired, mcnemar, wilson
from worldline.evaluation.score import Verdict
from worldline.learning.adapt import (
    AFTER,
    MAX_DRAWN_CALLS,
    SAME,
    UNSEEN,
    BeforeAfter,
    build_suites,
    count_sources,
    evaluate_suites,
    pair_verdicts,
)
from worldline.learning.call_sources import own_calls
from worldline.learning.drawn_calls import CallDrawing, draw_calls
from worldline.learning.own_calls import CallSplit, OwnCall, draw_known_documents, record_calls, split_calls
from worldline.learning.time_budget import TimeBudget
from worldline.model import checkpoint
from worldline.model.engine.native import open_engine
from worldline.model.low_rank import merge_changes
from worldline.model.shape import Shape
from worldline.model.train.low_rank import AdaptationConfig, train_changes
from worldline.model.weights import FloatArray, StoredArray
from worldline.predict.local import Local

REPLAYED = 24  # generated documents that are mixed in
Verdicts = dict[str, list[Verdict]]


def main() -> None:
    """Train both arms, and print each beside the base."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("-o", "--out", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--held-out", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    began = time.process_time()
    parts = split_calls(own_calls(options.folder, seed=options.seed), seed=options.seed, held_out=options.held_out)
    outside = (*parts.held_back, *parts.same, *parts.unseen)
    drawn = draw_calls(parts.lessons, exclude=outside, how=CallDrawing(seed=options.seed))[:MAX_DRAWN_CALLS]
    shape, weights = checkpoint.read_weights(checkpoint.SHIPPED)
    how = AdaptationConfig(steps=options.steps, seed=options.seed)
    verdicts: dict[str, Verdicts] = {"base": predict(shape, weights, parts, options.seed)}
    facts: dict[str, object] = {"steps": options.steps, "seed": options.seed}
    for name, lessons in {"lessons": parts.lessons, "lessons and drawn": (*parts.lessons, *drawn)}.items():
        tensors, nats = trained(shape, weights, lessons, parts, how)
        verdicts[name] = predict(shape, merge_changes(weights, tensors), parts, options.seed)
        facts[name] = {"calls": count_sources(lessons), "held-back nats before, best": nats}
        print(f"{name}: {facts[name]}", flush=True)
    rows = [(first, second) for first in verdicts for second in verdicts if first < second]
    for group in (SAME, UNSEEN):
        for name in verdicts:
            facts[f"{group}, {name}"] = shares(verdicts[name][group])
        for first, second in rows:
            pair = pair_verdicts(verdicts[first][group], verdicts[second][group])
            facts[f"{group}, {first} against {second}"] = compared(pair)
    facts["CPU seconds of this process"] = round(time.process_time() - began)
    options.out.write_text(json.dumps(facts, indent=1))
    print(json.dumps(facts, indent=1))


def predict(shape: Shape, weights: dict[str, StoredArray], parts: CallSplit, seed: int) -> Verdicts:
    """Predict the held-out calls."""
    suites = {name: suite for name, suite in build_suites(parts, 1, seed).items() if name in (SAME, UNSEEN)}
    filled = {name: suite for name, suite in suites.items() if suite.count}
    results = evaluate_suites(Local(open_engine(shape, weights), name="own"), filled, TimeBudget(None), AFTER)
    return {SAME: [], UNSEEN: [], **results}


def trained(
    shape: Shape, weights: dict[str, StoredArray], lessons: Sequence[OwnCall], parts: CallSplit, how: AdaptationConfig
) -> tuple[dict[str, FloatArray], tuple[float, float]]:
    """Train the changes as `learn --on` does."""
    documents, held_back, known = (
        [(document.prompt, document.steps) for document in group]
        for group in (
            record_calls(lessons, seed=how.seed),
            record_calls(parts.held_back, seed=how.seed),
            draw_known_documents(REPLAYED, seed=how.seed),
        )
    )
    changes = train_changes(shape, weights, documents, known=known, held_back=held_back, how=replace(how))
    best = min(evaluation.nats for evaluation in changes.evaluations)
    return changes.tensors, (round(changes.evaluations[0].nats, 2), round(best, 2))


def shares(verdicts: Sequence[Verdict]) -> dict[str, object]:
    """Answers and traces right, with the interval of the traces."""
    traces = sum(verdict.trace == "right" for verdict in verdicts)
    answers = sum(verdict.answer == "right" for verdict in verdicts)
    interval = wilson(traces, len(verdicts)) if verdicts else (0.0, 1.0)
    return {"n": len(verdicts), "answers": answers, "traces": traces, "95 %": [round(bound, 3) for bound in interval]}


def compared(pair: BeforeAfter) -> dict[str, object]:
    """Traces that only the first has right, those that only the second has, and McNemar's p."""
    traces: Paired = pair.trace
    p = mcnemar(traces.regressed, traces.recovered)
    return {"only first": traces.regressed, "only second": traces.recovered, "p": round(p, 3)}


if __name__ == "__main__":
    main()

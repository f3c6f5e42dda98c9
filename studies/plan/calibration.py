"""Whether sureness means what it says: calibration and coverage of the model's own probability, and of the gate.

    python studies/plan/calibration.py RUN ... [--sure 0.95] [--splits 40] [--seed 0] [--json] [--svg FILE]

RUN is a run of `worldline bench -o` (or of predictions.py beside this file); each is a code base of its own. Its calls
are split at random, again and again: the gate is fitted on one part and judged on the other, so that no call is on both
sides. A text that did not come to an end is no answer: it is run, and counts against coverage. Nothing is imagined.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp
from pathlib import Path
from random import Random
from typing import Any

from worldline.core.errors import UsageError
from worldline.core.stats import Share
from worldline.evaluation.run.directory import newest
from worldline.plan.futures.scores import Forecast, ReliabilityBin, calibration_error, reliability
from worldline.plan.gate import MIN_ENTRIES, Gate
from worldline.ui.report.debug_page import STYLE as ROW_STYLE
from worldline.ui.report.futures_charts import reliability_svg
from worldline.ui.report.page import STYLE

LEDGERS = (30, 50, 75, 100, 125, 150)
SHARES = (0.3, 0.5, 0.7, 1.0)


@dataclass(frozen=True)
class Call:
    """One call: the score of what was imagined, None where that is no answer; its bytes; whether it is right."""

    score: float | None
    bytes: int
    is_right: bool


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", type=Path)
    parser.add_argument("--sure", type=float, default=0.95)
    parser.add_argument("--splits", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--svg", type=Path, help="where the reliability diagram goes")
    asked = parser.parse_args()
    sets = {run.name: _calls(run) for run in asked.runs}
    found = {name: _measured(calls, asked.sure, asked.splits, asked.seed) for name, calls in sets.items()}
    if asked.svg is not None:
        asked.svg.write_text(_figure({name: _own_bins(calls) for name, calls in sets.items()}), "utf-8")
    print(json.dumps(found) if asked.json else "\n\n".join(_text(name, one) for name, one in found.items()))
    return 0


def _calls(run: Path) -> list[Call]:
    """The judged calls of a run."""
    return [
        Call(
            score=one.found.logprob if one.judged["answer"] in ("right", "wrong") else None,
            bytes=len(one.found.text), is_right=one.judged["answer"] == "right",
        )
        for one in newest(run).values()
        if one.counts
    ]  # fmt: skip


def _measured(calls: Sequence[Call], sure: float, splits: int, seed: int) -> dict[str, Any]:
    scored = [one for one in calls if one.score is not None]
    own = [Forecast(exp(one.score or 0.0), float(one.is_right)) for one in scored]
    return {
        "calls": len(calls), "answered": len(scored),
        "right": Share(sum(one.is_right for one in calls), len(calls)).as_json(),
        "auroc": _auroc(scored, lambda one: one.score or 0.0),
        "auroc of length": _auroc(scored, lambda one: -one.bytes),
        "calibration error": calibration_error(reliability(own)), "brier": _brier(own),
        "surest": {str(share): _surest(scored, len(calls), share) for share in SHARES},
        "own probability at least": {str(level): _own(scored, level, len(calls)) for level in (sure, 0.99)},
        "in hindsight": {str(level): _hindsight(scored, level, len(calls)) for level in (sure, 0.99)},
        "gate, half": _gated(calls, len(calls) // 2, sure, splits, seed),
        "gate, nine tenths": _gated(calls, 9 * len(calls) // 10, sure, splits, seed),
        "gate, by ledger": {
            str(n): _gated(calls, n, sure, splits, seed) for n in LEDGERS if n <= len(calls) - 20
        },
    }  # fmt: skip


def _auroc(some: Sequence[Call], key: Callable[[Call], float]) -> float | None:
    """How often a right one has the higher score, of all pairs of a right one and a wrong one."""
    right = [key(one) for one in some if one.is_right]
    wrong = [key(one) for one in some if not one.is_right]
    wins = sum((a > b) + (a == b) / 2 for a in right for b in wrong)
    return wins / (len(right) * len(wrong)) if right and wrong else None


def _brier(some: Sequence[Forecast]) -> float:
    return sum((one.believed - one.true) ** 2 for one in some) / max(1, len(some))


def _ordered(some: Sequence[Call]) -> list[Call]:
    return sorted(some, key=lambda one: -(one.score or 0.0))


def _surest(some: Sequence[Call], n: int, share: float) -> dict[str, Any]:
    """Of so many calls, the surest first, how many are right; those without an answer come last."""
    top = _ordered(some)[: round(share * n)]
    return Share(sum(one.is_right for one in top), round(share * n)).as_json()


def _own(some: Sequence[Call], level: float, n: int) -> dict[str, Any]:
    """What the model's own probability would have let through."""
    through = [one for one in some if exp(one.score or 0.0) >= level]
    return _share(through, n)


def _hindsight(some: Sequence[Call], level: float, n: int) -> dict[str, Any]:
    """The most calls, surest first, of which so many are right: what a perfect threshold would cover."""
    order, best, right = _ordered(some), 0, 0
    for number, one in enumerate(order, 1):
        right += one.is_right
        best = number if right / number >= level else best
    return _share(order[:best], n)


def _share(through: Sequence[Call], n: int) -> dict[str, Any]:
    right = Share(sum(one.is_right for one in through), len(through))
    return {"coverage": Share(len(through), n).as_json(), "right": right.as_json()}


def _gated(calls: Sequence[Call], size: int, sure: float, splits: int, seed: int) -> dict[str, Any]:
    """The gate fitted on `size` calls and judged on the others, over all splits together, and how often it failed."""
    rng, through, judged, below, some, beliefs = (
        Random(f"calibration {seed}"),
        list[Call](),
        0,
        0,
        0,
        list[Forecast](),
    )
    for _ in range(splits):
        order = rng.sample(calls, len(calls))
        judged += len(calls) - size
        try:
            gate = Gate.of_scores((one.score, one.is_right) for one in order[:size] if one.score is not None)
        except UsageError:
            continue
        tested = [one for one in order[size:] if one.score is not None]
        beliefs += [Forecast(gate.probability(one.score or 0.0), float(one.is_right)) for one in tested]
        passed = [one for one in tested if gate.probability(one.score or 0.0) >= sure]
        through += passed
        some += bool(passed)
        below += bool(passed) and sum(one.is_right for one in passed) / len(passed) < sure
    wrong = sum(not one.is_right for one in through)
    return {
        "ledger": size, "judged": judged, "coverage": len(through) / judged if judged else None,
        "imagined right": 1 - wrong / len(through) if through else None, "imagined": len(through), "wrong": wrong,
        "ask right": 1 - wrong / judged if judged else None, "splits": splits, "splits with any": some,
        "splits below": below,
        "calibration error": calibration_error(reliability(beliefs)), "brier": _brier(beliefs),
    }  # fmt: skip


def _own_bins(calls: Sequence[Call]) -> tuple[ReliabilityBin, ...]:
    return reliability(Forecast(exp(one.score), float(one.is_right)) for one in calls if one.score is not None)


def _figure(series: dict[str, tuple[ReliabilityBin, ...]]) -> str:
    """The diagram as a file of its own: with its styles, and a ground."""
    figure = reliability_svg(
        "plan", "the model's own probability of its text, and how often it is right", [*series.items()]
    )
    styles = f'<style>{ROW_STYLE}{STYLE}</style><rect width="100%" height="100%" fill="white"/>'
    head, _, rest = figure.partition("<title>")
    return head.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ') + styles + "<title>" + rest + "\n"


def _percent(share: dict[str, Any]) -> str:
    if share["rate"] is None:
        return "none"
    low, high = share["interval"]
    return f"{100 * share['rate']:.1f} % ({100 * low:.0f}-{100 * high:.0f}, n = {share['n']})"


def _text(name: str, one: dict[str, Any]) -> str:
    lines = [f"{name}: {one['calls']} calls, {one['answered']} imagined to an end, right {_percent(one['right'])}"]
    lines.append(
        f"  own probability: AUROC {one['auroc']:.3f} (length alone {one['auroc of length']:.3f}), "
        f"calibration error {one['calibration error']:.3f}, Brier {one['brier']:.3f}"
    )
    for share, right in one["surest"].items():
        lines.append(f"  surest {float(share):.0%}: right {_percent(right)}")
    for what in ("own probability at least", "in hindsight"):
        for level, found in one[what].items():
            lines.append(f"  {what} {level}: covers {_percent(found['coverage'])}, right {_percent(found['right'])}")
    rows = [("half", one["gate, half"]), ("9/10", one["gate, nine tenths"]), *one["gate, by ledger"].items()]
    for which, gate in rows:
        right = "-" if gate["imagined right"] is None else f"{100 * gate['imagined right']:.2f} %"
        lines.append(
            f"  gate on {gate['ledger']} ({which}): imagines {100 * (gate['coverage'] or 0):.1f} %, right {right} of "
            f"{gate['imagined']}; ask right {100 * (gate['ask right'] or 0):.2f} %; {gate['splits below']} of "
            f"{gate['splits with any']} splits below; ECE {gate['calibration error']:.3f}, Brier {gate['brier']:.3f}"
        )
    if one["answered"] < MIN_ENTRIES:
        lines.append(f"  fewer than {MIN_ENTRIES} answers: no gate")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())

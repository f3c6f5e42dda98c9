"""Several samples an id: how likely one of k is right, how much the samples of an id vary, and what most of them say.

pass@k is the unbiased estimate of Chen et al. (2107.03374): of n samples with c right, one less the share of draws of k
that hold none of the c. Its mean is over ids, its interval by how much they differ.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from worldline.core.stats import Share, Z
from worldline.evaluation.score import Verdict
from worldline.evaluation.table import Between, Cell, Table

if TYPE_CHECKING:
    from worldline.evaluation.run.record import Record
    from worldline.evaluation.summary import Report

MOST = "most say"


def pass_at(n: int, right: int, k: int) -> float:
    """The chance that one of k samples is right, from n of which so many are."""
    return 1.0 - math.comb(n - right, k) / math.comb(n, k)


def pooled(reports: Sequence[Report], records: Sequence[Sequence[Record]]) -> Report:
    """Runs of one suite under several seeds as one report; what is in no rate is that of all of them."""
    from worldline.evaluation.summary import report

    by_id: dict[str, list[Verdict]] = {}
    for sample in records:
        for record in sample:
            if record.counts:
                by_id.setdefault(f"{record.at} {record.name}", []).append(record.verdict())
    apart: dict[str, tuple[str, ...]] = {}
    for each in reports:
        apart = {why: apart.get(why, ()) + each.left_out.get(why, ()) for why in {**apart, **each.left_out}}
    counts = {
        name: sum(getattr(each, name) for each in reports) for name in ("skipped", "faults", "disagrees")
    }
    every = [verdict for some in by_id.values() for verdict in some]
    whole = report(every, suite=reports[0].suite, model=reports[0].model, left_out=apart, **counts)
    first_fault = next((each.first_fault for each in reports if each.first_fault), "")
    return replace(whole, samples=tables(by_id), first_fault=first_fault)


def tables(by_id: Mapping[str, Sequence[Verdict]]) -> tuple[Table, ...]:
    """What several samples an id tell; nothing where no id has more than one."""
    groups = [some for some in by_id.values() if some]
    if not groups or max(map(len, groups)) < 2:
        return ()
    fewest = min(map(len, groups))
    rows: list[tuple[Cell, ...]] = [
        (
            k,
            _mean([_pass(some, k, "answer") for some in groups]),
            _mean([_pass(some, k, "trace") for some in groups]),
        )
        for k in _ks(fewest)
    ]
    rows.append((MOST, Share(sum(map(_majority, groups)), len(groups)), None))
    title = f"one of k samples right (pass@k), {len(groups):,} ids with {_counts(groups)} samples each"
    return (Table(title, ("k", "answers", "traces"), tuple(rows), _note(groups)),)


def _pass(some: Sequence[Verdict], k: int, what: str) -> float:
    return pass_at(len(some), sum(getattr(each, what) == "right" for each in some), k)


def _ks(fewest: int) -> list[int]:
    """1, 2, 5, 10, 20, 50, ... and the most that every id has samples for."""
    powers = (step * 10**power for power in range(len(str(fewest))) for step in (1, 2, 5))
    return sorted({k for k in powers if k <= fewest} | {fewest})


def _mean(rates: Sequence[float]) -> Between:
    mean = sum(rates) / len(rates)
    half = 0.0
    if len(rates) > 1:
        spread = sum((rate - mean) ** 2 for rate in rates) / (len(rates) - 1)
        half = Z * math.sqrt(spread / len(rates))
    return Between(mean, max(0.0, mean - half), min(1.0, mean + half))


def _majority(some: Sequence[Verdict]) -> bool:
    """Whether the answer that most samples give is right; of several, the one that was given first."""
    given = Counter(each.predicted for each in some if each.predicted)
    if not given:
        return False
    most = given.most_common(1)[0][0]
    return any(each.answer == "right" for each in some if each.predicted == most)


def _counts(groups: Iterable[Sequence[Verdict]]) -> str:
    sizes = sorted(set(map(len, groups)))
    return str(sizes[0]) if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"


def _note(groups: Sequence[Sequence[Verdict]]) -> str:
    """How much of the variance lies within ids, and how many ids are always, never or sometimes right."""
    rates = [sum(each.answer == "right" for each in some) / len(some) for some in groups]
    within = [
        rate * (1 - rate) * len(some) / (len(some) - 1)
        for rate, some in zip(rates, groups, strict=True)
        if len(some) > 1
    ]
    mean = sum(rates) / len(rates)
    between = sum((rate - mean) ** 2 for rate in rates) / (len(rates) - 1) if len(rates) > 1 else 0.0
    always, never = rates.count(1.0), rates.count(0.0)
    told = f"always right: {always:,}, never: {never:,}, sometimes: {len(rates) - always - never:,}"
    spread = f"variance of an answer within an id {sum(within) / len(within):.3f}, between ids {between:.3f}"
    return f"{told}; {spread}; `{MOST}`: the answer that most samples of an id give"

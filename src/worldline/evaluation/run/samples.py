"""Several samples per task: pass@k, the variance between samples, and the majority answer.

pass@k is the unbiased estimate of Chen et al. (2107.03374): for n samples of which c are right, one minus the share of
draws of k that contain none of the c. Its mean is over tasks; its interval follows from how much they differ.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from worldline.codec.answer import same_answer
from worldline.core.stats import Share, Z
from worldline.evaluation.score import Verdict
from worldline.evaluation.table import Between, Cell, Table

if TYPE_CHECKING:
    from worldline.evaluation.run.record import Record
    from worldline.evaluation.summary import Report

MAJORITY = "majority"


def pass_at(n: int, right: int, k: int) -> float:
    """Estimate the probability that one of k samples is right, from n samples of which `right` are."""
    return 1.0 - math.comb(n - right, k) / math.comb(n, k)


def pool_samples(reports: Sequence[Report], records: Sequence[Sequence[Record]]) -> Report:
    """Combine runs of one suite under several seeds into one report."""
    from worldline.evaluation.summary import report

    by_id: dict[str, list[Verdict]] = {}
    for sample in records:
        for record in sample:
            if record.counts:
                by_id.setdefault(f"{record.at} {record.name}", []).append(record.verdict())
    left_out: dict[str, tuple[str, ...]] = {}
    for run in reports:
        for reason, names in run.left_out.items():
            left_out[reason] = left_out.get(reason, ()) + names
    counts = {name: sum(getattr(run, name) for run in reports) for name in ("skipped", "faults", "disagrees")}
    every = [verdict for verdicts in by_id.values() for verdict in verdicts]
    whole = report(every, suite=reports[0].suite, model=reports[0].model, left_out=left_out, **counts)
    first_fault = next((run.first_fault for run in reports if run.first_fault), "")
    return replace(whole, samples=tables(by_id), first_fault=first_fault)


def tables(by_id: Mapping[str, Sequence[Verdict]]) -> tuple[Table, ...]:
    """Return the tables about several samples per task; none if every task has one sample."""
    groups = [verdicts for verdicts in by_id.values() if verdicts]
    if not groups or max(map(len, groups)) < 2:
        return ()
    fewest = min(map(len, groups))
    rows: list[tuple[Cell, ...]] = [
        (
            k,
            _mean([_pass(verdicts, k, "answer") for verdicts in groups]),
            _mean([_pass(verdicts, k, "trace") for verdicts in groups]),
        )
        for k in _ks(fewest)
    ]
    rows.append((MAJORITY, Share(sum(map(_is_majority_right, groups)), len(groups)), None))
    title = f"one of k samples right (pass@k), {len(groups):,} tasks with {_counts(groups)} samples each"
    return (Table(title, ("k", "answers", "traces"), tuple(rows), _note(groups)),)


def _pass(verdicts: Sequence[Verdict], k: int, part: str) -> float:
    return pass_at(len(verdicts), sum(getattr(verdict, part) == "right" for verdict in verdicts), k)


def _ks(fewest: int) -> list[int]:
    """1, 2, 5, 10, 20, 50, ... up to the number of samples that every task has."""
    powers = (step * 10**power for power in range(len(str(fewest))) for step in (1, 2, 5))
    return sorted({k for k in powers if k <= fewest} | {fewest})


def _mean(rates: Sequence[float]) -> Between:
    mean = sum(rates) / len(rates)
    half = 0.0
    if len(rates) > 1:
        spread = sum((rate - mean) ** 2 for rate in rates) / (len(rates) - 1)
        half = Z * math.sqrt(spread / len(rates))
    return Between(mean, max(0.0, mean - half), min(1.0, mean + half))


def _is_majority_right(verdicts: Sequence[Verdict]) -> bool:
    """Whether the commonest answer is right; of equally common ones, the first."""
    answers = list[list[Verdict]]()
    for verdict in verdicts:
        if verdict.predicted:
            known = (group for group in answers if _predicts_same(group[0], verdict))
            group = next(known, None)
            if group is None:
                answers.append([verdict])
            else:
                group.append(verdict)
    return bool(answers) and any(verdict.answer == "right" for verdict in max(answers, key=len))


def _predicts_same(first: Verdict, second: Verdict) -> bool:
    """Whether two samples predict the same answer: the event, the value, and for a script what it printed."""
    if first.predicted == second.predicted:
        return True
    (end, _, printed), (other_end, _, other_printed) = (
        verdict.predicted.partition("\n") for verdict in (first, second)
    )
    (event, _, value), (other_event, _, other_value) = end.partition(" "), other_end.partition(" ")
    return event == other_event and printed == other_printed and same_answer(value, other_value)


def _counts(groups: Iterable[Sequence[Verdict]]) -> str:
    sizes = sorted(set(map(len, groups)))
    return str(sizes[0]) if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"


def _note(groups: Sequence[Sequence[Verdict]]) -> str:
    """How much of the variance is within tasks, and how many tasks are always, never or sometimes right."""
    rates = [sum(verdict.answer == "right" for verdict in verdicts) / len(verdicts) for verdicts in groups]
    within = [
        rate * (1 - rate) * len(verdicts) / (len(verdicts) - 1)
        for rate, verdicts in zip(rates, groups, strict=True)
        if len(verdicts) > 1
    ]
    mean = sum(rates) / len(rates)
    between = sum((rate - mean) ** 2 for rate in rates) / (len(rates) - 1) if len(rates) > 1 else 0.0
    always, never = rates.count(1.0), rates.count(0.0)
    consistency = f"always right: {always:,}, never: {never:,}, sometimes: {len(rates) - always - never:,}"
    spread = f"variance of an answer within a task {sum(within) / len(within):.3f}, between tasks {between:.3f}"
    return f"{consistency}; {spread}; `{MAJORITY}`: the commonest answer of a task's samples"

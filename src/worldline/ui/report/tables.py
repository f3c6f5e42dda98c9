"""Every table of a run, as data: what its page shows and what `export` writes.

Nothing is counted here that `data` has not gathered; comparisons are `comparisons`'s, a suite's own tables the suite's.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import quantiles
from typing import Any

from worldline.codec.cost_curve import BUDGETS, CurveRow, curve
from worldline.core.stats import Share, holm
from worldline.diagnose.interventions import INTERVENTIONS
from worldline.evaluation.summary import Tally, VerdictCounts
from worldline.evaluation.table import Cell, Chance, Table
from worldline.ui.report import comparisons
from worldline.ui.report.data import NONE, Findings
from worldline.ui.report.samples import JudgedSample

OUTCOMES = ("answer right", "wrong", "truncated", "malformed", "trace right")
SIZES = ("", "n", "least", "median", "90 %", "99 %", "most", "all")
SAMPLES = (
    "at", "name", "group", "suite", "model", "program", "status", "codec", "answer", "trace", "own answer",
    "own draws", "type", "cause", "step", "line", "what", "variable", "wanted", "got", "path", "character", "operation",
    "failed type", "steps", "agreed", "true bytes", "predicted bytes", "true tokens", "predicted tokens",
    "longest value", "seconds", "logprob",
)  # fmt: skip


def tables(found: Findings) -> dict[str, Table]:
    """Every table by its name; those without a row are left out."""
    every = {
        "samples": samples(found),
        "summary": _tallies("All", "", {"all": found.sums.all}),
        "own-answers": _own_answers(found),
        "own-draws": _own_draws(found),
        "by-length": _tallies("By length of the true trace, in steps", "steps", found.by_steps.by_length),
        "by-group": _tallies("By depth or group", "group", found.sums.by_length if is_grouped(found) else {}),
        "by-type": _tallies("By type of the answer", "type", found.sums.by_type),
        "by-ending": _endings(found),
        **{f"suite-{_slug(table.title)}": table for table in found.own},
        **_causes(found),
        "operation-rates": comparisons.operations(found),
        "strings": comparisons.strings(found),
        "value-types": comparisons.types(found),
        "value-lengths": comparisons.lengths(found),
        "value-densities": comparisons.densities(found),
        "failing-values": failing(found),
        **_interventions(found),
        "costs": _costs(found),
        **{f"costs-by-{by}": costs_by(found, by) for by in CURVES},
        "settings": _settings(found),
    }
    return {name: table for name, table in every.items() if table.rows}


def is_grouped(found: Findings) -> bool:
    """Whether the suite has rows of its own."""
    return any(one.verdict.task.group for one in found.seen)


def share(tally: Tally) -> Share:
    """What is right of it."""
    return Share(tally.right, tally.n)


def _slug(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:60] or "table"


# ---- one row each


def samples(found: Findings) -> Table:
    """Every judged prediction."""
    rows = tuple(_sample(one, found) for one in found.seen)
    note = "of a failure, step to character are its first divergence; step counts the true trace from 0"
    return Table("Samples", SAMPLES, rows, note)


def _sample(one: JudgedSample, found: Findings) -> tuple[Cell, ...]:
    verdict, parts = one.verdict, one.parts
    where: tuple[Cell, ...] = (None,) * 8
    if parts is not None:
        path = parts.path or None
        where = parts.step, parts.line, parts.what, parts.name, parts.wanted, parts.got, path, parts.character
    return (
        one.at, verdict.task.name, verdict.task.group, found.sums.suite, found.sums.model, one.program, one.status,
        one.codec, verdict.answer, verdict.trace, verdict.said or None, verdict.drawn or None, verdict.type,
        verdict.cause or None, *where,
        one.operation or None, one.type or None, verdict.steps, verdict.agreed, *one.sizes,
        *(one.tokens or (None, None)), one.longest, verdict.seconds, one.logprob,
    )  # fmt: skip


def failing(found: Findings) -> Table:
    """How the tokenizer cuts each value that went wrong; no rows without a tokenizer."""
    rows = []
    for one in found.failed:
        if one.failing is not None:
            it, name = one.failing, one.verdict.task.name or str(one.at)
            figures = it.at, it.inside, it.inside == 0, it.characters, it.tokens
            rows.append((name, it.name, it.type, it.wanted, it.got, it.token, *figures))
    heads = (
        "sample", "variable", "type", "true value", "predicted value", "token", "wrong at", "in token at",
        "begins token", "characters", "tokens",
    )  # fmt: skip
    told = f"| is where a token of {found.tokenizer} begins, « » around the first wrong character; places count from 0"
    return Table("Where tokens cut the values that went wrong", heads, tuple(rows), told)


# ---- sums


def _tallies(title: str, head: str, parts: Mapping[str, VerdictCounts]) -> Table:
    rows = []
    for name, part in parts.items():
        one = part.answer
        rows.append((name, share(one), one.wrong, one.truncated, one.malformed, share(part.trace)))
    return Table(title, (head, *OUTCOMES), tuple(rows))


def _own_answers(found: Findings) -> Table:
    """What the models say beside their traces, of those that say something."""
    said = found.sums.said
    rows: tuple[tuple[Cell, ...], ...] = (("all", share(said), said.wrong),) if said.n else ()
    return Table("Its own answer beside the trace", ("", "right", "wrong"), rows)


def _own_draws(found: Findings) -> Table:
    """Traces beside the runs that have the draws which the model made itself, of programs that draw."""
    drawn = found.sums.drawn
    row = ("all", share(drawn), drawn.wrong, drawn.truncated, drawn.malformed, found.sums.unknown)
    rows: tuple[tuple[Cell, ...], ...] = (row,) if drawn.n else ()
    heads = ("", "right", "wrong", "truncated", "malformed", "could not be known")
    note = "could not be known: the trace is right given its own draws, and parts from the recorded run by them alone"
    return Table("Given its own draws", heads, rows, note)


def _endings(found: Findings) -> Table:
    keys = ("n", "right", "wrong", "truncated", "malformed")
    rows: list[tuple[Cell, ...]] = [
        (name, *(int(row.get(key, 0)) for key in keys)) for name, row in found.endings.items()
    ]
    return Table("By how the text ends", ("ending", "n", "answer right", *keys[2:]), tuple(rows))


def _causes(found: Findings) -> dict[str, Table]:
    failed = len(found.failed)
    rows = [(name, Share(one.n, failed), one.answer, one.trace) for name, one in found.sums.causes.items()]
    heads = ("cause", "share of failures", "answers wrong", "traces wrong")
    return {
        "causes": Table("By cause", heads, tuple(rows)),
        "operations": _counted(found, "operation", "operation on the line"),
        "types": _counted(found, "type", "type of the value"),
        "causes-by-operation": crossed(found, list(found.counted("operation"))),
    }


def _counted(found: Findings, field: str, title: str) -> Table:
    """Of the failures whose trace is wrong: a right one has no step to be about."""
    counts = found.counted(field)
    failed = sum(counts.values())
    rows = tuple((name, Share(count, failed)) for name, count in counts.items())
    return Table(f"By {title}", (title, "share of wrong traces"), rows)


def crossed(found: Findings, operations: Sequence[str]) -> Table:
    """How often each cause goes with each of some operations."""
    parted = [one for one in found.failed if one.verdict.trace != "right"]
    pairs = Counter((one.verdict.cause, one.operation or NONE) for one in parted)
    causes = {one.verdict.cause for one in parted}
    rows: list[tuple[Cell, ...]] = [
        (name, *(pairs[name, each] for each in operations)) for name in found.sums.causes if name in causes
    ]
    return Table("By cause and operation", ("cause", *operations), tuple(rows))


def _interventions(found: Findings) -> dict[str, Table]:
    if found.interventions is None:
        return {}
    effects = found.interventions.effects
    corrected = holm([effect.pairs.p for effect in effects])
    rows = []
    for effect, p in zip(effects, corrected, strict=True):
        pairs = effect.pairs
        tests = (
            pairs.net,
            pairs.recovery,
            pairs.regression,
            Chance(pairs.p),
            Chance(p),
            effect.unfit,
            effect.faults,
        )
        rows.append((effect.intervention, INTERVENTIONS.get(effect.intervention, ""), *tests))
    heads = (
        "intervention", "", "net", "recovered of failed", "regressed of passing", "McNemar's p", "p, Holm", "not fit", "faults",
    )  # fmt: skip
    shares = tuple((name, share) for name, share in found.interventions.confirmed.items())
    return {
        "interventions": Table("What each intervention did", heads, tuple(rows)),
        "confirmed": Table("Causes confirmed by their intervention", ("cause", "confirmed"), shares),
    }


# ---- costs

CURVES = {"steps": "steps of the true trace", "value": "characters of its longest value"}


def sizes(found: Findings) -> dict[str, list[tuple[int, int]]]:
    """The sizes of each true trace and its prediction, by unit."""
    some = {"bytes": [one.sizes for one in found.seen]}
    some["tokens"] = [one.tokens for one in found.seen if one.tokens is not None]
    return {unit: pairs for unit, pairs in some.items() if pairs}


def _costs(found: Findings) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for unit, pairs in sizes(found).items():
        for name, some in zip(("truth", "prediction"), zip(*pairs, strict=True), strict=True):
            rows.append((f"{name}, {unit}", *_spread(some)))
    return Table("What traces cost", SIZES, tuple(rows))


def _spread(some: Sequence[int]) -> Iterable[int]:
    cuts = quantiles(some, n=100, method="inclusive") if len(some) > 1 else [float(some[0])] * 99
    for number in (len(some), min(some), cuts[49], cuts[89], cuts[98], max(some), sum(some)):
        yield round(number)


def curve_rows(found: Findings, by: str) -> tuple[CurveRow, ...]:
    """How many tokens a true trace takes by its steps or its longest value; bytes where there is no tokenizer."""
    lengths = {"steps": lambda one: one.verdict.steps, "value": lambda one: one.longest}
    some = (one for one in found.seen if one.tokens is not None or not found.tokenizer)
    return curve((lengths[by](one), (one.tokens or one.sizes)[0]) for one in some)


def unit(found: Findings) -> str:
    """What a budget is counted in."""
    return f"{found.tokenizer} tokens" if found.tokenizer else "bytes"


def costs_by(found: Findings, by: str) -> Table:
    """The tokens of true traces by length, and how many are over each budget."""
    rows: list[tuple[Cell, ...]] = []
    for row in curve_rows(found, by):
        over = (Share(count, row.n) for count in row.over)
        rows.append((row.name, row.tenth, row.median, row.ninetieth, row.most, *over))
    heads = (CURVES[by], "10 %", "median", "90 %", "most", *(f"over {budget:,}" for budget in BUDGETS))
    title = f"What a true trace takes to write, by {CURVES[by]}"
    return Table(title, heads, tuple(rows), f"in {unit(found)}, without the prompt")


def _settings(found: Findings) -> Table:
    """The configuration that decided the run."""
    rows = [("run", found.name), *((key, _plain(value)) for key, value in found.config.items())]
    return Table("Settings", ("setting", "value"), tuple(rows))


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=True)

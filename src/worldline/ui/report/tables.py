"""All tables of a run as data, for the page and for `export`."""

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
from worldline.evaluation.conclusion import net_text
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


def tables(findings: Findings) -> dict[str, Table]:
    """Return all tables by name; those without rows are left out."""
    groups = findings.sums.by_length if is_grouped(findings) else {}
    by_name = {
        "samples": samples(findings),
        "summary": _tallies("All", "", {"all": findings.sums.all}, findings),
        "own-answers": _own_answers(findings),
        "own-draws": _own_draws(findings),
        "by-length": _tallies("By length of the true trace, in steps", "steps", findings.by_steps.by_length, findings),
        "by-group": _tallies("By depth or group", "group", groups, findings),
        "by-type": _tallies("By type of the answer", "type", findings.sums.by_type, findings),
        "by-ending": _endings(findings),
        **{f"suite-{_slug(table.title)}": table for table in findings.own},
        **_causes(findings),
        **(_comparisons(findings) if findings.sums.has_rates else {}),
        "failing-values": failing(findings),
        **_interventions(findings),
        "costs": _costs(findings),
        **{f"costs-by-{by}": costs_by(findings, by) for by in CURVES},
        "settings": _settings(findings),
    }
    return {name: table for name, table in by_name.items() if table.rows}


def _comparisons(findings: Findings) -> dict[str, Table]:
    """Return the tables that need the passing samples too."""
    return {
        "operation-rates": comparisons.operations(findings),
        "strings": comparisons.strings(findings),
        "value-types": comparisons.types(findings),
        "value-lengths": comparisons.lengths(findings),
        "value-densities": comparisons.densities(findings),
    }


def is_grouped(findings: Findings) -> bool:
    """Return whether the suite groups its tasks."""
    return any(sample.verdict.task.group for sample in findings.seen)


def share(tally: Tally) -> Share:
    """Return the share of right verdicts."""
    return Share(tally.right, tally.n)


def _slug(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:60] or "table"


# ---- one row each


def samples(findings: Findings) -> Table:
    """List every judged prediction."""
    rows = tuple(_sample(sample, findings) for sample in findings.seen)
    note = "the columns step to character are the first divergence of a failure; steps of the true trace count from 0"
    return Table("Samples", SAMPLES, rows, note)


def _sample(sample: JudgedSample, findings: Findings) -> tuple[Cell, ...]:
    verdict, sums, first = sample.verdict, findings.sums, sample.divergence
    divergence: tuple[Cell, ...] = (None,) * 8
    if first is not None:
        divergence = (
            *(first.step, first.line, first.what, first.name, first.wanted, first.got),
            *(first.path or None, first.character),
        )
    return (
        *(sample.at, verdict.task.name, verdict.task.group, sums.suite, sums.model),
        *(sample.program, sample.status, sample.codec),
        *(verdict.answer, verdict.trace, verdict.said or None, verdict.drawn or None),
        *(verdict.type, verdict.cause or None),
        *divergence,
        *(sample.operation or None, sample.type or None, verdict.steps, verdict.agreed),
        *sample.sizes,
        *(sample.tokens or (None, None)),
        *(sample.longest, verdict.seconds, sample.logprob),
    )


def failing(findings: Findings) -> Table:
    """List how the tokenizer splits each wrong value; no rows without a tokenizer."""
    rows = []
    for sample in findings.failed:
        if (value := sample.failing) is not None:
            name = sample.verdict.task.name or str(sample.at)
            figures = value.at, value.inside, value.inside == 0, value.characters, value.tokens
            rows.append((name, value.name, value.type, value.wanted, value.got, value.token, *figures))
    values = ("sample", "variable", "type", "true value", "predicted value", "token")
    heads = (*values, "wrong at", "in token at", "begins token", "characters", "tokens")
    note = f"| marks where a token of {findings.tokenizer} starts, « » the first wrong character; all count from 0"
    return Table("Tokens of the wrong values", heads, tuple(rows), note)


# ---- sums


def _tallies(title: str, head: str, parts: Mapping[str, VerdictCounts], findings: Findings) -> Table:
    """Count outcomes, as rates if the samples are not a selection."""
    rows = []
    for name, part in parts.items():
        answer = part.answer
        rights = (_right(tally, findings) for tally in (answer, part.trace))
        rows.append((name, next(rights), answer.wrong, answer.truncated, answer.malformed, next(rights)))
    return Table(title, (head, *OUTCOMES), tuple(rows))


def _right(tally: Tally, findings: Findings) -> Cell:
    return share(tally) if findings.sums.has_rates else tally.right


def _own_answers(findings: Findings) -> Table:
    answers = findings.sums.said
    rows: tuple[tuple[Cell, ...], ...] = (("all", share(answers), answers.wrong),) if answers.n else ()
    return Table("Reported answer besides the trace", ("", "right", "wrong"), rows)


def _own_draws(findings: Findings) -> Table:
    """Judge the traces of programs with random draws against executions with the model's own draws."""
    drawn = findings.sums.drawn
    row = ("all", share(drawn), drawn.wrong, drawn.truncated, drawn.malformed, findings.sums.unknown)
    rows: tuple[tuple[Cell, ...], ...] = (row,) if drawn.n else ()
    heads = ("", "right", "wrong", "truncated", "malformed", "could not be known")
    note = "could not be known: the trace is right given its own draws, and only these differ from the recorded run"
    return Table("Given its own draws", heads, rows, note)


def _endings(findings: Findings) -> Table:
    keys = ("n", "right", "wrong", "truncated", "malformed")
    rows: list[tuple[Cell, ...]] = [
        (name, *(int(row.get(key, 0)) for key in keys)) for name, row in findings.endings.items()
    ]
    return Table("By ending of the text", ("ending", "n", "answer right", *keys[2:]), tuple(rows))


def _causes(findings: Findings) -> dict[str, Table]:
    failed = len(findings.failed)
    causes = findings.sums.causes
    rows = [(name, Share(count.n, failed), count.answer, count.trace) for name, count in causes.items()]
    heads = ("cause", "share of failures", "answers wrong", "traces wrong")
    return {
        "causes": Table("By cause", heads, tuple(rows)),
        "operations": _counted(findings, "operation", "operation on the line"),
        "types": _counted(findings, "type", "type of the value"),
        "causes-by-operation": crossed(findings, list(findings.counted("operation"))),
    }


def _counted(findings: Findings, field: str, title: str) -> Table:
    """Count the failures with a wrong trace; others have no step that they are about."""
    counts = findings.counted(field)
    failed = sum(counts.values())
    rows = tuple((name, Share(count, failed)) for name, count in counts.items())
    return Table(f"By {title}", (title, "share of wrong traces"), rows)


def crossed(findings: Findings, operations: Sequence[str]) -> Table:
    """Count how often each cause occurs with each of some operations."""
    wrong = [sample for sample in findings.failed if sample.verdict.trace != "right"]
    counts = Counter((sample.verdict.cause, sample.operation or NONE) for sample in wrong)
    causes = {sample.verdict.cause for sample in wrong}
    rows: list[tuple[Cell, ...]] = [
        (cause, *(counts[cause, operation] for operation in operations))
        for cause in findings.sums.causes
        if cause in causes
    ]
    return Table("By cause and operation", ("cause", *operations), tuple(rows))


def _interventions(findings: Findings) -> dict[str, Table]:
    if findings.interventions is None:
        return {}
    effects = findings.interventions.effects
    corrected = holm([effect.pairs.p for effect in effects])
    rows = []
    for effect, p in zip(effects, corrected, strict=True):
        pairs = effect.pairs
        flipped = (pairs.net, pairs.recovery, pairs.regression, net_text(effect.expected))
        tests = (*flipped, Chance(pairs.p), Chance(p), effect.unfit, effect.faults)
        rows.append((effect.intervention, INTERVENTIONS.get(effect.intervention, ""), *tests))
    flips = ("intervention", "", "net", "recovered of failed", "regressed of passing", "net, all samples")
    heads = (*flips, "McNemar's p", "p, Holm", "not fit", "faults")
    shares = tuple((name, share) for name, share in findings.interventions.confirmed.items())
    return {
        "interventions": Table("Effects of the interventions", heads, tuple(rows)),
        "confirmed": Table("Causes confirmed by their intervention", ("cause", "confirmed"), shares),
    }


# ---- costs

CURVES = {"steps": "steps of the true trace", "value": "characters of its longest value"}


def sizes(findings: Findings) -> dict[str, list[tuple[int, int]]]:
    """Return the sizes of each true trace and its prediction, by unit."""
    by_unit = {
        "bytes": [sample.sizes for sample in findings.seen],
        "tokens": [sample.tokens for sample in findings.seen if sample.tokens is not None],
    }
    return {unit: pairs for unit, pairs in by_unit.items() if pairs}


def _costs(findings: Findings) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for unit, pairs in sizes(findings).items():
        for name, numbers in zip(("actual", "predicted"), zip(*pairs, strict=True), strict=True):
            rows.append((f"{name}, {unit}", *_spread(numbers)))
    return Table("Costs of traces", SIZES, tuple(rows))


def _spread(numbers: Sequence[int]) -> Iterable[int]:
    cuts = quantiles(numbers, n=100, method="inclusive") if len(numbers) > 1 else [float(numbers[0])] * 99
    for number in (len(numbers), min(numbers), cuts[49], cuts[89], cuts[98], max(numbers), sum(numbers)):
        yield round(number)


def curve_rows(findings: Findings, by: str) -> tuple[CurveRow, ...]:
    """Return the size of true traces by steps or by longest value, in tokens or, without a tokenizer, in bytes."""
    counted = [sample for sample in findings.seen if sample.tokens is not None or not findings.tokenizer]
    lengths = [sample.verdict.steps if by == "steps" else sample.longest for sample in counted]
    return curve(zip(lengths, ((sample.tokens or sample.sizes)[0] for sample in counted), strict=True))


def unit(findings: Findings) -> str:
    """Return the unit of costs."""
    return f"{findings.tokenizer} tokens" if findings.tokenizer else "bytes"


def costs_by(findings: Findings, by: str) -> Table:
    """Return the size of true traces by length, and how many exceed each budget."""
    rows: list[tuple[Cell, ...]] = []
    for row in curve_rows(findings, by):
        over = (Share(count, row.n) for count in row.over)
        rows.append((row.name, row.tenth, row.median, row.ninetieth, row.most, *over))
    heads = (CURVES[by], "10 %", "median", "90 %", "most", *(f"over {budget:,}" for budget in BUDGETS))
    title = f"Cost of a true trace, by {CURVES[by]}"
    return Table(title, heads, tuple(rows), f"in {unit(findings)}, without the prompt")


def _settings(findings: Findings) -> Table:
    rows = [("run", findings.name), *((key, _plain(value)) for key, value in findings.config.items())]
    return Table("Settings", ("setting", "value"), tuple(rows))


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=True)

"""How the rows and the figure of each published table are made from stored runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from worldline.core.stats import Share
from worldline.evaluation.suites.composition import DEPTHS
from worldline.evaluation.suites.permutation import LENGTHS
from worldline.evaluation.suites.published import ANSWER
from worldline.evaluation.suites.value_groups import GROUPS, TITLE
from worldline.evaluation.suites.zoo import KINDS
from worldline.evaluation.table import Cell, Table
from worldline.ui.report import comparisons
from worldline.ui.report.charts import Rates
from worldline.ui.report.data import Findings
from worldline.ui.report.paper.beside import MEASURED, NumberedSources, cited_cells, cited_name, cited_rows, rates
from worldline.ui.report.paper.record import PaperContent, PaperResults
from worldline.ui.report.tables import share

MIN_CLASS_SHARE = 0.03  # of the failures; smaller classes are shown only if they were published too
PUBLISHED_NOTE = "published: in %, without intervals"


def cruxeval(results: PaperResults) -> PaperContent:
    """Return answers and whole traces right on CRUXEval, and what others report."""
    sums, sources = results.judged["crux"].sums, NumberedSources()
    figures = (ANSWER, "state exact", "action exact")
    cited = cited_rows("crux", figures)
    own = (results.model, "trace", share(sums.all.answer), share(sums.all.trace), None, None, MEASURED)
    rows = []
    for row in cited:
        model, way, answer, *exact, mark = cited_cells(row, figures, sources)
        rows.append((model, way, answer, None, *exact, mark))
    heads = ("model", "way", "answer", "whole trace", "state exact", "action exact", "source")
    unknown = (Share(0, 0),)
    drawn = [(f"{results.model}, trace", (share(sums.all.answer),)), *((cited_name(row), unknown) for row in cited)]
    known = (("published", (None, *(rates(row, figures)[0] for row in cited))),)
    chart = Rates(
        "cruxeval", "CRUXEval answers", (MEASURED,), tuple(drawn), measure="answers right", cited=known, label_chars=66
    )
    return PaperContent(table=Table("", heads, (own, *rows), PUBLISHED_NOTE), chart=chart, sources=sources.all)


def permutation(results: PaperResults) -> PaperContent:
    """Return exact final states by the number of lines, with the model's own actions and with forced ones."""
    groups = tuple(map(str, LENGTHS))
    measured = {
        ("own actions", results.model): _by_group(results.judged["own"], groups),
        ("actions forced", results.model): _by_group(results.judged["forced"], groups),
    }
    return _by_scale("permutation", "permutation", "exact final state", "lines", groups, measured)


def composition(results: PaperResults) -> PaperContent:
    """Return answers by the depth of the chain, of strings and of other values."""
    findings, sources = results.judged["chains"], NumberedSources()
    depths = tuple(map(str, DEPTHS))
    own = {kind: _by_group(findings, [f"{depth}/{kind}" for depth in depths]) for kind in KINDS}
    (row,) = cited_rows("composition", ("string/1",))
    names = {kind: [f"{kind}/{depth}" for depth in depths] for kind in KINDS}
    rows: list[tuple[Cell, ...]] = [
        (results.model, f"{kind} values", *shares, MEASURED) for kind, shares in own.items()
    ]
    cited: list[tuple[Cell, ...]] = [
        (row.model, f"{kind} values", *cited_cells(row, names[kind], sources)[2:]) for kind in KINDS
    ]
    heads = ("model", "programs", *(f"depth {depth}" for depth in depths), "source")
    chart = Rates(
        "composition",
        "Composition by depth",
        tuple(f"{results.model}, {kind}" for kind in KINDS),
        tuple((depth, tuple(own[kind][at] for kind in KINDS)) for at, depth in enumerate(depths)),
        is_scale=True,
        measure="answers right",
        cited=tuple((f"{row.model}, {kind}", rates(row, names[kind])) for kind in KINDS),
    )
    return PaperContent(table=Table("", heads, (*rows, *cited), PUBLISHED_NOTE), chart=chart, sources=sources.all)


def failures(results: PaperResults) -> PaperContent:
    """Return failures by cause and by type of the wrong value, and how many are right after a rewriting."""
    findings, sources = results.judged["failures"], NumberedSources()
    failed, cited = len(findings.failed), cited_rows("crux", ("wrong value",))[0]
    causes = {name: Share(count.n, failed) for name, count in findings.sums.causes.items()}
    types = {name: Share(count, failed) for name, count in findings.counted("type").items() if name != "none"}
    fixed = _fixed(findings)
    rewritten = cited_rows("crux", tuple(fixed))[0]
    marks = {id(row): sources.mark(row.source) for row in (cited, rewritten)}
    parts = (
        ("cause", _shown(causes, cited.figures, _CITED_CAUSES), cited),
        ("type", _shown(types, cited.figures, _CITED_TYPES), cited),
        ("rewritten", fixed, rewritten),
    )
    rows, drawn, known = list[tuple[Cell, ...]](), list[tuple[str, tuple[Share, ...]]](), list[float | None]()
    for part, classes, row in parts:
        for name, own in classes.items():
            value = row.figures.get(name)
            rows.append((part, name, own, value, marks[id(row)] if value is not None else None))
            drawn.append((f"{part}: {name}", (own,)))
            known.append(None if value is None else value / 100)
    heads = ("failures by", "class", results.model, f"{cited.model} on CRUXEval", "source")
    chart = Rates(
        "failures",
        "Failures by cause, by type, and fixed",
        (results.model,),
        tuple(drawn),
        measure="of the failures",
        cited=((f"{cited.model} on CRUXEval", tuple(known)),),
    )
    tried = "published chars: of what flatten did not fix"
    note = f"{findings.sums.n:,} programs of {findings.sums.suite}, {failed:,} failures; {PUBLISHED_NOTE}; {tried}"
    return PaperContent(table=Table("", heads, tuple(rows), note), chart=chart, sources=sources.all)


_CITED_CAUSES, _CITED_TYPES = ("wrong value", "wrong action", "budget"), ("str", "list", "int")


def _shown(classes: Mapping[str, Share], figures: Mapping[str, float], cited: Sequence[str]) -> dict[str, Share]:
    """The published classes, and others that are frequent."""
    total = next((part.n for part in classes.values()), 0)
    frequent = {name: part for name, part in classes.items() if (part.rate or 0) >= MIN_CLASS_SHARE or name in cited}
    return frequent | {name: Share(0, total) for name in cited if name in figures and name not in classes}


def _fixed(findings: Findings) -> dict[str, Share]:
    """The share of failed samples that are right after each rewriting; of none if it was not tried."""
    effects = findings.interventions.effects if findings.interventions is not None else ()
    recovered = {effect.intervention: effect.pairs.recovery for effect in effects}
    return {f"fixed by {name}": recovered.get(name, Share(0, 0)) for name in ("flatten", "chars")}


def strings(results: PaperResults) -> PaperContent:
    """Return how often answers that are strings are wrong, how often others, and both at equal length."""
    findings, sources = results.judged["failures"], NumberedSources()
    figures = ("strings wrong", "other values wrong")
    own = comparisons.strings(findings).rows[0][1:5]
    cited = cited_rows("crux", figures)
    rows = [
        (row.model, "published", *(row.figures[name] for name in figures), None, None, sources.mark(row.source))
        for row in cited
    ]
    heads = ("model", "", *figures, "difference", "at equal length", "source")
    measured = (results.model, f"{findings.sums.suite}, n = {findings.sums.n:,}", *own, MEASURED)
    shares = cast("tuple[Share, Share]", own[:2])
    chart = Rates(
        "strings",
        "Wrong answers: strings and other values",
        (results.model,),
        tuple((name, (part,)) for name, part in zip(figures, shares, strict=True)),
        measure="wrong",
        cited=tuple((f"{row.model} on CRUXEval", rates(row, figures)) for row in cited),
    )
    return PaperContent(table=Table("", heads, (measured, *rows), PUBLISHED_NOTE), chart=chart, sources=sources.all)


def tokenizers(results: PaperResults) -> PaperContent:
    """Return wrong values by what they hold, beside models that differ only in their tokens."""
    measured, sources = results.measured["values"], NumberedSources()
    known = {str(name): wrong for table in measured.tables if table.title == TITLE for name, wrong in table.rows}
    own = {group: cast("Share", known.get(group, Share(0, 0))) for group in GROUPS}
    cited = cited_rows("states", GROUPS)
    heads = ("model", "", *(f"{group}, wrong" for group in GROUPS), "source")
    rows = [cited_cells(row, GROUPS, sources) for row in cited]
    chart = Rates(
        "tokenizers",
        "Wrong values, each predicted after the truth",
        (results.model,),
        tuple((group, (own[group],)) for group in GROUPS),
        measure="wrong",
        cited=tuple((row.model, rates(row, GROUPS)) for row in cited),
    )
    table = Table("", heads, ((results.model, "", *own.values(), MEASURED), *rows), PUBLISHED_NOTE)
    return PaperContent(table=table, chart=chart, sources=sources.all)


def _by_scale(
    name: str,
    suite: str,
    measure: str,
    along: str,
    groups: Sequence[str],
    measured: Mapping[tuple[str, str], Sequence[Share]],
) -> PaperContent:
    """A table with one column per group, in order, and the curves of its rows."""
    sources, cited = NumberedSources(), cited_rows(suite, groups)
    rows: list[tuple[Cell, ...]] = [(model, way, *shares, MEASURED) for (way, model), shares in measured.items()]
    heads = ("model", "way", *(f"{group} {along}" for group in groups), "source")
    table = Table("", heads, (*rows, *(cited_cells(row, groups, sources) for row in cited)), PUBLISHED_NOTE)
    chart = Rates(
        name,
        f"{measure}, by {along}".capitalize(),
        tuple(f"{model}, {way}" for way, model in measured),
        tuple((group, tuple(shares[at] for shares in measured.values())) for at, group in enumerate(groups)),
        is_scale=True,
        measure=measure,
        cited=tuple((cited_name(row), rates(row, groups)) for row in cited),
    )
    return PaperContent(table=table, chart=chart, sources=sources.all)


def _by_group(findings: Findings, groups: Sequence[str]) -> list[Share]:
    """The answers of each group."""
    by_group = findings.sums.by_length
    return [share(by_group[group].answer) if group in by_group else Share(0, 0) for group in groups]

"""Several runs on one self-contained page: the main table, flips, rates by row, causes, interventions and costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path

from worldline.core.stats import ALPHA, RateDifference, Share
from worldline.core.text import plural
from worldline.evaluation.table import Chance, Table
from worldline.ui.report.charts import Chart, Differences, Rates, label, svg
from worldline.ui.report.comparison.data import MEASURES, ComparedRun, ComparedRuns, gather_runs
from worldline.ui.report.comparison.flips import ShownFlip, choose_flips, flip_cards
from worldline.ui.report.comparison.main_table import main_markup
from worldline.ui.report.comparison.tables import RIGHT, rates_without_n, tables
from worldline.ui.report.debug_page import STYLE as ROW_STYLE
from worldline.ui.report.markup import document, prose, safe, short
from worldline.ui.report.page import STYLE as PAGE_STYLE
from worldline.ui.report.page import axis_end
from worldline.ui.report.svg import MAX_SERIES
from worldline.ui.report.table_markup import table_markup

STYLE = ROW_STYLE + PAGE_STYLE + "\n" + files(__package__).joinpath("comparison.css").read_text("utf-8")
MAX_NAMES = 20  # of unpaired samples
MAX_TITLE_LABELS = 4


def render_comparison(
    paths: Sequence[Path], *, limit: int, tokenizer: str | None = None
) -> tuple[str, ComparedRuns, list[ShownFlip], int]:
    """Return the page of several runs.

    Args:
        paths: The directories of the runs; the first is the baseline.
        limit: Maximum number of flips to show.
        tokenizer: Counts the tokens, as in `gather`.

    Returns:
        The page, its data, the flips it shows, and on how many samples and flips the tool failed.
    """
    compared = gather_runs(paths, tokenizer=tokenizer)
    chosen = choose_flips(compared, limit)
    cards, faults = flip_cards(compared, chosen)
    return page(compared, cards), compared, chosen, compared.unread + faults


def page(compared: ComparedRuns, cards: Mapping[int, Sequence[str]]) -> str:
    """Return the page. `cards` are the markup of flips, by the number of the run."""
    every = tables(compared)
    figures = {chart.name: svg(chart) for chart in charts(compared, every)}
    body = (
        f"<h1>{safe(compared.suite)} <small>{len(compared.runs)} runs compared</small></h1>",
        *_summary(compared, every["models"]),
        _contents(every),
        "<h2 id=models>Models</h2>",
        main_markup(every["models"], has_adjusted=len(compared.others) > 1),
        *_unpaired(compared),
        f"<h3>Answers and traces right</h3>{figures['models']}",
        f"<h3>Paired differences</h3>{figures['differences']}",
        *_conclusions(compared),
        *_flips(compared, every, cards),
        "<h2 id=accuracy>Accuracy</h2>",
        *_section("by-length", figures, every),
        *_section("by-type", figures, every),
        *_titled("causes", figures, every),
        *_section("operations", figures, every),
        *_titled("interventions", figures, every),
        *_titled("costs", figures, every),
        *_titled("settings", figures, every),
    )
    return document(f"{compared.suite} · {_title(compared)}", STYLE, body)


def _title(compared: ComparedRuns) -> str:
    labels = [label(name) for name in compared.labels[:MAX_TITLE_LABELS]]
    more = len(compared.runs) - len(labels)
    return ", ".join(labels) + (f" and {more} more" if more else "")


# ---- figures


def charts(compared: ComparedRuns, every: Mapping[str, Table]) -> Iterator[Chart]:
    """Yield all figures of a comparison. Those with a series for each run show the first six runs."""
    names = compared.short_labels
    rows = tuple(
        (name, tuple(run.right(measure) for measure in MEASURES))
        for name, run in zip(names, compared.runs, strict=True)
    )
    yield Rates("models", "Answers and traces right", MEASURES, rows)
    differences: list[tuple[str, tuple[RateDifference | None, ...]]] = [
        (name, tuple(compared.change(run, measure).difference for measure in MEASURES))
        for name, run in zip(names[1:], compared.others, strict=True)
    ]
    yield Differences("differences", "Paired differences to the baseline", names[0], MEASURES, tuple(differences))
    for name, title, is_scale in (
        ("by-length", "Answers right by length", True),
        ("by-type", "Answers right by type", False),
        ("causes", "Samples that fail, by cause", False),
        ("operations", "Failure rate of each operation", False),
    ):
        if name in every:
            yield _rates(compared, name, title, every[name], is_scale=is_scale)


def _rates(compared: ComparedRuns, name: str, title: str, table: Table, *, is_scale: bool) -> Rates:
    series = tuple(map(label, compared.short_labels[:MAX_SERIES]))
    rows = tuple(
        (str(row[0]), tuple(cell for cell in row if isinstance(cell, Share))[:MAX_SERIES])
        for row in table.rows
        if row[0] != RIGHT
    )
    if name in ("by-length", "by-type"):
        return Rates(name, title, series, rows, is_scale)
    top = axis_end([share for _, shares in rows for share in shares if share.n])
    return Rates(name, title, series, rows, measure="failed", top=top)


# ---- sections


def _summary(compared: ComparedRuns, main: Table) -> Iterator[str]:
    for run in compared.runs:
        if not run.findings.is_complete:
            yield f'<p class="note">{safe(run.label)} is not complete: the page shows its records so far.</p>'
        if run.selection is not None and not run.selection.has_rates:
            yield f'<p class="note">{safe(f"{run.label}: {run.selection.note} Its rates are those of the file")}.</p>'
    yield f'<p class="lead">{safe(verdict(compared, main))}</p>'
    right = [sum(answers) for answers in zip(*(_rights(run) for run in compared.runs), strict=True)]
    in_all, in_none = right.count(len(compared.runs)), right.count(0)
    counts = f"Of {compared.n:,} samples judged in all runs, {in_all:,} are right in all of them, {in_none:,} in none."
    yield f'<p class="note">{counts}</p>'


def verdict(compared: ComparedRuns, main: Table) -> str:
    """Say which runs have more or fewer answers right than the baseline, by the corrected tests."""
    groups: dict[str, list[str]] = {"More": [], "Fewer": [], "No difference": []}
    for row in main.rows[1:]:
        difference, adjusted = row[3], row[5]
        if not isinstance(difference, RateDifference) or not isinstance(adjusted, Chance):
            continue
        name = short(str(row[0]), 80)
        if adjusted.p >= ALPHA:
            groups["No difference"].append(name)
        else:
            groups["More" if difference.rate > 0 else "Fewer"].append(f"{name} ({100 * difference.rate:+.1f} points)")
    baseline = short(compared.baseline.label, 80)
    heads = {
        "More": f"More answers right than {baseline}",
        "Fewer": f"Fewer answers right than {baseline}",
        "No difference": f"No significant difference from {baseline} with {compared.n:,} samples",
    }
    return " ".join(f"{heads[group]}: {'; '.join(names)}." for group, names in groups.items() if names)


def _rights(run: ComparedRun) -> list[bool]:
    return [sample.verdict.answer == "right" for sample in run.seen]


def _conclusions(compared: ComparedRuns) -> Iterator[str]:
    yield "<h2 id=conclusions>Conclusions</h2>"
    for run in compared.runs:
        facts = "".join(f"<dt>{name}</dt><dd>{prose(text)}</dd>" for name, text in run.conclusion.sentences)
        yield f'<h3>{safe(short(run.label, 80))}</h3><dl class="conclusion">{facts}</dl>'


def _contents(every: Mapping[str, Table]) -> str:
    sections = ["models", "conclusions", "flips", "accuracy", *(name for name in _OPTIONAL if name in every)]
    links = (f'<a href="#{name}">{name}</a>' for name in sections)
    return f"<nav>{' '.join(links)}</nav>"


_OPTIONAL = ("causes", "interventions", "costs", "settings")
_WITH_N = ("by-length", "by-type")  # tables with a column of n


def _section(name: str, figures: Mapping[str, str], every: Mapping[str, Table]) -> Iterator[str]:
    """Yield a table with its title and figure, if it has rows."""
    if name in every:
        yield f"<h3>{safe(every[name].title)}</h3>{_body(name, figures, every)}"


def _titled(name: str, figures: Mapping[str, str], every: Mapping[str, Table]) -> Iterator[str]:
    """Yield a section of its own, if its table has rows."""
    if name in every:
        yield f"<h2 id={name}>{safe(every[name].title)}</h2>{_body(name, figures, every)}"


def _body(name: str, figures: Mapping[str, str], every: Mapping[str, Table]) -> str:
    table, figure = every[name], figures.get(name, "")
    runs = len(every["models"].rows)
    if figure and runs > MAX_SERIES:
        figure += f'<p class="note">The figure shows the first {MAX_SERIES} of {runs} runs.</p>'
    return figure + table_markup(rates_without_n(table) if name in _WITH_N else table)


def _unpaired(compared: ComparedRuns) -> Iterator[str]:
    for run in compared.runs:
        if run.unpaired:
            names = ", ".join(short(name, 60) for name in run.unpaired[:MAX_NAMES])
            more = f" and {len(run.unpaired) - MAX_NAMES:,} more" if len(run.unpaired) > MAX_NAMES else ""
            count = plural(len(run.unpaired), "sample")
            note = f"{run.label}: {count} that another run lacks, not compared: {names}{more}"
            yield f'<p class="note">{safe(note)}.</p>'
    if compared.unread:
        yield f'<p class="note">{plural(compared.unread, "sample")} failed in the tool: not counted in any rate.</p>'


def _flips(compared: ComparedRuns, every: Mapping[str, Table], cards: Mapping[int, Sequence[str]]) -> Iterator[str]:
    yield f"<h2 id=flips>Flips</h2>{table_markup(every['flips'])}"
    baseline = safe(short(compared.baseline.label, 80))
    for number, run in enumerate(compared.others, 1):
        total, shown = len(compared.flips(run)), cards.get(number, ())
        if not total:
            continue
        count = f"{len(shown):,} of {total:,}" if len(shown) < total else f"{total:,}"
        yield f"<h3>{safe(short(run.label, 80))} against {baseline} <small>{count}</small></h3>"
        if len(shown) < total:
            yield '<p class="note">--max-failures shows more.</p>'
        yield from shown

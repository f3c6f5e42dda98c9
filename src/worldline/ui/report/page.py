"""The report of a run as one self-contained page: its conclusion, then the failures, then tables and figures.

`data` gathers what it shows, `tables` and `charts` arrange it, and `failures` renders each failure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from itertools import groupby
from pathlib import Path

from worldline.codec.notation import notation
from worldline.core.fault import RowFault, call_or_fault
from worldline.core.stats import Share
from worldline.evaluation.conclusion import is_unreadable
from worldline.evaluation.summary import VerdictCounts
from worldline.evaluation.table import Table, text_of
from worldline.ui.report.charts import MAX_ROWS, Budgets, Chart, Counts, Flips, Rates, SizeSpread, svg
from worldline.ui.report.comparisons import densities, lengths, operations
from worldline.ui.report.data import Findings, current, gather
from worldline.ui.report.debug_page import STYLE as ROW_STYLE
from worldline.ui.report.failures import failure
from worldline.ui.report.markup import document, prose, safe, short
from worldline.ui.report.table_markup import table_markup
from worldline.ui.report.tables import CURVES, crossed, curve_rows, is_grouped, share, sizes, tables, unit

STYLE = "\n" + files(__package__).joinpath("page.css").read_text("utf-8")  # follows debug_page.css
DEFAULT_FAILURES = 200
MAX_OPERATIONS = 8  # columns of the table of causes by operation
MIN_RELIABLE = 20  # with fewer samples, the axis need not show the whole interval of a rate
MAX_OPEN_CARDS = 10  # of each cause; the others are one click away
AXIS_ENDS = (0.01, 0.02, 0.04, 0.1, 0.2, 0.4, 1.0)


def render(path: Path, *, limit: int = DEFAULT_FAILURES, tokenizer: str | None = None) -> tuple[str, Findings]:
    """Return the page of a run, and its data.

    Args:
        path: The directory of the run.
        limit: Maximum number of failures to show.
        tokenizer: Counts the tokens, as in `gather`.
    """
    findings = gather(path, limit=limit, tokenizer=tokenizer)
    wanted = set(findings.listed)
    rendered = {
        record.at: call_or_fault(failure, record, findings.tried(record.at))
        for record in current(path)
        if record.at in wanted
    }
    failures = {
        at: _fault_note(at, markup) if isinstance(markup, RowFault) else markup for at, markup in rendered.items()
    }
    unread = findings.unread + sum(isinstance(markup, RowFault) for markup in rendered.values())
    return page(findings, failures), replace(findings, unread=unread)


def _fault_note(at: int, fault: RowFault) -> str:
    return f'<p id="failure-{at}">sample {at:,} cannot be shown: {safe(fault.note)}</p>'


def page(findings: Findings, failures: Mapping[int, str]) -> str:
    """Return the page of a run. `failures` are markup."""
    sums, all_tables = findings.sums, tables(findings)
    figures = {chart.name: svg(chart) for chart in charts(findings)}
    body = (
        f"<h1>{safe(sums.suite)} <small>{safe(sums.model)}</small></h1>",
        _conclusion(findings),
        *_summary(findings),
        _contents(findings, all_tables),
        *_failures(findings, failures),
        *_accuracy(findings, figures, all_tables),
        *_causes(findings, figures, all_tables),
        *_strings(figures, all_tables),
        *_tokens(findings, figures, all_tables),
        *_interventions(findings, figures, all_tables),
        *_costs(findings, figures, all_tables),
        *_settings(all_tables),
    )
    return document(f"{sums.suite} · {sums.model}", ROW_STYLE + STYLE, body)


def charts(findings: Findings) -> Iterator[Chart]:
    """Yield all figures of a run; without rates, if its samples are a selection."""
    yield from _rate_charts(findings) if findings.sums.has_rates else ()
    if findings.failed:
        causes = tuple((name, failures.n) for name, failures in findings.sums.causes.items())
        yield Counts("causes", "Failures by cause", causes)
        yield Counts("operations", "Failures by operation", tuple(findings.counted("operation").items()))
        yield Counts("types", "Failures by type of the value", tuple(findings.counted("type").items()))
    if findings.interventions is not None:
        effects = findings.interventions.effects
        rows = tuple((e.intervention, e.pairs.recovered, e.pairs.regressed) for e in effects)
        yield Flips("interventions", "Samples that each intervention flipped", rows)
    for name, pairs in sizes(findings).items():
        series = tuple(zip(("actual", "predicted"), zip(*pairs, strict=True), strict=True))
        yield SizeSpread(name, f"Size of a trace in {name}", name, series)
    if findings.seen:
        for by, along in CURVES.items():
            title, rows_by = f"Cost of a true trace, by {along}", curve_rows(findings, by)
            yield Budgets(f"costs-by-{by}", title, unit(findings), along, rows_by)


def _rate_charts(findings: Findings) -> Iterator[Chart]:
    yield _rates("by-length", "Accuracy by length of the true trace", findings.by_steps.by_length, is_scale=True)
    if is_grouped(findings):
        groups = findings.sums.by_length
        are_numbers = all(name.isdecimal() for name in groups)
        yield _rates("by-group", "Accuracy by depth or group", groups, is_scale=are_numbers)
    yield _rates("by-type", "Accuracy by type of the answer", findings.sums.by_type)
    if findings.failed:
        yield _operation_rates(findings)
        yield from _wrong(findings)


def _rates(name: str, title: str, parts: Mapping[str, VerdictCounts], *, is_scale: bool = False) -> Rates:
    rows = tuple((row, (share(part.answer), share(part.trace))) for row, part in parts.items())
    return Rates(name, title, ("answer", "trace"), rows, is_scale)


def _operation_rates(findings: Findings) -> Rates:
    """Return the failure rate of each operation that failed."""
    table = operations(findings)
    shares = [(str(row[0]), row[1]) for row in table.rows]
    rows = tuple((name, (rate,)) for name, rate in shares if isinstance(rate, Share) and rate.some)
    top = axis_end([rate for _, (rate,) in rows])
    return Rates("operation-rates", table.title, ("failed",), rows, measure="failed", top=top)


def axis_end(shares: Sequence[Share]) -> float:
    """Return an end above every rate, and above the intervals of reliable rates."""
    highs = (share.interval[1] if share.n >= MIN_RELIABLE else share.rate or 0 for share in shares)
    highest = max(highs, default=1)
    return next((end for end in AXIS_ENDS if end >= highest), 1.0)


def _wrong(findings: Findings) -> Iterator[Rates]:
    """Yield the rates of wrong values by length and by characters per token."""
    by_name = {"value-lengths": lengths(findings), "value-densities": densities(findings)}
    for name, table in by_name.items():
        rows = tuple((str(row), tuple(cell for cell in cells if isinstance(cell, Share))) for row, *cells in table.rows)
        top = axis_end([share for _, shares in rows for share in shares if share.n])
        if rows:
            yield Rates(name, table.title, table.heads[1:], rows, is_scale=True, measure="wrong", top=top)


# ---- tables


def _section(name: str, figures: Mapping[str, str], every: Mapping[str, Table]) -> Iterator[str]:
    """Yield a table with its title and figure, if it has rows."""
    table = every.get(name)
    if table is not None:
        figure = figures.get(name, "")
        if figure and len(table.rows) > MAX_ROWS:
            figure += f'<p class="note">The figure shows the first {MAX_ROWS} of {len(table.rows):,} rows.</p>'
        yield f"<h3>{safe(table.title)}</h3>{figure}{table_markup(table)}"


def _rate(part: Share) -> str:
    """Return a rate with its interval."""
    return text_of(part).rpartition(" of ")[0]


# ---- sections


def _conclusion(findings: Findings) -> str:
    """Return the sentences that open the report; code in them is between backticks."""
    rows = (f"<dt>{label}</dt><dd>{prose(text)}</dd>" for label, text in findings.conclusion.sentences)
    kind = "conclusion" if findings.sums.has_rates and not is_unreadable(findings.sums) else "conclusion warns"
    return f'<section class="{kind}" aria-label="Conclusion"><dl>{"".join(rows)}</dl></section>'


def _summary(findings: Findings) -> Iterator[str]:
    sums = findings.sums
    if not findings.is_complete:
        yield '<p class="note">This run is not complete: the report shows its records so far.</p>'
    answer, trace = share(sums.all.answer), share(sums.all.trace)
    counts = f"{answer.some:,} of {answer.n:,} answers and {trace.some:,} whole traces right; these are no rates"
    rates = f"{_strong(answer)} of answers right, {_strong(trace)} of whole traces, n = {sums.n:,}"
    yield f'<p class="lead">{rates if sums.has_rates else counts}</p>'
    notes = [f"{sums.bytes:,} bytes predicted in {sums.seconds:,.1f} s"]
    excluded = {
        "without a true answer": sums.skipped,
        "tool faults": sums.faults,
        "where the recording disagrees with the benchmark": sums.disagrees,
    }
    notes += [f"{count:,} {name}, not counted in any rate" for name, count in excluded.items() if count]
    yield f'<p class="note">{safe("; ".join(notes))}. Intervals: Wilson, 95 %.</p>'


def _strong(part: Share) -> str:
    rate, _, interval = _rate(part).partition(" (")
    return f"<b>{rate}</b>" + (f" ({interval}" if interval else "")


def _contents(findings: Findings, every: Mapping[str, Table]) -> str:
    sections = {
        "failures": bool(findings.failed),
        "accuracy": True,
        "causes": True,
        "strings": "strings" in every,
        "tokens": bool(findings.tokenizer),
        "interventions": findings.interventions is not None,
        "costs": bool(findings.seen),
        "settings": True,
    }
    links = (f'<a href="#{name}">{name}</a>' for name, is_present in sections.items() if is_present)
    return f"<nav>{' '.join(links)}</nav>"


def _accuracy(findings: Findings, figures: Mapping[str, str], every: Mapping[str, Table]) -> Iterator[str]:
    yield "<h2 id=accuracy>Accuracy</h2>"
    yield table_markup(every["summary"])
    own = [name for name in every if name.startswith("suite-")]
    for name in ("own-answers", "by-length", "by-group", "by-type", "by-ending", *own):
        yield from _section(name, figures, every)
    if findings.trouble:
        yield f'<p class="note">The suite\'s own tables are missing: {safe(short(findings.trouble, 200))}.</p>'


def _causes(findings: Findings, figures: Mapping[str, str], every: Mapping[str, Table]) -> Iterator[str]:
    yield "<h2 id=causes>Causes of failures</h2>"
    failed = len(findings.failed)
    if not failed:
        yield "<p>Nothing failed.</p>"
        return
    yield (
        f'<p class="note">{failed:,} predictions with a wrong trace or answer, each by its first divergence. '
        "A cause is a hypothesis until its intervention confirms it.</p>"
    )
    for name in ("causes", "operations", "operation-rates", "types"):
        yield from _section(name, figures, every)
    table = crossed(findings, list(findings.counted("operation"))[:MAX_OPERATIONS])
    yield f"<h3>{table.title}</h3>{table_markup(table)}"


def _strings(figures: Mapping[str, str], every: Mapping[str, Table]) -> Iterator[str]:
    if "strings" not in every:
        return
    yield f"<h2 id=strings>{every['strings'].title}</h2>{table_markup(every['strings'])}"
    for name in ("value-lengths", "value-types"):
        yield from _section(name, figures, every)


def _tokens(findings: Findings, figures: Mapping[str, str], every: Mapping[str, Table]) -> Iterator[str]:
    if findings.tokenizer:
        yield f"<h2 id=tokens>Tokens</h2><p class=note>Tokens of {safe(findings.tokenizer)}.</p>"
        for name in ("value-densities", "failing-values"):
            yield from _section(name, figures, every)


def _interventions(findings: Findings, figures: Mapping[str, str], every: Mapping[str, Table]) -> Iterator[str]:
    interventions = findings.interventions
    if interventions is None:
        return
    failed, passing = (f"{len(interventions.failed):,} failed samples", f"{interventions.passing:,} passing ones")
    yield f"<h2 id=interventions>Interventions</h2>{figures['interventions']}"
    yield (
        f'<p class="note">{failed} and {len(interventions.chosen):,} of {passing} were predicted again. '
        f"A sample is right if its {safe(interventions.by)} is.</p>"
    )
    if "interventions" in every:
        yield table_markup(every["interventions"])
    yield from _section("confirmed", figures, every)


def _costs(findings: Findings, figures: Mapping[str, str], every: Mapping[str, Table]) -> Iterator[str]:
    known = sizes(findings)
    if not known:
        return
    yield "<h2 id=costs>Costs of traces</h2>"
    for name in known:
        yield f"<h3>In {name}</h3>{figures[name]}"
    yield table_markup(every["costs"])
    notations = [notation(name) for name in findings.codecs]
    note = f"Written in {' and '.join(written.title for written in notations)}"
    if findings.tokenizer:
        metas = " with the special tokens of Meta's model" if findings.tokenizer == "llama3" else ""
        note += f"; tokens of {findings.tokenizer}{metas}"
    elif any(written.special_tokens for written in notations):
        note += "; tokens are not counted: install tiktoken and llama-models, or pass --tokenizer"
    yield f'<p class="note">{safe(note)}.</p>'
    for by in CURVES:
        yield from _section(f"costs-by-{by}", figures, every)


def _failures(findings: Findings, failures: Mapping[int, str]) -> Iterator[str]:
    failed = findings.failed
    if not failed:
        return
    yield "<h2 id=failures>Failures</h2>"
    if len(findings.listed) < len(failed):
        yield (
            f'<p class="note">{len(findings.listed):,} of {len(failed):,} failures are shown, spread evenly over the '
            "causes; --max-failures shows more.</p>"
        )
    causes = {sample.at: sample.verdict.cause for sample in failed}
    for cause, group in groupby(findings.listed, lambda at: causes[at]):
        cards, total = [failures[at] for at in group], findings.sums.causes[cause].n
        count = f"{len(cards):,} of {total:,}" if len(cards) < total else f"{total:,}"
        yield f"<h3>{safe(cause)} <small>{count}</small></h3>"
        yield from cards[:MAX_OPEN_CARDS]
        if more := cards[MAX_OPEN_CARDS:]:
            yield f'<details class="more"><summary>{len(more):,} more</summary>{"".join(more)}</details>'


def _settings(every: Mapping[str, Table]) -> Iterator[str]:
    yield "<h2 id=settings>Settings</h2><dl>"
    for key, value in every["settings"].rows:
        yield f"<dt>{safe(str(key))}</dt><dd>{safe(short(str(value), 2_000))}</dd>"
    yield "</dl>"

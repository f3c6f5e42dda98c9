"""A run as one self-contained page: no script, no network, everything escaped. It shows sums, figures and failures.

What it shows is gathered by `data`, put in `tables`, drawn by `charts` and, failure by failure, by `failures`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from html import escape
from importlib.resources import files
from pathlib import Path

from worldline.codec.notation import notation
from worldline.codec.token_split import LEFT
from worldline.core.fault import RowFault, call_or_fault
from worldline.core.stats import Share
from worldline.evaluation.summary import VerdictCounts
from worldline.evaluation.table import Table, text_of
from worldline.ui.report.charts import MOST, Budgets, Chart, Counts, Flips, Rates, Sizes, svg
from worldline.ui.report.comparisons import densities, lengths, operations
from worldline.ui.report.data import Findings, current, gather
from worldline.ui.report.debug_page import BRAND
from worldline.ui.report.debug_page import STYLE as ROW_STYLE
from worldline.ui.report.failures import failure, safe, short
from worldline.ui.report.tables import CURVES, crossed, curve_rows, is_grouped, share, sizes, tables, unit

STYLE = "\n" + files(__package__).joinpath("page.css").read_text("utf-8")  # follows debug_page.css
LIMIT = 200  # failures that are shown by default
TABLE = 400  # rows of one table
COLUMNS = 8  # operations beside the causes
KNOWN = 20  # of which a rate's interval is shown whole
TOPS = (0.01, 0.02, 0.04, 0.1, 0.2, 0.4, 1.0)  # where the axis of a figure of failures ends
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def render(path: Path, *, limit: int = LIMIT, tokenizer: str | None = None) -> tuple[str, Findings]:
    """The page of a run, and what it was made of; `tokenizer` says what tokens are."""
    found = gather(path, limit=limit, tokenizer=tokenizer)
    wanted = set(found.listed)
    shown = {
        record.at: call_or_fault(failure, record, found.tried(record.at))
        for record in current(path)
        if record.at in wanted
    }
    failures = {at: _unshown(at, one) if isinstance(one, RowFault) else one for at, one in shown.items()}
    unread = found.unread + sum(isinstance(one, RowFault) for one in shown.values())
    return page(found, failures), replace(found, unread=unread)


def _unshown(at: int, fault: RowFault) -> str:
    """In place of a failure: that the tool could not show it."""
    return f'<p id="failure-{at}">sample {at:,} cannot be shown: {safe(fault.note)}</p>'


def page(found: Findings, failures: Mapping[int, str]) -> str:
    """The whole page; `failures` are marked up already."""
    title = f"{found.sums.suite} · {found.sums.model}"
    figures, every = {chart.name: svg(chart) for chart in charts(found)}, tables(found)
    parts = [
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        '<meta name="viewport" content="width=device-width,initial-scale=1">',
        f"<title>{safe(title)}</title><style>{ROW_STYLE}{STYLE}</style></head><body>",
        BRAND,
        f"<h1>{safe(found.sums.suite)} <small>{safe(found.sums.model)}</small></h1>",
        *_summary(found),
        _contents(found, every),
        *_accuracy(found, figures, every),
        *_causes(found, figures, every),
        *_strings(figures, every),
        *_tokens(found, figures, every),
        *_interventions(found, figures, every),
        *_costs(found, figures, every),
        *_failures(found, failures),
        *_settings(every),
        "</body></html>\n",
    ]
    return "\n".join(parts)


def charts(found: Findings) -> Iterator[Chart]:
    """Every figure of a run."""
    yield _rates("by-length", "Accuracy by length of the true trace", found.by_steps.by_length, is_scale=True)
    if is_grouped(found):
        groups = found.sums.by_length
        plain = all(name.isdecimal() for name in groups)
        yield _rates("by-group", "Accuracy by depth or group", groups, is_scale=plain)
    yield _rates("by-type", "Accuracy by type of the answer", found.sums.by_type)
    if found.failed:
        causes = tuple((name, failures.n) for name, failures in found.sums.causes.items())
        yield Counts("causes", "Failures by cause", causes)
        yield Counts("operations", "Failures by operation", tuple(found.counted("operation").items()))
        yield _operation_rates(found)
        yield Counts("types", "Failures by type of the value", tuple(found.counted("type").items()))
        yield from _wrong(found)
    if found.interventions is not None:
        rows = tuple(
            (e.intervention, e.pairs.recovered, e.pairs.regressed) for e in found.interventions.effects
        )
        yield Flips("interventions", "What each intervention flipped", rows)
    for name, pairs in sizes(found).items():
        series = tuple(zip(("truth", "prediction"), zip(*pairs, strict=True), strict=True))
        yield Sizes(name, f"How many {name} a trace takes", name, series)
    if found.seen:
        for by, along in CURVES.items():
            rows_by = curve_rows(found, by)
            yield Budgets(
                f"costs-by-{by}", f"What a true trace takes, by {along}", unit(found), along, rows_by
            )


def _rates(name: str, title: str, parts: Mapping[str, VerdictCounts], *, is_scale: bool = False) -> Rates:
    rows = tuple((row, (share(part.answer), share(part.trace))) for row, part in parts.items())
    return Rates(name, title, ("answer", "trace"), rows, is_scale)


def _operation_rates(found: Findings) -> Rates:
    """How often each operation that failed did so of the times that it ran."""
    table = operations(found)
    shares = [(str(row[0]), row[1]) for row in table.rows]
    rows = tuple((name, (one,)) for name, one in shares if isinstance(one, Share) and one.some)
    return Rates(
        "operation-rates",
        table.title,
        ("failed",),
        rows,
        what="failed",
        top=_top([one for _, (one,) in rows]),
    )


def _top(shares: Sequence[Share]) -> float:
    """Where the axis ends: above every rate, and above the interval of those that are known well."""
    most = max((each.interval[1] if each.n >= KNOWN else each.rate or 0 for each in shares), default=1)
    return next((top for top in TOPS if top >= most), 1.0)


def _wrong(found: Findings) -> Iterator[Rates]:
    """How often values are wrong, strings beside the rest: by how long they are, by how large their tokens are."""
    every = {"value-lengths": lengths(found), "value-densities": densities(found)}
    for name, table in every.items():
        rows = tuple(
            (str(row), tuple(cell for cell in cells if isinstance(cell, Share))) for row, *cells in table.rows
        )
        top = _top([each for _, shares in rows for each in shares if each.n])
        if rows:
            yield Rates(name, table.title, table.heads[1:], rows, is_scale=True, what="wrong", top=top)


# ---- tables


def _table(table: Table) -> str:
    """A table of escaped cells, words on the left and figures on the right; its note under it."""
    words = [all(isinstance(row[i], str) for row in table.rows) for i in range(len(table.heads))]
    head = "".join(
        f"<th{'' if word else ' class=figure'}>{safe(one)}"
        for one, word in zip(table.heads, words, strict=True)
    )
    body = []
    for row in table.rows[:TABLE]:
        cells = (_cell(text_of(cell), word) for cell, word in zip(row, words, strict=True))
        body.append(f"<tr>{''.join(cells)}</tr>")
    more = len(table.rows) - TABLE
    cut = f'<p class="note">{more:,} more rows are not shown.</p>' if more > 0 else ""
    note = f'<p class="note">{safe(table.note)}</p>' if table.note else ""
    return (
        f'<div class="wide"><table class="sums"><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(body)}</tbody></table></div>{cut}{note}"
    )


def _cell(text: str, is_word: bool) -> str:
    if not is_word:
        return f"<td class=figure>{safe(text)}"
    kind = " class=split" if LEFT in text else " class=long" if len(text) > 30 else ""
    return f"<td{kind}>{safe(short(text, 120))}"


def _titled(name: str, figures: Mapping[str, str], every: Mapping[str, Table]) -> Iterator[str]:
    """A table with its title, behind its figure where it has one; nothing of one that has no rows."""
    table = every.get(name)
    if table is not None:
        cut = f'<p class="note">The figure shows the first {MOST} of {len(table.rows):,} rows.</p>'
        figure = figures.get(name, "")
        yield f"<h3>{safe(table.title)}</h3>{figure}{cut if figure and len(table.rows) > MOST else ''}{_table(table)}"


def _rate(part: Share) -> str:
    """A rate with its interval."""
    return text_of(part).rpartition(" of ")[0]


# ---- sections


def _summary(found: Findings) -> Iterator[str]:
    sums = found.sums
    if not found.is_through:
        yield '<p class="note">This run is not through: what follows is what it holds so far.</p>'
    answer, trace = share(sums.all.answer), share(sums.all.trace)
    yield (
        f'<p class="lead">{_strong(answer)} of answers right, {_strong(trace)} of whole traces, n = {sums.n:,}</p>'
    )
    rest = [f"{sums.bytes:,} bytes predicted in {sums.seconds:,.1f} s"]
    apart = {
        "without a true answer": sums.skipped, "faults of the tool": sums.faults,
        "where the recording disagrees with the benchmark": sums.disagrees,
    }  # fmt: skip
    rest += [f"{count:,} {name}, in no rate" for name, count in apart.items() if count]
    yield f'<p class="note">{escape("; ".join(rest))}. Intervals are Wilson\'s, of 95 %.</p>'


def _strong(part: Share) -> str:
    rate, _, interval = _rate(part).partition(" (")
    return f"<b>{rate}</b>" + (f" ({interval}" if interval else "")


def _contents(found: Findings, every: Mapping[str, Table]) -> str:
    there = {
        "accuracy": True, "causes": True, "strings": "strings" in every, "tokens": bool(found.tokenizer),
        "interventions": found.interventions is not None, "costs": bool(found.seen), "failures": bool(found.failed), "settings": True,
    }  # fmt: skip
    links = (f'<a href="#{name}">{name}</a>' for name, is_there in there.items() if is_there)
    return f"<nav>{' '.join(links)}</nav>"


def _accuracy(found: Findings, figures: Mapping[str, str], every: Mapping[str, Table]) -> Iterator[str]:
    yield "<h2 id=accuracy>Accuracy</h2>"
    yield _table(every["summary"])
    own = [name for name in every if name.startswith("suite-")]
    for name in ("own-answers", "by-length", "by-group", "by-type", "by-ending", *own):
        yield from _titled(name, figures, every)
    if found.trouble:
        yield f'<p class="note">The suite\'s own tables could not be made: {safe(short(found.trouble, 200))}.</p>'


def _causes(found: Findings, figures: Mapping[str, str], every: Mapping[str, Table]) -> Iterator[str]:
    yield "<h2 id=causes>Why it fails</h2>"
    failed = len(found.failed)
    if not failed:
        yield "<p>Nothing failed.</p>"
        return
    yield (
        f'<p class="note">{failed:,} predictions whose trace or answer is not right, each by its first divergence. '
        "A cause is a finding, and confirmed only by its intervention.</p>"
    )
    for name in ("causes", "operations", "operation-rates", "types"):
        yield from _titled(name, figures, every)
    table = crossed(found, list(found.counted("operation"))[:COLUMNS])
    yield f"<h3>{table.title}</h3>{_table(table)}"


def _strings(figures: Mapping[str, str], every: Mapping[str, Table]) -> Iterator[str]:
    if "strings" not in every:
        return
    yield f"<h2 id=strings>{every['strings'].title}</h2>{_table(every['strings'])}"
    for name in ("value-lengths", "value-types"):
        yield from _titled(name, figures, every)


def _tokens(found: Findings, figures: Mapping[str, str], every: Mapping[str, Table]) -> Iterator[str]:
    if found.tokenizer:
        yield f"<h2 id=tokens>What tokens have to do with it</h2><p class=note>Tokens of {safe(found.tokenizer)}.</p>"
        for name in ("value-densities", "failing-values"):
            yield from _titled(name, figures, every)


def _interventions(found: Findings, figures: Mapping[str, str], every: Mapping[str, Table]) -> Iterator[str]:
    interventions = found.interventions
    if interventions is None:
        return
    told = f"{len(interventions.failed):,} failed samples and {len(interventions.chosen):,} of {interventions.passing:,} passing ones"
    yield f"<h2 id=interventions>What each intervention did</h2>{figures['interventions']}"
    yield f'<p class="note">{told} were asked again; right is by the {safe(interventions.by)}.</p>'
    if "interventions" in every:
        yield _table(every["interventions"])
    yield from _titled("confirmed", figures, every)


def _costs(found: Findings, figures: Mapping[str, str], every: Mapping[str, Table]) -> Iterator[str]:
    known = sizes(found)
    if not known:
        return
    yield "<h2 id=costs>What traces cost</h2>"
    for name in known:
        yield f"<h3>In {name}</h3>{figures[name]}"
    yield _table(every["costs"])
    written = [notation(name) for name in found.codecs]
    told = f"Written in {' and '.join(spelling.title for spelling in written)}"
    if found.tokenizer:
        metas = " with the special tokens of Meta's model" if found.tokenizer == "llama3" else ""
        told += f"; tokens are those of {found.tokenizer}{metas}"
    elif any(spelling.special_tokens for spelling in written):
        told += "; tokens are not counted: that needs the packages tiktoken and llama-models, or --tokenizer"
    yield f'<p class="note">{safe(told)}.</p>'
    for by in CURVES:
        yield from _titled(f"costs-by-{by}", figures, every)


def _failures(found: Findings, failures: Mapping[int, str]) -> Iterator[str]:
    failed = found.failed
    if not failed:
        return
    yield "<h2 id=failures>Failures</h2>"
    if len(found.listed) < len(failed):
        yield (
            f'<p class="note">{len(found.listed):,} of {len(failed):,} failures are shown, as evenly over the causes '
            "as they occur; --max-failures shows more.</p>"
        )
    causes = {one.at: one.verdict.cause for one in failed}
    last = None
    for at in found.listed:
        if causes[at] != last:
            last = causes[at]
            here = sum(causes[each] == last for each in found.listed)
            of = found.sums.causes[last].n
            count = f"{here:,} of {of:,}" if here < of else f"{of:,}"
            yield f"<h3>{safe(last)} <small>{count}</small></h3>"
        yield failures[at]


def _settings(every: Mapping[str, Table]) -> Iterator[str]:
    yield "<h2 id=settings>Settings</h2><dl>"
    for key, value in every["settings"].rows:
        yield f"<dt>{safe(str(key))}</dt><dd>{safe(short(str(value), 2_000))}</dd>"
    yield "</dl>"

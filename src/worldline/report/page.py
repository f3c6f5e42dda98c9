"""A run as one self-contained page: no script, no network, everything escaped. It shows sums, figures and failures.

What it shows is gathered by `data`, drawn by `charts` and, failure by failure, by `failures`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from html import escape
from importlib.resources import files
from pathlib import Path
from statistics import quantiles
from typing import Any

from worldline.diagnose.cures import CURES
from worldline.diagnose.trials import Trials
from worldline.fence import RowFault, fenced
from worldline.report.charts import MOST, Chart, Counts, Flips, Rates, Sizes, svg
from worldline.report.data import NONE, Findings, current, gather
from worldline.report.debug_page import STYLE as ROW_STYLE
from worldline.report.failures import failure, safe, short
from worldline.stats import Share
from worldline.suites.report import Tally, VerdictCounts
from worldline.suites.table import Table

STYLE = "\n" + files(__package__).joinpath("page.css").read_text("utf-8")  # follows debug_page.css
LIMIT = 200  # failures that are shown, unless said
TABLE = 400  # rows of one table
COLUMNS = 8  # operations beside the causes
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def report(path: Path, *, limit: int = LIMIT) -> tuple[str, Findings]:
    """The page of a run, and what it was made of."""
    found = gather(path, limit=limit)
    wanted = set(found.listed)
    shown = {
        record.at: fenced(failure, record, found.tried(record.at))
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
    figures = {chart.name: svg(chart) for chart in charts(found)}
    parts = [
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        '<meta name="viewport" content="width=device-width,initial-scale=1">',
        f"<title>{safe(title)}</title><style>{ROW_STYLE}{STYLE}</style></head><body>",
        f"<h1>{safe(found.sums.suite)} <small>{safe(found.sums.model)}</small></h1>",
        *_summary(found),
        _contents(found),
        *_accuracy(found, figures),
        *_causes(found, figures),
        *_cures(found, figures),
        *_costs(found, figures),
        *_failures(found, failures),
        *_settings(found),
        "</body></html>\n",
    ]
    return "\n".join(parts)


def charts(found: Findings) -> Iterator[Chart]:
    """Every figure of a run."""
    yield _rates("by-length", "Accuracy by length of the true trace", found.by_steps.by_length, is_scale=True)
    if _is_grouped(found):
        groups = found.sums.by_length
        plain = all(name.isdecimal() for name in groups)
        yield _rates("by-group", "Accuracy by depth or group", groups, is_scale=plain)
    yield _rates("by-type", "Accuracy by type of the answer", found.sums.by_type)
    if found.failed:
        causes = tuple((name, failures.n) for name, failures in found.sums.causes.items())
        yield Counts("causes", "Failures by cause", causes)
        yield Counts("operations", "Failures by operation", tuple(found.counted("operation").items()))
        yield Counts("types", "Failures by type of the value", tuple(found.counted("type").items()))
    if found.cures is not None:
        rows = tuple((e.cure, e.pairs.recovered, e.pairs.regressed) for e in found.cures.effects)
        yield Flips("cures", "What each cure flipped", rows)
    for unit, pairs in costs(found).items():
        series = tuple(zip(("truth", "prediction"), zip(*pairs, strict=True), strict=True))
        yield Sizes(unit, f"How many {unit} a trace takes", unit, series)


def costs(found: Findings) -> dict[str, list[tuple[int, int]]]:
    """The sizes of each true trace and its prediction, by unit."""
    sizes = {"bytes": [one.sizes for one in found.seen]}
    sizes["tokens"] = [one.tokens for one in found.seen if one.tokens is not None]
    return {unit: pairs for unit, pairs in sizes.items() if pairs}


def _rates(name: str, title: str, parts: Mapping[str, VerdictCounts], *, is_scale: bool = False) -> Rates:
    rows = tuple((row, (_of(part.answer), _of(part.trace))) for row, part in parts.items())
    return Rates(name, title, ("answer", "trace"), rows, is_scale)


def _of(tally: Tally) -> Share:
    return Share(tally.right, tally.n)


def _is_grouped(found: Findings) -> bool:
    return any(one.verdict.task.group for one in found.seen)


# ---- tables


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]], *, texts: int = 1) -> str:
    """A table of escaped cells, the first `texts` of them words and the others figures."""
    head = "".join(f"<th>{safe(one)}" for one in heads)
    body = []
    for row in rows[:TABLE]:
        words = (
            f"<td{' class=long' if len(cell) > 30 else ''}>{safe(short(cell, 120))}" for cell in row[:texts]
        )
        figures = (f"<td class=figure>{safe(cell)}" for cell in row[texts:])
        body.append(f"<tr>{''.join(words)}{''.join(figures)}</tr>")
    cut = f'<p class="note">{len(rows) - TABLE:,} more rows are not shown.</p>' if len(rows) > TABLE else ""
    return (
        f'<div class="wide"><table class="sums"><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(body)}</tbody></table></div>{cut}"
    )


def _tallies(title: str, parts: Mapping[str, VerdictCounts]) -> str:
    heads = (title, "n", "answer right", "wrong", "truncated", "malformed", "trace right")
    rows = []
    for name, part in parts.items():
        one = part.answer
        counts = (f"{count:,}" for count in (one.wrong, one.truncated, one.malformed))
        rows.append((name, f"{one.n:,}", _rate(_of(one)), *counts, _rate(_of(part.trace))))
    return _table(heads, rows)


def _rate(share: Share | Share) -> str:
    """A rate with its interval."""
    if share.rate is None:
        return "-"
    low, high = share.interval
    return f"{100 * share.rate:.1f} % ({100 * low:.1f} - {100 * high:.1f})"


# ---- sections


def _summary(found: Findings) -> Iterator[str]:
    sums = found.sums
    if not found.is_through:
        yield '<p class="note">This run is not through: what follows is what it holds so far.</p>'
    answer, trace = _of(sums.all.answer), _of(sums.all.trace)
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


def _strong(share: Share) -> str:
    rate, _, interval = _rate(share).partition(" (")
    return f"<b>{rate}</b>" + (f" ({interval}" if interval else "")


def _contents(found: Findings) -> str:
    there = {
        "accuracy": True, "causes": True, "cures": found.cures is not None, "costs": bool(found.seen),
        "failures": bool(found.failed), "settings": True,
    }  # fmt: skip
    links = (f'<a href="#{name}">{name}</a>' for name, is_there in there.items() if is_there)
    return f"<nav>{' '.join(links)}</nav>"


def _accuracy(found: Findings, figures: Mapping[str, str]) -> Iterator[str]:
    yield "<h2 id=accuracy>Accuracy</h2>"
    yield _tallies("", {"all": found.sums.all})
    own = found.sums.said
    if own.n:
        yield f"<p>Its own answer beside the trace: {_rate(Share(own.right, own.n))} right, {own.wrong:,} wrong.</p>"
    yield f"<h3>By length of the true trace, in steps</h3>{figures['by-length']}"
    yield _tallies("steps", found.by_steps.by_length)
    if "by-group" in figures:
        yield f"<h3>By depth or group</h3>{figures['by-group']}"
        yield _cut(len(found.sums.by_length)) + _tallies("group", found.sums.by_length)
    yield f"<h3>By type of the answer</h3>{figures['by-type']}"
    yield _cut(len(found.sums.by_type)) + _tallies("type", found.sums.by_type)
    if found.endings:
        yield f"<h3>By how the text ends</h3>{_endings(found.endings)}"
    for table in found.own:
        yield f"<h3>{safe(table.title)}</h3>{_own(table)}"
    if found.trouble:
        yield f'<p class="note">The suite\'s own tables could not be made: {safe(short(found.trouble, 200))}.</p>'


def _cut(rows: int) -> str:
    return f'<p class="note">The figure shows the first {MOST} of {rows:,} rows.</p>' if rows > MOST else ""


def _own(table: Table) -> str:
    note = f'<p class="note">{safe(table.note)}</p>' if table.note else ""
    heads, *rows = table.texts()
    words = sum(all(isinstance(row[i], str) for row in table.rows) for i in range(len(heads)))
    return _table(heads, rows, texts=words) + note


def _endings(endings: Mapping[str, Mapping[str, Any]]) -> str:
    rows = []
    for name, row in endings.items():
        counts = (f"{row.get(key, 0):,}" for key in ("right", "wrong", "truncated", "malformed"))
        rows.append((name, f"{row.get('n', 0):,}", *counts))
    return _table(("ending", "n", "answer right", "wrong", "truncated", "malformed"), rows)


def _causes(found: Findings, figures: Mapping[str, str]) -> Iterator[str]:
    yield "<h2 id=causes>Why it fails</h2>"
    failed = len(found.failed)
    if not failed:
        yield "<p>Nothing failed.</p>"
        return
    yield (
        f'<p class="note">{failed:,} predictions whose trace or answer is not right, each by its first divergence. '
        "A cause is a finding, and confirmed only by its cure.</p>"
    )
    rows = []
    for name, one in found.sums.causes.items():
        rows.append((name, f"{one.n:,}", _rate(Share(one.n, failed)), f"{one.answer:,}", f"{one.trace:,}"))
    yield f"<h3>By cause</h3>{figures['causes']}"
    yield _table(("cause", "n", "share of failures", "answers wrong", "traces wrong"), rows)
    for field, title in (("operation", "operation on the line"), ("type", "type of the value")):
        counts = found.counted(field)
        some = [(name, f"{count:,}", _rate(Share(count, failed))) for name, count in counts.items()]
        yield f"<h3>By {title}</h3>{figures[field + 's']}{_cut(len(some))}"
        yield _table((title, "n", "share of failures"), some)
    yield from _operation_rates(found)
    yield f"<h3>By cause and operation</h3>{_crossed(found)}"


def _operation_rates(found: Findings) -> Iterator[str]:
    """How often each operation fails when it is executed; nothing of a run that does not say how often that is."""
    rows = [
        (name, f"{share.n:,}", f"{share.some:,}", _rate(share))
        for name, share in found.sums.operations.items()
        if share.some
    ]
    if rows:
        yield (
            "<h3>Failure rate of each operation</h3>"
            '<p class="note">Of the times that it was executed with everything before it right.</p>'
        )
        yield _cut(len(rows)) + _table(("operation", "executed", "failed", "rate"), rows)


def _crossed(found: Findings) -> str:
    """How often each cause goes with each of the commonest operations."""
    pairs = Counter((one.verdict.cause, one.operation or NONE) for one in found.failed)
    names = list(found.counted("operation"))[:COLUMNS]
    rows = []
    for name in found.sums.causes:
        counts = [pairs[name, each] for each in names]
        rows.append((name, *(f"{count:,}" if count else "" for count in counts)))
    return _table(("cause", *names), rows)


def _cures(found: Findings, figures: Mapping[str, str]) -> Iterator[str]:
    cures = found.cures
    if cures is None:
        return
    told = f"{len(cures.failed):,} failed samples and {len(cures.chosen):,} of {cures.passing:,} passing ones"
    yield f"<h2 id=cures>What each cure did</h2>{figures['cures']}"
    yield f'<p class="note">{told} were asked again; right is by the {safe(cures.by)}.</p>'
    heads = (
        "cure",
        "",
        "net",
        "recovered of failed",
        "regressed of passing",
        "McNemar's p",
        "not fit",
        "faults",
    )
    yield _table(heads, list(_effects(cures)), texts=2)
    rows = [(name, f"{share.some:,} of {share.n:,}", _rate(share)) for name, share in cures.confirmed.items()]
    if rows:
        yield f"<h3>Causes confirmed by their cure</h3>{_table(('cause', 'confirmed', 'share'), rows)}"


def _effects(cures: Trials) -> Iterator[tuple[str, ...]]:
    for effect in cures.effects:
        pairs, p = effect.pairs, effect.pairs.p
        gained, lost = (
            f"{share.some:,} of {share.n:,} ({100 * share.interval[0]:.1f} - {100 * share.interval[1]:.1f} %)"
            if share.n
            else "-"
            for share in (pairs.recovery, pairs.regression)
        )
        test = f"{p:.3f}" if p >= 0.001 else f"{p:.1e}"
        counts = f"{effect.unfit:,}", f"{effect.faults:,}"
        yield effect.cure, CURES.get(effect.cure, ""), f"{pairs.net:+,}", gained, lost, test, *counts


def _costs(found: Findings, figures: Mapping[str, str]) -> Iterator[str]:
    known = costs(found)
    if not known:
        return
    yield "<h2 id=costs>What traces cost</h2>"
    rows = []
    for unit, pairs in known.items():
        yield f"<h3>In {unit}</h3>{figures[unit]}"
        for name, sizes in zip(("truth", "prediction"), zip(*pairs, strict=True), strict=True):
            rows.append((f"{name}, {unit}", *_spread(sizes)))
    yield _table(("", "n", "least", "median", "90 %", "99 %", "most", "all"), rows)
    names = {"compact": "the compact notation", "cwm": "Meta's notation"}
    told = f"Written in {' and '.join(names.get(one, one) for one in found.codecs)}"
    if "tokens" in known:
        told += "; tokens are Llama 3's with the special tokens of Meta's model"
    elif "cwm" in found.codecs:
        told += "; tokens are not counted: that needs the packages tiktoken and llama-models"
    yield f'<p class="note">{safe(told)}.</p>'


def _spread(sizes: Sequence[int]) -> Iterator[str]:
    cuts = quantiles(sizes, n=100, method="inclusive") if len(sizes) > 1 else [float(sizes[0])] * 99
    for number in (len(sizes), min(sizes), cuts[49], cuts[89], cuts[98], max(sizes), sum(sizes)):
        yield f"{number:,.0f}"


def _failures(found: Findings, failures: Mapping[int, str]) -> Iterator[str]:
    failed = found.failed
    if not failed:
        return
    yield "<h2 id=failures>Failures</h2>"
    if len(found.listed) < len(failed):
        yield (
            f'<p class="note">{len(found.listed):,} of {len(failed):,} failures are shown, as evenly over the causes '
            "as they occur; --limit shows more.</p>"
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


def _settings(found: Findings) -> Iterator[str]:
    """The configuration that decided the run."""
    yield "<h2 id=settings>Settings</h2><dl>"
    yield f"<dt>run</dt><dd>{safe(found.name)}</dd>"
    for key, value in found.config.items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=True)
        yield f"<dt>{safe(key)}</dt><dd>{safe(short(text, 2_000))}</dd>"
    yield "</dl>"

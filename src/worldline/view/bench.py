"""A benchmark's report as tables: all, by length, by type. Every rate has its n and interval; outcomes stand apart."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from worldline.bench.report import Part, Report, Tally, wilson
from worldline.view.escape import printable

OUTCOMES = ("right", "wrong", "truncated", "malformed")


def print_report(console: Console, report: Report) -> None:
    """The whole report."""
    console.print(Text(f"{report.suite}  {printable(report.model)}  n = {report.n:,}", style="bold"))
    console.print(_table("", {"answer": report.all.answer, "trace": report.all.trace}))
    for title, parts in (("steps", report.by_length), ("type", report.by_type)):
        if len(parts) > 1:
            console.print(_table(title, _rows(parts)))
    rate = f", {report.bytes / report.seconds:,.0f} a second" if report.seconds else ""
    apart = f"; {report.skipped:,} without a true answer, {report.faults:,} faults of the tool, in no rate"
    console.print(Text(f"{report.bytes:,} bytes in {report.seconds:,.1f} s{rate}{apart}", style="dim"))
    if report.disagrees:
        line = f"{report.disagrees:,} where the recording disagrees with the benchmark, in no rate"
        console.print(Text(line, style="dim"))


def _rows(parts: dict[str, Part]) -> dict[str, Tally]:
    rows: dict[str, Tally] = {}
    for name, part in parts.items():
        rows |= {f"{name} answer": part.answer, f"{name} trace": part.trace}
    return rows


def _table(title: str, rows: dict[str, Tally]) -> Table:
    table = Table(box=None, header_style="dim", pad_edge=False)
    table.add_column(title)
    for head in ("n", *OUTCOMES, "rate", "95 % interval"):
        table.add_column(head, justify="right", no_wrap=True)
    for name, tally in rows.items():
        counts = [f"{getattr(tally, outcome):,}" for outcome in OUTCOMES]
        low, high = wilson(tally.right, tally.n)
        rate = "-" if tally.rate is None else f"{100 * tally.rate:.1f} %"
        table.add_row(printable(name), f"{tally.n:,}", *counts, rate, f"{100 * low:.1f} - {100 * high:.1f}")
    return table

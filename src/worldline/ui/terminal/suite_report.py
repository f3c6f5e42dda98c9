"""The report of a benchmark as tables: totals, by length, by type, failures by cause. Every rate has n and interval."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from worldline.core.text import printable
from worldline.evaluation.conclusion import conclude
from worldline.evaluation.scratchpads import BenchResult, ScratchpadReports
from worldline.evaluation.summary import Report, Tally, VerdictCounts, wilson
from worldline.evaluation.table import Measured
from worldline.evaluation.table import Table as Figures
from worldline.ui.terminal.conclusion import print_conclusion
from worldline.ui.terminal.plain import plain_table

MAX_NAMES = 3  # for each reason why samples are not counted; `--json` has all
MAX_OPERATIONS = 16  # in a table; `--json` has all
OUTCOMES = ("right", "wrong", "truncated", "malformed")
STEPS = re.compile(r"\d+-\d+")  # a row of `by_length` that is a range of steps


def print_bench(console: Console, result: BenchResult) -> None:
    """Print the result of a suite: one report, one per scratchpad, or the suite's own tables."""
    if isinstance(result, ScratchpadReports):
        for report in result.reports.values():
            print_bench(console, report)
        print_tables(console, result.tables if len(result.reports) > 1 else ())
    elif isinstance(result, Measured):
        print_measured(console, result)
    else:
        print_report(console, result)
        print_tables(console, result.tables)


def print_report(console: Console, report: Report) -> None:
    """Print a whole report."""
    console.print(Text(f"{report.suite}  {printable(report.model)}  n = {report.n:,}", style="bold"))
    print_conclusion(console, conclude(report))
    own = {"separate answer": report.said} if report.said.n else {}
    own |= {"trace given its own draws": report.drawn} if report.drawn.n else {}
    sums = {"answer": report.all.answer, "trace": report.all.trace, **own}
    console.print(_table("", sums, has_rates=report.has_rates))
    if report.drawn.n:
        line = f"{report.unknown:,} diverge only by a draw that could not be known"
        console.print(Text(line, style="dim"))
    for title, parts in ((_length(report), report.by_length), ("type", report.by_type), ("ending", report.by_ending)):
        if len(parts) > 1 or (parts and title == "ending"):
            console.print(_table(title, _rows(parts), has_rates=report.has_rates))
    if report.causes:
        console.print(_failures(report))
    if report.has_rates and any(share.some for share in report.operations.values()):
        console.print(_operations(report))
    rate = f" ({report.bytes / report.seconds:,.0f} per second)" if report.seconds else ""
    mean = "" if report.bytes_per_program is None else f", {report.bytes_per_program:,.0f} per program,"
    speed = f"predicted {report.bytes:,} bytes{mean} in {report.seconds:,.1f} s{rate}"
    console.print(Text(f"{speed}; {_not_counted(report)}", style="dim"))
    if report.disagrees:
        line = f"not counted: {report.disagrees:,} whose recording disagrees with the benchmark"
        console.print(Text(line, style="dim"))
    print_left_out(console, report.left_out)
    print_tables(console, report.samples if report.has_rates else ())


def _length(report: Report) -> str:
    """What the rows of `by_length` are: steps, or the suite's own rows."""
    if report.suite.startswith("permutation"):
        return "lines"
    return "steps" if all(STEPS.fullmatch(name) for name in report.by_length) else "group"


def print_left_out(console: Console, left_out: Mapping[str, Sequence[str]]) -> None:
    """Print each reason why samples are not counted, with their number and names."""
    for why, names in left_out.items():
        distinct = list(dict.fromkeys(names))
        more = len(distinct) - MAX_NAMES
        shown = ", ".join(distinct[:MAX_NAMES]) + (f" and {more:,} others" if more > 0 else "")
        console.print(Text(f"not counted, {printable(why)}: {len(names):,}: {printable(shown)}", style="dim"))


def print_measured(console: Console, measured: Measured) -> None:
    """Print the result of a suite that has only tables of its own."""
    console.print(Text(f"{measured.suite}  {printable(measured.model)}  n = {measured.n:,}", style="bold"))
    print_tables(console, measured.tables)
    console.print(Text(f"{measured.seconds:,.1f} s; {_not_counted(measured)}", style="dim"))


def _not_counted(result: Report | Measured) -> str:
    return f"not counted: {result.skipped:,} without a true answer, {result.faults:,} tool faults"


def print_tables(console: Console, tables: Sequence[Figures]) -> None:
    """Print the tables of a suite, each under its title."""
    for figures in tables:
        heads, *rows = figures.texts()
        table = Table(
            box=None, header_style="dim", pad_edge=False, title=printable(figures.title), title_justify="left"
        )
        for number, head in enumerate(heads):
            table.add_column(printable(head), justify="left" if number == 0 else "right")
        for row in rows:
            table.add_row(*map(printable, row))
        console.print(table)
        if figures.note:
            console.print(Text(printable(figures.note), style="dim"))


def _failures(report: Report) -> Table:
    """Why answers and traces are wrong, with each cause's share of all failures."""
    failed = sum(failures.n for failures in report.causes.values())
    table = plain_table("cause of failure", "n", "answers wrong", "traces wrong", "share", "95 % interval")
    for name, failures in report.causes.items():
        low, high = wilson(failures.n, failed)
        counts = (f"{count:,}" for count in (failures.n, failures.answer, failures.trace))
        share = f"{100 * failures.n / failed:.1f} %"
        table.add_row(printable(name), *counts, share, f"{100 * low:.1f} - {100 * high:.1f}")
    return table


def _operations(report: Report) -> Table:
    """How often each operation fails when it is executed, the highest rate first."""
    table = plain_table("operation", "executed", "failed", "rate", "95 % interval")
    failed = {name: share for name, share in report.operations.items() if share.some}
    for name, share in list(failed.items())[:MAX_OPERATIONS]:
        low, high = share.interval
        rate = f"{100 * (share.rate or 0.0):.2f} %"
        table.add_row(printable(name), f"{share.n:,}", f"{share.some:,}", rate, f"{100 * low:.2f} - {100 * high:.2f}")
    return table


def _rows(parts: dict[str, VerdictCounts]) -> dict[str, Tally]:
    rows: dict[str, Tally] = {}
    for name, part in parts.items():
        rows |= {f"{name} answer": part.answer, f"{name} trace": part.trace}
    return rows


def _table(title: str, rows: dict[str, Tally], *, has_rates: bool) -> Table:
    table = plain_table(title, "n", *OUTCOMES, *(("rate", "95 % interval") if has_rates else ()))
    for name, tally in rows.items():
        counts = [f"{getattr(tally, outcome):,}" for outcome in OUTCOMES]
        if not has_rates:
            table.add_row(printable(name), f"{tally.n:,}", *counts)
            continue
        low, high = wilson(tally.right, tally.n)
        rate = "-" if tally.rate is None else f"{100 * tally.rate:.1f} %"
        table.add_row(printable(name), f"{tally.n:,}", *counts, rate, f"{100 * low:.1f} - {100 * high:.1f}")
    return table

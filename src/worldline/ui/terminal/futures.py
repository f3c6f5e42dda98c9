"""The result of `futures` in a terminal: outcomes with their probabilities, a model's beliefs, and their errors."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from worldline.core.text import printable
from worldline.plan.futures.future_report import FutureReport
from worldline.plan.futures.race_report import RaceReport
from worldline.plan.futures.scores import TITLES, ReliabilityBin
from worldline.ui.terminal.plain import plain_table, program_title

MAX_OUTCOME, BAR_WIDTH = 60, 24  # characters
_EIGHTHS = " ▏▎▍▌▋▊▉█"


def print_futures(console: Console, report: FutureReport, *, rows: int = 20, file: str | None = None) -> None:
    """Print a whole report; at most `rows` rows of the table, 0 for all. `file` is the program's path."""
    how = f": {report.way}" if report.by_chance else ""
    heading = Text.assemble((program_title(report.program), "bold"), (f"  {report.subject.words}{how}", "dim"))
    heading.no_wrap = True
    console.print(heading)
    if report.by_chance:
        _print_masses(console, report, rows)
    if report.beliefs:
        _print_errors(console, report)
    if report.races is not None:
        _print_races(console, report, report.races, file or report.program.name)
    for note in report.notes:
        console.print(Text(printable(f"note: {note}"), style="dim"))


def _print_masses(console: Console, report: FutureReport, rows: int) -> None:
    interval = "" if report.truth.is_exact else "95 % interval" if report.truth.samples else "between"
    models = (f"predicted ({name})" for name, _, _ in report.beliefs)
    actual = "actual" if report.beliefs else "probability"
    table = plain_table("outcome", actual, interval, "", *models, texts=("",))
    outcomes = report.things
    shown = outcomes[:rows] if rows else outcomes
    most = max((float(report.truth.mass.get(outcome, 0)) for outcome in shown), default=1.0) or 1.0
    for outcome in shown:
        mass = float(report.truth.mass.get(outcome, 0))
        low, high = report.truth.interval(outcome)
        between = "" if report.truth.is_exact else f"{low:.3f} - {high:.3f}"
        exact = exact_text(report, outcome)
        cells = [f"{masses[outcome]:.4f}" if outcome in masses else "-" for _, masses, _ in report.beliefs]
        table.add_row(Text(shortened(outcome)), exact, between, Text(bar(mass / most), style="cyan"), *cells)
    console.print(table)
    hidden = outcomes[len(shown) :]
    if hidden:
        rest = sum(float(report.truth.mass.get(outcome, 0)) for outcome in hidden)
        text = f"... {len(hidden):,} more, {rest:.4f} together; --rows 0 shows all"
        console.print(Text(text, style="dim"))


def exact_text(report: FutureReport, outcome: str) -> str:
    """Format a probability, with its fraction if that is short."""
    mass = report.truth.mass.get(outcome)
    if mass is None:
        return "-"
    fraction = "" if report.truth.samples or mass == 1 or len(str(mass)) > 9 else f"{mass} = "
    return f"{fraction}{float(mass):.4f}"


def shortened(outcome: str) -> str:
    """Cut an outcome to one line."""
    clean = printable(outcome)
    return clean if len(clean) <= MAX_OUTCOME else f"{clean[: MAX_OUTCOME // 2]} … {clean[-MAX_OUTCOME // 2 + 3 :]}"


def bar(share: float) -> str:
    """Draw a bar of this share of its width, in eighths of a character."""
    eighths = round(max(0.0, min(share, 1.0)) * BAR_WIDTH * 8)
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()


def _print_errors(console: Console, report: FutureReport) -> None:
    table = plain_table(printable(report.model), *(f"by {name}" for name, _, _ in report.beliefs))
    for name, title in TITLES.items():
        table.add_row(title, *(f"{getattr(errors, name):.4f}" for _, _, errors in report.beliefs))
    console.print(table)
    if report.imagined is not None:
        console.print(Text("by texts, KL and log-loss add half a text to each outcome", style="dim"))
    if report.own is not None:
        whole = f"the model gives the true texts, byte for byte, a probability of {report.own.whole:.4g}"
        console.print(Text(whole, style="dim"))
    for title, bins in report.reliability[-1:]:
        _print_bins(console, title, bins)


def _print_bins(console: Console, title: str, bins: Sequence[ReliabilityBin]) -> None:
    """Print the reliability diagram."""
    table = plain_table(title, "n", "predicted", "", "actual", "", texts=("",))
    for row in bins:
        table.add_row(
            f"{row.low:.2f} - {row.high:.2f}",
            f"{row.n:,}",
            f"{row.believed:.3f}",
            Text(bar(row.believed), style="yellow"),
            f"{row.true:.3f}",
            Text(bar(row.true), style="cyan"),
        )
    console.print(table)


def _print_races(console: Console, report: FutureReport, races: RaceReport, file: str) -> None:
    console.print(Text.assemble(("every result of the thread schedules", "bold"), (f"  {races.words}", "dim")))
    table = plain_table("result", "preemptions", f"share of {races.seeded.samples:,} seeded runs")
    for result, race, mass, _ in races.rows:
        table.add_row(Text(shortened(result)), "-" if race is None else f"{race.preemptions}", f"{mass:.3f}")
    console.print(table)
    call = "" if report.program.call is None else f" --call {shlex.quote(report.program.call)}"
    command = f"worldline record {shlex.quote(file)}{call} --seed {races.seed} --schedule"
    console.print(
        Text(printable(f"to replay a result, pass its schedule: {command} SCHEDULE"), style="dim"), soft_wrap=True
    )
    for result, race, _, seed in races.rows:
        schedule = race.schedule if race is not None else f"{seed}"
        console.print(Text.assemble((f"{shortened(result)}  ", "dim"), schedule), soft_wrap=True, highlight=False)

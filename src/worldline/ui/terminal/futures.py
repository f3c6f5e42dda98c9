"""What could happen, how likely, and what a model believes, in a terminal: tables, bars, and the errors of a belief."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from worldline.core.text import printable
from worldline.plan.futures.future_report import FutureReport, RaceReport
from worldline.plan.futures.scores import TITLES, ReliabilityBin
from worldline.ui.terminal.plain import plain_table

WIDE, BAR = 60, 24  # characters of a thing that can be, and of a bar
_BAR = "of the likeliest"
_EIGHTHS = " ▏▎▍▌▋▊▉█"


def print_outlook(console: Console, found: FutureReport, *, rows: int = 20) -> None:
    """All of it; `rows` of the table at most, 0 for all."""
    program = found.program
    what = program.call if program.call is not None else " ".join([program.name, *program.argv])
    way = f": {found.way}" if found.by_chance else ""
    heading = Text.assemble((printable(what), "bold"), (f"  {found.subject.words}{way}", "dim"))
    heading.no_wrap = True
    console.print(heading)
    if found.by_chance:
        _print_masses(console, found, rows)
    if found.beliefs:
        _print_errors(console, found)
    if found.races is not None:
        _print_races(console, found.races)
    for note in found.notes:
        console.print(Text(printable(f"note: {note}"), style="dim"))


def _print_masses(console: Console, found: FutureReport, rows: int) -> None:
    heads = ["", "true", "" if found.truth.is_exact else "between", _BAR]
    table = plain_table(*heads, *(name for name, _, _ in found.beliefs), texts=(_BAR,))
    every = found.things
    shown = every[:rows] if rows else every
    most = max((float(found.truth.mass.get(what, 0)) for what in shown), default=1.0) or 1.0
    for what in shown:
        mass = float(found.truth.mass.get(what, 0))
        low, high = found.truth.interval(what)
        between = "" if found.truth.is_exact else f"{low:.3f} - {high:.3f}"
        told = exact_text(found, what)
        cells = [f"{masses[what]:.4f}" if what in masses else "-" for _, masses, _ in found.beliefs]
        table.add_row(Text(shortened(what)), told, between, Text(bar(mass / most), style="cyan"), *cells)
    console.print(table)
    if len(shown) < len(every):
        rest = sum(float(found.truth.mass.get(what, 0)) for what in every[len(shown) :])
        console.print(
            Text(
                f"... {len(every) - len(shown):,} more, {rest:.4f} together; --rows 0 shows all", style="dim"
            )
        )


def exact_text(found: FutureReport, what: str) -> str:
    """A mass: as a fraction where it is a short one."""
    mass = found.truth.mass.get(what)
    if mass is None:
        return "-"
    told = "" if found.truth.samples or mass == 1 or len(str(mass)) > 9 else f"{mass} = "
    return f"{told}{float(mass):.4f}"


def shortened(what: str) -> str:
    """One line of it."""
    clean = printable(what)
    return clean if len(clean) <= WIDE else f"{clean[: WIDE // 2]} … {clean[-WIDE // 2 + 3 :]}"


def bar(share: float) -> str:
    """A bar of so much of its room, in eighths of a character."""
    eighths = round(max(0.0, min(share, 1.0)) * BAR * 8)
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()


def _print_errors(console: Console, found: FutureReport) -> None:
    table = plain_table(printable(found.model), *(f"by {name}" for name, _, _ in found.beliefs))
    for name, title in TITLES.items():
        table.add_row(title, *(f"{getattr(errors, name):.4f}" for _, _, errors in found.beliefs))
    console.print(table)
    if found.imagined is not None:
        console.print(Text("by texts, KL and log-loss count half a text more for each thing", style="dim"))
    if found.own is not None:
        whole = f"{found.own.whole:.4g} of the model's mass is on the true texts, byte for byte"
        console.print(Text(whole, style="dim"))
    for title, bins in found.reliability[-1:]:
        _print_bins(console, title, bins)


def _print_bins(console: Console, title: str, bins: Sequence[ReliabilityBin]) -> None:
    """The reliability diagram: what was believed over what is true."""
    table = plain_table(title, "n", "believed", "of 1", "true", "of 1 ", texts=("of 1", "of 1 "))
    for one in bins:
        table.add_row(
            f"{one.low:.2f} - {one.high:.2f}", f"{one.n:,}", f"{one.believed:.3f}",
            Text(bar(one.believed), style="yellow"), f"{one.true:.3f}", Text(bar(one.true), style="cyan"),
        )  # fmt: skip
    console.print(table)


def _print_races(console: Console, races: RaceReport) -> None:
    console.print(Text.assemble(("every result of its threads", "bold"), (f"  {races.words}", "dim")))
    share = f"of {races.seeded.samples:,} seeded"
    table = plain_table("", "preemptions", "switches", share, "--schedule", texts=("switches",))
    for what, one, mass, seed in races.rows:
        switches = " ".join(f"{s.step}:{s.thread}" for s in one.switches) if one is not None else ""
        count = "more" if one is None else f"{one.preemptions}"
        number = "-" if seed is None else f"{seed}"
        table.add_row(Text(shortened(what)), count, shortened(switches), f"{mass:.3f}", number)
    console.print(table)

"""What a search for an input came to, in the terminal: the call, what it comes to, and what the search took."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from worldline.core.text import plural, printable, shortened
from worldline.plan.inputs.search import InputReport

LONGEST = 400


def print_input(console: Console, report: InputReport) -> None:
    """The input that reaches the goal, or the nearest that does not."""
    if report.call is not None:
        console.print(Text(printable(report.call), style="bold"))
        outcome = "" if report.trace is None else report.trace.outcome.kind
        console.print(Text(f"{outcome} {shortened(report.came, LONGEST)}".strip()))
        console.print(
            Text(
                f"found by {report.found_by} at execution {report.found_at:,} of {report.executions:,}, "
                "and confirmed by a recorded run",
                style="dim",
            )
        )
    else:
        console.print(
            Text(
                f"no input found for {printable(report.goal.text)} in {plural(report.executions, 'execution')}"
            )
        )
        if report.nearest is not None:
            near = report.nearest
            told = f"nearest: {shortened(near.call, LONGEST)}: {shortened(near.came, LONGEST)}"
            console.print(Text(told, style="dim"))
    if report.imagined:
        console.print(
            Text(f"{report.imagined:,} bytes imagined, for the order of the first inputs", style="dim")
        )
    for notes in report.notes:
        console.print(Text(f"note: {printable(notes)}", style="dim"))

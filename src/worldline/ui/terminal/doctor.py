"""The report of `doctor` in a terminal: one row per capability, what to do, and the conclusion."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from worldline.core.machine.report import MachineReport
from worldline.core.text import printable

STATES = {True: ("yes", "green"), False: ("no", "red"), None: ("?", "yellow")}


def print_doctor(console: Console, report: MachineReport) -> None:
    """Print what this machine offers."""
    where = f" in a container ({report.container})" if report.container else ""
    console.print(Text(printable(report.system + where), style="bold"), soft_wrap=True)
    width = max((len(capability.name) for capability in report.capabilities), default=0)
    for capability in report.capabilities:
        word, style = STATES[capability.works]
        line = Text(f"  {capability.name:<{width}}  ")
        line.append(f"{word:<3}", style=style)
        line.append(f"  {printable(capability.detail)}")
        console.print(line, soft_wrap=True)
        if capability.advice and not capability.works:
            console.print(Text(f"  {'':<{width}}       {printable(capability.advice)}", style="dim"), soft_wrap=True)
    console.print(Text(printable(report.conclusion)), soft_wrap=True)

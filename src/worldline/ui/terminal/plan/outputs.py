"""The expected values of a file of tests in the terminal: a diff of what is filled in, and what is to be looked at."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from worldline.core.text import printable, shortened
from worldline.plan.outputs.report import CheckedValue, OutputsReport

LONGEST = 120
_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


def print_outputs(console: Console, report: OutputsReport, *, sure: float) -> None:
    """The diff, the assertions that do not hold or cannot be filled in, and where a model disagrees with the code."""
    for line in report.diff.splitlines():
        console.print(Text(printable(line), style=_COLOURS.get(line[:1], "")), soft_wrap=True)
    for each in report.values:
        for told in _told(each, sure):
            console.print(Text(f"line {each.expectation.line}: {told}", style="yellow"), soft_wrap=True)
    filled = sum(each.expectation.blank is not None and each.value is not None for each in report.values)
    blank = sum(each.expectation.blank is not None for each in report.values)
    held = sum(each.holds is True for each in report.values)
    others = len(report.values) - blank
    told = f"blanks with a value: {filled} of {blank}; others that hold: {held} of {others}"
    console.print(Text(told, style="dim"))


def _told(each: CheckedValue, sure: float) -> list[str]:
    value = shortened(each.expectation.value, LONGEST)
    said = []
    if each.holds is False:
        wanted = shortened(each.expectation.wanted, LONGEST)
        said.append(f"{value} is {shortened(each.value or '', LONGEST)}, and not {wanted}")
    elif each.why:
        said.append(f"{value}: {printable(each.why)}")
    if each.disagrees(sure):
        how = f"at least {each.probability:.0%} sure" if each.probability is not None else "not calibrated"
        said.append(
            f"{value}: a model imagines {shortened(each.imagined or '', LONGEST)} ({how}), the code comes to another"
        )
    return said

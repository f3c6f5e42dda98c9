"""What `plan repair` found, printed: the patches, and what they cost."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from worldline.core.text import plural, printable
from worldline.plan.repair.search import Repair

_STYLES = {"+": "green", "-": "red", "@": "cyan"}


def print_repair(console: Console, found: Repair) -> None:
    """Every patch as a diff, how it came about, and the cost of the search."""
    every = "the 1 test" if found.tests == 1 else f"all {found.tests:,} tests"
    if not found.failing:
        verb = "passes" if found.tests == 1 else "pass"
        console.print(f"{every} of {found.name} {verb}: there is nothing to repair", markup=False)
        return
    for each in found.patches:
        for line in each.patch.splitlines():
            console.print(Text(printable(line), style=_STYLES.get(line[:1], "")), soft_wrap=True)
        console.print(
            f"passes {every}, run ({each.kind}, by {each.by}; candidate {each.tried:,})\n",
            markup=False,
        )
    if not found.patches:
        console.print(
            f"no patch found among {found.tried:,} of {plural(found.candidates, 'candidate')}", markup=False
        )
    console.print(
        f"tried {found.tried:,} of {plural(found.candidates, 'candidate')} on {printable(found.first_failing)} first; "
        f"{plural(found.spent.executions, 'execution')}, "
        f"{plural(found.spent.bytes, 'byte')} imagined of {plural(found.imagined, 'candidate')}",
        markup=False, soft_wrap=True,
    )  # fmt: skip
    if found.left_out:
        console.print(f"left out, since they take fixtures: {plural(found.left_out, 'test')}", markup=False)

"""What an adaptation to a user's code came to, in a terminal: before and after, and whether it was kept."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from worldline.core.text import plural, printable
from worldline.learning.adapt import Adapted
from worldline.ui.terminal.plain import p_value, plain_table


def print_adapted(console: Console, found: Adapted) -> None:
    """The table, what it cost, and the verdict."""
    table = plain_table("right", "n", "before", "after", "mended", "broken", "McNemar's p")
    for name, group in found.groups.items():
        for what, some in (("answers", group.answer), ("traces", group.trace)) if group.answer.n else ():
            counts = (some.n, some.right + some.regressed, some.right + some.recovered)
            flips = (some.recovered, some.regressed)
            table.add_row(f"{name}: {what}", *(f"{count:,}" for count in (*counts, *flips)), p_value(some.p))
    console.print(table)
    before, after = found.nats
    lessons = f"{plural(found.lessons, 'call')} of {plural(found.functions, 'function')}"
    learned = f"{lessons}, {plural(found.steps, 'step')}"
    cost = f"{plural(found.documents, 'document')}, {found.cpu_seconds:,.0f} CPU-seconds of training"
    console.print(Text(f"{learned}, {cost}; held back {before:.2f} -> {after:.2f} nats a call", style="dim"))
    if found.refused:
        console.print(Text(f"not kept: {found.refused}", style="red"))
    else:
        console.print(Text(f"kept in {printable(found.out)}: use it with --model", style="green"))
        console.print(
            Text(
                "It remembers values of the code it was trained on: keep it where they may be seen.",
                style="dim",
            )
        )

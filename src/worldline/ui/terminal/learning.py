"""The results of `learn` in a terminal: failure rates by topic, and whether an adaptation was kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from worldline.core.text import plural, printable
from worldline.learning.adapt import Adapted, BeforeAfter
from worldline.learning.measure import LabelResult
from worldline.learning.own_calls import SOURCES
from worldline.learning.remember import Remembered
from worldline.ui.terminal.plain import p_value, plain_table

MAX_ROWS = 40  # of one axis; --json has all


def print_measured(console: Console, results: Sequence[LabelResult]) -> None:
    """Print a table for each axis: kinds, sources, modes, spacings, operations."""
    for axis in dict.fromkeys(result.label.partition(" ")[0] for result in results):
        rows = [result for result in results if result.label.partition(" ")[0] == axis]
        table = Table(box=None, pad_edge=False, title_justify="left", header_style="bold")
        table.add_column(axis)
        for name in ("n", "wrong", "95 % interval", "confidence", "factor"):
            table.add_column(name, justify="right")
        for row in rows[:MAX_ROWS]:
            low, high = row.interval
            table.add_row(
                Text(printable(row.label.partition(" ")[2])),
                str(row.n),
                f"{row.wrong:.1%}",
                f"{100 * low:.0f} - {100 * high:.0f}",
                f"{row.sure:.2f}",
                f"{row.before:.2f} -> {row.now:.2f}",
            )
        console.print(table)
        if len(rows) > MAX_ROWS:
            console.print(f"and {len(rows) - MAX_ROWS} more (--json has all)")
        console.print()


def _print_groups(console: Console, groups: Mapping[str, BeforeAfter], calls: Mapping[str, int]) -> None:
    """Print the results before and after, and the calls learned from by source."""
    table = plain_table("right", "n", "before", "after", "fixed", "broken", "McNemar's p")
    for name, group in groups.items():
        pairs = (("answers", group.answer), ("traces", group.trace)) if group.answer.n else ()
        for measure, pair in pairs:
            before, after = pair.right + pair.regressed, pair.right + pair.recovered
            counts = (f"{count:,}" for count in (pair.n, before, after, pair.recovered, pair.regressed))
            table.add_row(f"{name}: {measure}", *counts, p_value(pair.p))
    console.print(table)
    sources = ", ".join(f"{count:,} {SOURCES[source]}" for source, count in calls.items())
    console.print(Text(f"calls to learn from: {sources}", style="dim"))


def print_adapted(console: Console, adapted: Adapted) -> None:
    """Print the results before and after, the cost, and whether the adapted model was kept."""
    _print_groups(console, adapted.groups, adapted.calls)
    trained = f"{plural(adapted.lessons, 'call')} of {plural(adapted.functions, 'function')}"
    size = f"{plural(adapted.steps, 'step')}, {plural(adapted.documents, 'document')}"
    nats = f"held-out loss {adapted.nats[0]:.2f} -> {adapted.nats[1]:.2f} nats per call"
    cost = f"{adapted.cpu_seconds:,.0f} CPU-seconds of training"
    console.print(Text(f"trained on {trained}: {size}, {cost}; {nats}", style="dim"))
    if adapted.refused:
        console.print(Text(f"not kept: {adapted.refused}", style="red"))
        return
    console.print(Text(f"kept in {printable(adapted.out)}: use it with --model", style="green"))
    warning = "The model remembers values of the code it was trained on: store it where they may be seen."
    console.print(Text(warning, style="dim"))


def print_remembered(console: Console, remembered: Remembered) -> None:
    """Print the results without and with a memory, its size, and whether it was kept."""
    _print_groups(console, remembered.groups, remembered.calls)
    size = f"{plural(remembered.entries, 'step')} of {plural(remembered.functions, 'function')}"
    console.print(Text(f"remembered {size}; nothing was trained", style="dim"))
    if remembered.refused:
        console.print(Text(f"not kept: {remembered.refused}", style="red"))
        return
    console.print(Text(f"kept in {printable(remembered.out)}: use it with -M memory=FILE", style="green"))
    warning = "The memory holds values of the code that was executed: store it where they may be seen."
    console.print(Text(warning, style="dim"))

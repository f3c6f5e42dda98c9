"""A search in a model's own state, in a terminal: the plan, what is so behind each command, and what it took."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from worldline.core.text import printable
from worldline.plan.search_tree import SearchTree
from worldline.ui.terminal.plain import plain_table


def print_reached(console: Console, tree: SearchTree, beside: str = "") -> None:
    """The chosen path as rows, and the facts."""
    console.print(Text(printable(tree.title), style="bold"))
    chosen = [node for node in tree.nodes if node.chosen]
    if chosen:
        table = plain_table("", "command", "visits", "state", texts=("command", "state"))
        for number, node in enumerate(chosen):
            table.add_row(
                str(number), Text(printable(node.label)), str(node.visits), Text(printable(node.note))
            )
        console.print(table)
    for name, text in tree.facts[2:]:
        console.print(Text(printable(f"{name}: {text}")))
    if beside:
        console.print(Text(printable(beside), style="dim"))

"""A match in the terminal: who won how often, with intervals, and what was imagined for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.text import Text

from worldline.core.text import plural, printable
from worldline.plan.play.match import Match
from worldline.ui.terminal.plain import plain_table


def print_match(console: Console, match: Match, imagined: Mapping[str, Mapping[str, Any]]) -> None:
    """A row for each player, and a line for each world that was imagined."""
    table = plain_table("player", "won", "drawn", "of", "rate", "95 %", "mean return")
    for one in match.standings:
        low, high = one.won.interval
        rate = "" if one.won.rate is None else f"{100 * one.won.rate:.1f} %"
        cells = (
            printable(one.name), f"{one.won.some:,}", f"{one.drawn:,}", f"{one.won.n:,}", rate,
            f"{100 * low:.1f}-{100 * high:.1f}", f"{one.mean:+.3f}",
        )  # fmt: skip
        table.add_row(*(Text(cell) for cell in cells))
    console.print(table)
    for name, told in imagined.items():
        console.print(Text(f"{name}: {_fitted(told) if 'lessons' in told else _imagined(told)}", style="dim"))


def _imagined(told: Mapping[str, Any]) -> str:
    right = told["right"]
    return (
        f"{plural(told['steps'], 'step')} imagined ({plural(told['bytes'], 'byte')}), {told['run']:,} run instead; "
        f"of those believed {right['some']:,} of {right['n']:,} are what the rules say"
    )


def _fitted(told: Mapping[str, Any]) -> str:
    before, after = told["before"], told["after"]
    return (
        f"fitted to {plural(told['lessons'], 'move')} that it saw "
        f"({plural(told['steps'], 'step')}, {told['cpu_seconds']:.0f} CPU-seconds); "
        f"of {after['n']:,} that it had not seen it imagines {after['some']:,} right, {before['some']:,} before"
    )

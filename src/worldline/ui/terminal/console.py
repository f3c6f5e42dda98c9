"""The console that every command prints to: rich without automatic highlighting, markup and emoji."""

from __future__ import annotations

import os

from rich.console import Console

PIPED_WIDTH = 160


class Terminal(Console):
    """A console that raises BrokenPipeError; rich would exit with a status of its own."""

    def on_broken_pipe(self) -> None:
        """Raise the error again. Rich calls this in its exception handler."""
        raise


def terminal() -> Terminal:
    """Return a console on standard output. NO_COLOR, FORCE_COLOR and COLUMNS are respected."""
    console = Terminal(highlight=False, markup=False, emoji=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = PIPED_WIDTH  # no window to fit in: show more of each value
    return console

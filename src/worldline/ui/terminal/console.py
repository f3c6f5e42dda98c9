"""The terminal as worldline writes to it: rich, without its guesses about what text means."""

from __future__ import annotations

import os

from rich.console import Console

PIPED = 160


class Terminal(Console):
    """A console that leaves a closed pipe to its caller; rich would end the process with a code of its own."""

    def on_broken_pipe(self) -> None:
        """Called inside rich's handler: hand the error on."""
        raise


def terminal() -> Terminal:
    """Standard output, coloured where it is a terminal; NO_COLOR, FORCE_COLOR and COLUMNS are heard."""
    made = Terminal(highlight=False, markup=False, emoji=False)
    if not made.is_terminal and "COLUMNS" not in os.environ:
        made.width = PIPED  # nobody's window: values are better read than cut
    return made

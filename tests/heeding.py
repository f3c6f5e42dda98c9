"""For tests that start a process and interrupt it, or whose program does so: `preexec_fn=heed_interrupts`.

A shell that starts `make test &` has it ignore SIGINT, and that is inherited. It asserts nothing.
"""

from __future__ import annotations

import signal


def heed_interrupts() -> None:
    """SIGINT does again what it does in a shell's foreground."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)

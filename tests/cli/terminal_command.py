"""Commands on a terminal: a pseudo-terminal for what they write, tmux for what a person sees."""

from __future__ import annotations

import os
import pty
import shlex
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from heeding import heed_interrupts

WORLDLINE = (sys.executable, "-m", "worldline")


@dataclass(frozen=True)
class TerminalRun:
    """How a command ended, what it wrote to stdout (a pipe) and what to stderr (a terminal)."""

    code: int
    out: bytes
    shown: bytes


def run_on_terminal(
    *words: str, interrupt_at: bytes = b"", signal_number: int = signal.SIGINT, term: str = "xterm"
) -> TerminalRun:
    """Run a command whose stderr is a terminal; send it a signal once it has shown `interrupt_at`."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*WORLDLINE, *words],
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**os.environ, "TERM": term, "COLUMNS": "100"},
        preexec_fn=heed_interrupts,
    ) as process:
        os.close(theirs)
        shown = b""
        try:
            while chunk := os.read(ours, 4096):
                shown += chunk
                if interrupt_at and interrupt_at in shown:
                    process.send_signal(signal_number)
                    interrupt_at = b""
        except OSError:  # the other end is closed
            pass
        assert process.stdout is not None
        out = process.stdout.read()
    os.close(ours)
    return TerminalRun(process.returncode, out, shown)


def seen_in_tmux(folder: Path, *words: str, width: int = 100) -> list[str]:
    """Return the lines that a terminal shows after a command, both streams on it."""
    socket, session = str(folder / "tmux"), "command"
    command = f"{shlex.join([*WORLDLINE, *words])}; tmux -S {shlex.quote(socket)} wait-for -S ended; cat"
    tmux = ("tmux", "-S", socket, "-f", os.devnull)
    subprocess.run([*tmux, "new-session", "-d", "-s", session, "-x", str(width), "-y", "50", command], check=True)
    try:
        subprocess.run([*tmux, "wait-for", "ended"], check=True, timeout=120)
        seen = subprocess.run([*tmux, "capture-pane", "-p", "-t", session], check=True, capture_output=True, text=True)
    finally:
        subprocess.run([*tmux, "kill-server"], check=False)
    return seen.stdout.rstrip().splitlines()

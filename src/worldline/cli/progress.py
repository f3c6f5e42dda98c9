"""What a command shows on stderr while it works, and the hints after it. `--quiet` turns both off.

A display appears after a second, if stderr is a terminal, and is erased before the result is printed. Until then
nothing is imported or drawn, so that quick commands stay quick.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from worldline.core.text import printable, shortened

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.progress import Progress, Task

DELAY_SECONDS = 1.0
HOW_TO_STOP = "Ctrl-C stops"
MAX_TEXT_CHARS = 48  # so that the clock fits beside it
_QUIET = "worldline.quiet"


def set_quiet(context: click.Context, parameter: click.Parameter, is_quiet: bool) -> None:
    """Remember `--quiet` for the running command."""
    context.meta[_QUIET] = is_quiet


def _is_quiet() -> bool:
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(_QUIET))


def hint(text: str) -> None:
    """Print a hint to stderr, unless it is empty or the command is quiet."""
    if text and not _is_quiet():
        click.echo(printable(f"hint: {text}"), err=True)


def note(text: str) -> None:
    """Print a line about the work so far to stderr, unless the command is quiet."""
    if not _is_quiet():
        click.echo(text, err=True)


class _Display:
    """One line on stderr: what happens, how much of it is done, the time so far and the time left."""

    def __init__(self, text: str, *, is_bar: bool, limit: float | None = None) -> None:
        self._fields: dict[str, Any] = {"description": _fitting(text), "total": None, "completed": 0}
        self._is_bar, self._limit, self._started = is_bar, limit, time.monotonic()
        self._lock, self._is_closed = threading.Lock(), False
        self._progress: Progress | None = None
        self._timer = threading.Timer(DELAY_SECONDS, self._open)
        # A daemon, so that it never delays the end of the process.
        self._timer.daemon = True
        self._timer.start()

    def update(self, text: str | None = None, **fields: Any) -> None:
        """Change the text, `completed` or `total`."""
        fields |= {} if text is None else {"description": _fitting(text)}
        with self._lock:
            self._fields |= fields
            if self._progress is not None:
                self._progress.update(self._progress.task_ids[0], **fields)

    def close(self) -> None:
        """Erase the line."""
        self._timer.cancel()
        with self._lock:
            self._is_closed, shown, self._progress = True, self._progress, None
        if shown is not None:
            shown.stop()

    def _open(self) -> None:
        """Draw the line for the first time."""
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, SpinnerColumn, TextColumn
        from rich.table import Column
        from rich.text import Text

        started, limit = self._started, self._limit

        class Clock(ProgressColumn):
            """The time so far, the time left or the limit, and how to stop."""

            def render(self, task: Task) -> RenderableType:
                return Text(_in_words(time.monotonic() - started, task, limit), style="dim")

        cell = Column(no_wrap=True, overflow="ellipsis")
        text = TextColumn("{task.description}", markup=False, table_column=cell)
        columns = (BarColumn(), MofNCompleteColumn(), text) if self._is_bar else (SpinnerColumn(), text)
        opened = Progress(
            *columns,
            Clock(table_column=cell),
            console=Console(stderr=True),
            transient=True,
            # What is printed meanwhile to the same terminal goes above the line; a redirected stdout stays as it is.
            redirect_stdout=sys.stdout.isatty(),
        )
        with self._lock:
            if self._is_closed:
                return
            opened.add_task(**self._fields)
            opened.start()
            self._progress = opened


def _in_words(elapsed: float, task: Task, limit: float | None) -> str:
    clock = _duration(elapsed)
    if limit is not None:
        clock += f" of at most {_duration(limit)}"
    elif task.total and task.completed:
        clock += f", about {_duration(elapsed * (task.total - task.completed) / task.completed)} left"
    return f"{clock}; {HOW_TO_STOP}"


def _fitting(text: str) -> str:
    return shortened(text, MAX_TEXT_CHARS)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


@contextmanager
def _display(text: str, *, is_bar: bool = False, limit: float | None = None) -> Iterator[_Display | None]:
    """Open a display, if stderr is a terminal and the command is not quiet."""
    if _is_quiet() or not sys.stderr.isatty() or os.environ.get("TERM", "dumb") in ("dumb", "unknown"):
        yield None
        return
    shown = _Display(text, is_bar=is_bar, limit=limit)
    try:
        yield shown
    finally:
        shown.close()


@contextmanager
def spinner(text: str = "working", *, limit: float | None = None) -> Iterator[Callable[[str], None]]:
    """Show what happens and for how long; yield a function that sets the text.

    Args:
        text: What happens first.
        limit: Seconds after which the command ends by itself.
    """
    with _display(text, limit=limit) as shown:
        yield (lambda text: None) if shown is None else shown.update


@contextmanager
def progress(total: int, label: str) -> Iterator[tuple[Callable[[int], None], Callable[[str], None]]]:
    """Show a progress bar; yield functions that advance it and that set the note beside it."""
    done = 0
    with progress_bar(label) as update:
        latest = ""

        def advance(count: int) -> None:
            nonlocal done
            done += count
            update(done, total or None, latest)

        def say(text: str) -> None:
            nonlocal latest
            latest = text
            update(done, total or None, latest)

        say("")
        yield advance, say


@contextmanager
def percent_of(label: str) -> Iterator[Callable[[float, str], None]]:
    """Show a bar of 100 percent; yield a function that sets the share done and a note."""
    shown = 0
    with progress(100, f"of {label}") as (advance, say):

        def update(share: float, text: str) -> None:
            nonlocal shown
            percent = max(shown, int(100 * share))
            advance(percent - shown)
            shown = percent
            say(text)

        yield update


@contextmanager
def progress_bar(label: str) -> Iterator[Callable[[int, int | None, str], None]]:
    """Show a progress bar; yield a function that sets how many are done, of how many, and a note."""
    with _display(label, is_bar=True) as shown:

        def update(done: int, total: int | None, note: str) -> None:
            if shown is not None:
                shown.update(f"{label} {note}".rstrip(), completed=done, total=total)

        yield update

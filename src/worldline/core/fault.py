"""Fault isolation: an exception in one row of many becomes that row's fault and affects no other row.

A fault is an error of the tool. Callers count faults separately and retry them. Interruptions and the errors of
`FATAL_ERRORS` concern the whole run and are raised. A fault's reason names the place in the code. The logger
`worldline.fault` receives the traceback once per place; the command line shows it with WORLDLINE_TRACEBACK=1.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from traceback import walk_tb
from typing import ParamSpec, TypeVar

from worldline.core.errors import (
    BusyError,
    DigestError,
    DiskError,
    FingerprintError,
    FormatError,
    NoModelError,
    NoSandbox,
    WorldlineError,
)

FATAL_ERRORS = (NoModelError, NoSandbox, DiskError, BusyError, FingerprintError, DigestError, FormatError)
LOGGER = "worldline.fault"
MAX_MESSAGE_CHARACTERS = 200
MAX_PLACES = 4
_PACKAGE = Path(__file__).parents[1]
_logged: set[str] = set()
_P = ParamSpec("_P")
_T = TypeVar("_T")


@dataclass(frozen=True)
class RowFault:
    """Why the tool failed on one row: the exception and its place in one line."""

    why: str

    @property
    def note(self) -> str:
        """The note of a prediction that has this fault."""
        return f"fault({self.why})"


def call_or_fault(function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T | RowFault:
    """Call a function for one row.

    Args:
        function: What to call.
        *args: Its positional arguments.
        **kwargs: Its keyword arguments.

    Returns:
        The function's result, or a `RowFault` if it raised an exception.

    Raises:
        WorldlineError: One of `FATAL_ERRORS`, which concern the whole run.
    """
    try:
        return function(*args, **kwargs)
    except FATAL_ERRORS:
        raise
    except Exception as error:
        return _fault(error)


def iterate_or_fault(start: Callable[[int], Iterator[_T]], count: int) -> Generator[_T | RowFault, None, None]:
    """Iterate over the answers to `count` rows, with a fault for each row that fails.

    Args:
        start: Returns the answers from a row on. Called again after each fault.
        count: The number of rows.

    Yields:
        The answer to each row, or its fault.

    Raises:
        WorldlineError: Any error that the tool explains: it concerns the answering side, not the row.
    """
    answers: Iterator[_T] | None = None
    try:
        for row in range(count):
            result: _T | RowFault
            try:
                answers = start(row) if answers is None else answers
                result = next(answers)
            except WorldlineError:
                raise
            except Exception as error:  # StopIteration too: an answer is missing
                result, answers = _fault(error), None
            yield result
    finally:
        getattr(answers, "close", lambda: None)()


def _fault(error: Exception) -> RowFault:
    where = " < ".join(reversed(_places(error)[-MAX_PLACES:]))
    name = f"{type(error).__name__}{f' at {where}' if where else ''}"
    _log(error, name)
    try:
        message = " ".join(str(error)[: 4 * MAX_MESSAGE_CHARACTERS].split())
    except Exception:  # __str__ may be third-party code
        message = ""
    message = "".join(char if char.isprintable() else "?" for char in message)[:MAX_MESSAGE_CHARACTERS]
    return RowFault(f"{name}: {message}" if message else name)


def _places(error: Exception) -> list[str]:
    """The lines of this package in a traceback, outermost first, without this module's own."""
    passed = ((Path(frame.f_code.co_filename), line) for frame, line in walk_tb(error.__traceback__))
    own = ((path.relative_to(_PACKAGE), line) for path, line in passed if path.is_relative_to(_PACKAGE))
    return [f"{path.as_posix()}:{line}" for path, line in own if path.name != "fault.py"]


def _log(error: Exception, name: str) -> None:
    """Log the traceback, once per place."""
    if name in _logged:
        return
    _logged.add(name)
    # Imported here: most commands never need it.
    import logging

    logger = logging.getLogger(LOGGER)
    if not logger.handlers:
        # Without a handler, logging would print to stderr.
        logger.addHandler(logging.NullHandler())
    logger.error("a row failed: %s", name, exc_info=error)

"""The fence around one row of many: what goes wrong inside it is that row's fault, with its reason, and costs no other.

A fault is the tool's own: whoever holds it counts it apart and asks again. What is wrong with the whole run passes: an
interruption, and the errors of STOPS. The reason says where; the traceback goes to the logger `worldline.fault`, once
for each place that fails, and the command line shows it under WORLDLINE_TRACEBACK=1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
    NoSandbox,
    WorldlineError,
)  # fmt: skip

STOPS = (NoSandbox, DiskError, BusyError, FingerprintError, DigestError, FormatError)
LOGGER = "worldline.fault"
SAID = 200  # characters of an exception's own words in a reason
PLACES = 4  # of ours in a reason, the innermost first
_PACKAGE = Path(__file__).parents[1]
_told: set[str] = set()  # what was logged
_P = ParamSpec("_P")
_T = TypeVar("_T")


@dataclass(frozen=True)
class RowFault:
    """Why the tool failed on one row: the exception in one line, and where."""

    why: str

    @property
    def note(self) -> str:
        """As a prediction says it."""
        return f"fault({self.why})"


def fenced(act: Callable[_P, _T], *given: _P.args, **named: _P.kwargs) -> _T | RowFault:
    """What an act gives for one row, or its fault."""
    try:
        return act(*given, **named)
    except STOPS:
        raise
    except Exception as error:
        return _fault(error)


def fenced_each(begin: Callable[[int], Iterator[_T]], count: int) -> Iterator[_T | RowFault]:
    """So many answers, with a fault for each that fails: `begin` then starts anew behind it.

    Every error that the tool explains passes here: it is about whoever answers, and not about the row.
    """
    answers: Iterator[_T] | None = None
    try:
        for at in range(count):
            found: _T | RowFault
            try:
                answers = begin(at) if answers is None else answers
                found = next(answers)
            except WorldlineError:
                raise
            except Exception as error:  # StopIteration too: an answer is missing
                found, answers = _fault(error), None
            yield found
    finally:
        getattr(answers, "close", lambda: None)()


def _fault(error: Exception) -> RowFault:
    where = " < ".join(reversed(_places(error)[-PLACES:]))
    name = f"{type(error).__name__}{f' at {where}' if where else ''}"
    _log(error, name)
    try:
        said = " ".join(str(error)[: 4 * SAID].split())
    except Exception:  # whose words are somebody else's code
        said = ""
    said = "".join(char if char.isprintable() else "?" for char in said)[:SAID]
    return RowFault(f"{name}: {said}" if said else name)


def _places(error: Exception) -> list[str]:
    """The lines of this package that an exception went through, the outermost first, but for the fence's own."""
    passed = ((Path(frame.f_code.co_filename), line) for frame, line in walk_tb(error.__traceback__))
    own = ((path.relative_to(_PACKAGE), line) for path, line in passed if path.is_relative_to(_PACKAGE))
    return [f"{path.as_posix()}:{line}" for path, line in own if path.name != "fault.py"]


def _log(error: Exception, name: str) -> None:
    """The traceback, the first time."""
    if name in _told:
        return
    _told.add(name)
    import logging  # for those who never fail, a start without it

    logger = logging.getLogger(LOGGER)
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())  # or it would be on stderr, asked for or not
    logger.error("a row failed: %s", name, exc_info=error)

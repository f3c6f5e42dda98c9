"""One frame of Meta's format, as a trace shows it or as a prediction claims it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class CwmFrame:
    """An event (call, line, return, raise) of one scope, its line, all locals before it, and its value.

    The last four fields are for predictions. `line` is None if the text matches no line or several; `candidates`
    are the possible lines. `allowed` is False if control flow does not lead there. `unknown` are names marked as
    unchanged that the scope had never shown; their value stays "..".
    """

    event: str
    scope: int
    line: int | None
    locals: dict[str, str]
    arg: str | None
    candidates: tuple[int, ...] = ()
    allowed: bool = True
    unknown: tuple[str, ...] = ()

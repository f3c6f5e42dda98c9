"""One frame of Meta's format, as a trace shows it and as a prediction claims it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class CwmFrame:
    """An event (call, line, return, raise) of one scope, the line, the whole locals before it, and what it carries.

    The last four fields are for predictions. `line` is None when the text names no line or several: `candidates` are
    the lines it may be. `allowed` is False when control flow does not lead there. `unknown` are names said to be
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

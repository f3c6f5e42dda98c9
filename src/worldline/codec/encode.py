"""`worldline.encode`: write a trace in a notation by name."""

from __future__ import annotations

from worldline.codec.compact.prompt import Compact
from worldline.codec.names import PARTS
from worldline.codec.notation import notation as notation_named
from worldline.core.errors import UsageError
from worldline.core.trace import Trace


def encode(trace: Trace, notation: str = "compact", *, part: str = "whole", options: Compact | None = None) -> bytes:
    """Write a trace as text for models. A value that looks like a special token is escaped.

    Args:
        trace: The trace, from `record` or `load`.
        notation: `compact` (worldline's own) or `cwm` (Meta's, with special tokens spelled out).
        part: The `prompt` that a model is given, the `steps` that it predicts, or the `whole` text.
        options: How steps are written in the compact notation.

    Returns:
        The text, in UTF-8.

    Raises:
        UsageError: There is no such notation or part, or `options` are given for Meta's notation.
    """
    written = notation_named(notation)
    if part not in PARTS:
        raise UsageError(f"unknown part {part!r}: choose one of {', '.join(PARTS)}")
    if not written.has_modes and (options or Compact()) != Compact():
        raise UsageError("only the compact notation has options: leave them out for Meta's")
    prompt = b"" if part == "steps" else written.prompt_of(trace, options)
    return prompt if part == "prompt" else prompt + written.steps(trace, options)

"""`worldline.encode`: write a trace in a notation by name."""

from __future__ import annotations

from worldline.codec.compact.prompt import Compact
from worldline.codec.names import PARTS
from worldline.codec.notation import TraceContext
from worldline.codec.notation import notation as notation_named
from worldline.core.errors import UsageError
from worldline.core.trace import Trace


def encode(trace: Trace, notation: str = "compact", *, part: str = "whole", options: Compact | None = None) -> bytes:
    """Write a trace as text for models. A value that looks like a special token is escaped.

    The prompt is the one that `bench` sends. In Meta's notation a `main` makes a call with arguments, so the prompt
    has that `main` and its first frames, and the steps end with its last ones. A stored trace of a call whose `main`
    has frames of its own, such as a lambda's, was recorded without them: the whole text is then that of the call alone.

    Args:
        trace: The trace, from `record` or `load`.
        notation: `compact` (worldline's own) or `cwm` (Meta's, with special tokens spelled out).
        part: The `prompt` that a model is given, the `steps` that it predicts, or the `whole` text.
        options: How steps are written in the compact notation.

    Returns:
        The text, in UTF-8.

    Raises:
        UsageError: There is no such notation or part, `options` are given for Meta's notation, or only the steps are
            wanted and the trace lacks some that continue the prompt.
    """
    written = notation_named(notation)
    if part not in PARTS:
        raise UsageError(f"unknown part {part!r}: choose one of {', '.join(PARTS)}")
    if not written.has_modes and (options or Compact()) != Compact():
        raise UsageError("only the compact notation has options: leave them out for Meta's")
    if part == "prompt":
        context = TraceContext(program=trace.program, options=options or Compact(), hidden=trace.hidden)
        return written.prompt(context)
    try:
        prompt, steps = written.sent_and_written(trace, options)
    except UsageError:
        if part == "steps":
            raise
        prompt, steps = written.prompt_of(trace, options), written.steps(trace, options)
    return steps if part == "steps" else prompt + steps

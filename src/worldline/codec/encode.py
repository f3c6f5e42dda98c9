"""A trace in either notation by its name: what `worldline.encode` is. The notations are `compact` and `cwm`."""

from __future__ import annotations

from worldline.codec.compact.prompt import Compact
from worldline.codec.names import PARTS
from worldline.codec.notation import notation as notation_named
from worldline.core.errors import UsageError
from worldline.core.trace import Trace


def encode(
    trace: Trace, notation: str = "compact", *, part: str = "whole", options: Compact | None = None
) -> bytes:
    """Write a trace as text for models. A value that looks like a special token is shielded.

    Args:
        trace: The trace, of `record` or `load`.
        notation: `compact`, ours, or `cwm`, Meta's, with its special tokens spelled out.
        part: The `prompt`, which a model is given, the `steps`, which it is to write, or the `whole`.
        options: How steps are written in the compact notation.

    Returns:
        The text, in UTF-8.

    Raises:
        UsageError: There is no such notation or part, or `options` are given for Meta's notation.
    """
    written = notation_named(notation)
    if part not in PARTS:
        raise UsageError(f"a part is one of {', '.join(PARTS)}, not {part!r}")
    if not written.has_modes and (options or Compact()) != Compact():
        raise UsageError("modes are of the compact notation: Meta's has none")
    prompt = b"" if part == "steps" else written.prompt_of(trace, options)
    return prompt if part == "prompt" else prompt + written.steps(trace, options)

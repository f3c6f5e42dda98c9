"""A trace in either notation by its name: what `worldline.encode` is. The notations are `compact` and `cwm`."""

from __future__ import annotations

from worldline.codec.compact.prompt import Compact, prompt
from worldline.codec.compact.writer import encode_steps
from worldline.codec.cwm import writer as cwm
from worldline.core.errors import UsageError
from worldline.core.trace import Trace

NOTATIONS = ("compact", "cwm")


PARTS = ("whole", "prompt", "steps")


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
    if notation not in NOTATIONS:
        raise UsageError(f"a notation is one of {', '.join(NOTATIONS)}, not {notation!r}")
    if part not in PARTS:
        raise UsageError(f"a part is one of {', '.join(PARTS)}, not {part!r}")
    if notation == "cwm" and (options or Compact()) != Compact():
        raise UsageError("modes are of the compact notation: Meta's has none")
    is_ours = notation == "compact"
    given = prompt(trace.program, options, trace.hidden) if is_ours else _bytes(cwm.prompt_of(trace))
    if part == "prompt":
        return given
    steps = encode_steps(trace, options) if is_ours else _bytes(cwm.encode(trace)).removeprefix(given)
    return steps if part == "steps" else given + steps


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")

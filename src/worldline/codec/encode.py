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
    """A trace as text: `compact`, ours, in the mode of `options`; or `cwm`, Meta's, special tokens spelled out.

    `part`: the `prompt`, which a model is given, the `steps`, which it is to write, or the `whole`. A value's own text
    that looks like a special token is shielded, so that nothing in a source can read as one.
    """
    written = notation_named(notation)
    if part not in PARTS:
        raise UsageError(f"a part is one of {', '.join(PARTS)}, not {part!r}")
    if not written.has_modes and (options or Compact()) != Compact():
        raise UsageError("modes are of the compact notation: Meta's has none")
    prompt = b"" if part == "steps" else written.prompt_of(trace, options)
    return prompt if part == "prompt" else prompt + written.steps(trace, options)

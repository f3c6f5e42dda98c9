"""A trace in either notation by its name: what `worldline.encode` is. The notations are `compact` and `cwm`."""

from __future__ import annotations

from worldline.codec.compact import writer as compact
from worldline.codec.compact.prompt import Compact
from worldline.codec.cwm import writer as cwm
from worldline.core.trace import Trace
from worldline.errors import UsageError

NOTATIONS = ("compact", "cwm")


def encode(trace: Trace, notation: str = "compact", *, options: Compact | None = None) -> bytes:
    """A whole trace as text: `compact`, ours, in the mode of `options`; or `cwm`, Meta's, special tokens spelled out.

    The prompt comes first, then the steps: what a model is given and what it is to write. A value's own text that looks
    like a special token is shielded, so that nothing in a source can read as one.
    """
    if notation not in NOTATIONS:
        raise UsageError(f"a notation is one of {', '.join(NOTATIONS)}, not {notation!r}")
    if notation == "compact":
        return compact.encode(trace, options)
    if options is not None and options != Compact():
        raise UsageError("options are of the compact notation: Meta's has none")
    return cwm.encode(trace).encode("utf-8", "surrogatepass")

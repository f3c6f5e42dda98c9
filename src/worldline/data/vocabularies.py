"""Find tokenizers by name or path. Reads only files: nothing is downloaded."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Sequence
from pathlib import Path

from worldline.codec.cost import CostTable
from worldline.codec.cost import cost as cost_table
from worldline.codec.tokens import CWM_SPECIAL, Bytes, Tokenizer, from_json, from_ranks
from worldline.core.errors import UsageError
from worldline.core.trace import Trace

CONTEXT = 131_072  # tokens of Meta's model
_LLAMA3 = ("llama_models", Path("llama3", "tokenizer.model"))


def load(spec: str) -> Tokenizer:
    """Load `bytes`, `llama3` (of the package llama-models), a `tokenizers` JSON or a tiktoken `FILE[#PATTERN]`."""
    if spec == "bytes":
        return Bytes()
    if spec == "llama3":
        path = llama3_path()
        if path is None:
            raise UsageError("tokenizer llama3 needs its file: pip install --no-deps llama-models")
        return from_ranks("llama3", _read(path), pattern="llama3", special=CWM_SPECIAL)
    name, _, pattern = spec.partition("#")
    data = _read(Path(name))
    if data.lstrip()[:1] == b"{":
        return from_json(spec, data)
    return from_ranks(spec, data, pattern=pattern or None)


def cost(traces: Iterable[Trace], *, tokenizers: Sequence[str] = (), context: int = CONTEXT) -> CostTable:
    """Measure what traces cost in each notation: frames, characters, bytes, tokens.

    Args:
        traces: The traces, of `record` or `load_all`.
        tokenizers: `bytes`, `llama3` or files; by default bytes, and llama3 where it is installed.
        context: The context window that costs are compared with, in tokens.

    Returns:
        One row per trace.

    Raises:
        UsageError: A tokenizer cannot be read.
    """
    names = tokenizers or (("bytes", "llama3") if llama3_path() else ("bytes",))
    return cost_table(traces, [load(name) for name in names], context)


def llama3_path() -> Path | None:
    """Return Llama 3's ranks in an installed `llama-models`, which is not imported; None if missing."""
    package, inside = _LLAMA3
    spec = importlib.util.find_spec(package)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        if (Path(folder) / inside).is_file():
            return Path(folder) / inside
    return None


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"tokenizer {path}: {error.strerror}; pass bytes, llama3 or a file") from error

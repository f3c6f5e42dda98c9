"""Find tokenizers by name or path. Reads only files: nothing is downloaded."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from worldline.codec.tokens import CWM_SPECIAL, Bytes, Tokenizer, from_json, from_ranks
from worldline.core.errors import UsageError

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

"""Meta's model: how its name is recognized, its stop tokens, and its vocabulary (Llama 3's).

`codec.cwm.stage` writes the prompts.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from worldline.codec.cwm.stage import Stage as Stage
from worldline.codec.cwm.stage import Vocabulary as Vocabulary
from worldline.codec.cwm.stage import spelled as spelled
from worldline.codec.cwm.stage import stage as stage
from worldline.codec.cwm.text import TOKENS
from worldline.codec.tokens import Tiktoken, from_ranks
from worldline.core.errors import UsageError
from worldline.predict.prediction import PredictionRequest

END = TOKENS["end_of_text"]


def is_meta(model: str) -> bool:
    """Whether a name is that of Meta's code world model, which was trained on this format."""
    return model.rpartition("/")[2].lower().partition("-")[0] == "cwm"


def stops(request: PredictionRequest) -> list[int]:
    """Return the ids at which a model may stop: the end, and the stop token of the request."""
    return [END, TOKENS[request.stop]] if request.stop else [END]


@dataclass(frozen=True)
class Llama3:
    """The vocabulary that Meta's model was trained with. Special tokens in text are not parsed."""

    ranks: Tiktoken

    def ids(self, text: str, /) -> list[int]:
        """Return the ids of a text."""
        return self.ranks.ids(text)

    def data(self, ids: Sequence[int], /) -> bytes:
        """Return the bytes of ids; an id outside the vocabulary is spelled as its number."""
        return b"".join(self._bytes(number) for number in ids)

    def _bytes(self, number: int) -> bytes:
        try:
            return self.ranks.encoding.decode_single_token_bytes(number)
        except (KeyError, OverflowError):
            return f"<|{number}|>".encode()


def llama3(path: Path | None = None) -> Llama3:
    """Load Llama 3's vocabulary from a file of ranks, by default that of the package llama-models (not imported)."""
    for folder in _folders("llama_models") if path is None else ():
        path = path or folder / "llama3" / "tokenizer.model"
    if path is None:
        raise UsageError("Meta's format needs Llama 3's tokenizer: pip install --no-deps llama-models")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"tokenizer {path}: {error.strerror}") from error
    return Llama3(from_ranks("llama3", data, pattern="llama3"))


def _folders(package: str) -> Iterator[Path]:
    spec = importlib.util.find_spec(package)
    yield from map(Path, (spec.submodule_search_locations or ()) if spec else ())

"""Tokenizers that count and split text: bytes, JSON files of `tokenizers`, tiktoken ranks.

A tokenizer is built from the bytes of its file; `worldline.data.vocabularies` finds and reads files. The libraries
are optional and imported when a tokenizer is built. Nothing here trains, normalizes or decodes.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from worldline.codec.cwm.text import TOKENS, token
from worldline.core.errors import UsageError

if TYPE_CHECKING:
    import tiktoken
    import tokenizers

_WORD = r"[^\r\n\p{L}\p{N}]?"
_UPPER, _LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_CLITICS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"

PATTERNS = {
    "gpt2": r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    "llama3": (
        rf"{_CLITICS}|{_WORD}\p{{L}}+"
        r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
    "o200k": (
        f"{_WORD}{_UPPER}*{_LOWER}+{_CLITICS}?|{_WORD}{_UPPER}+{_LOWER}*{_CLITICS}?"
        r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
}
"""The published splitting patterns, by the name that `--tokenizer FILE#NAME` takes."""

PATTERN_OF_SIZE = {50256: "gpt2", 50280: "gpt2", 100256: "llama3", 128000: "llama3", 199998: "o200k", 200000: "o200k"}
"""The pattern of a known file by its number of ranks: r50k, p50k, cl100k, Llama 3, o200k, Llama 4."""

CWM_SPECIAL = {token(name): number for name, number in TOKENS.items()}
"""The special tokens that Meta's CWM adds to Llama 3's ranks for traces."""

# tiktoken panics on very long texts and is quadratic on very long words. These are the bounds of Meta's own wrapper;
# a cut is a token boundary there too, so the counts are those that users of the model see.
_MAX_TEXT, _MAX_RUN = 400_000, 25_000
# The look-behinds let a match start only where a run starts: without them the search is quadratic.
_LONG_RUN = re.compile(rf"(?<!\s)\s{{{_MAX_RUN + 1},}}|(?<!\S)\S{{{_MAX_RUN + 1},}}")


class Tokenizer(Protocol):
    """Anything that splits text into numbered pieces. The pieces of `split` join to the UTF-8 bytes of the text."""

    @property
    def name(self) -> str: ...
    def ids(self, text: str) -> list[int]: ...
    def split(self, text: str) -> list[bytes]: ...
    def count(self, text: str) -> int: ...


@dataclass(frozen=True)
class Bytes:
    """One token per byte of UTF-8: what the byte-level model reads."""

    name: str = "bytes"

    def ids(self, text: str) -> list[int]:
        return list(text.encode("utf-8", "surrogatepass"))

    def split(self, text: str) -> list[bytes]:
        data = text.encode("utf-8", "surrogatepass")
        return [data[i : i + 1] for i in range(len(data))]

    def count(self, text: str) -> int:
        return len(text.encode("utf-8", "surrogatepass"))


@dataclass(frozen=True)
class Tiktoken:
    """A tiktoken tokenizer. The texts of its special tokens always become those tokens."""

    name: str
    encoding: tiktoken.Encoding

    def ids(self, text: str) -> list[int]:
        ids: list[int] = []
        for part in _parts(text):
            ids += self.encoding.encode(part, allowed_special="all", disallowed_special=())
        return ids

    def split(self, text: str) -> list[bytes]:
        return [self.encoding.decode_single_token_bytes(number) for number in self.ids(text)]

    def count(self, text: str) -> int:
        return len(self.ids(text))


@dataclass(frozen=True)
class Json:
    """A tokenizer of the `tokenizers` library, without the marks its template would add at the ends."""

    name: str
    tokenizer: tokenizers.Tokenizer

    def ids(self, text: str) -> list[int]:
        return list(self.tokenizer.encode(_scalars(text), add_special_tokens=False).ids)

    def split(self, text: str) -> list[bytes]:
        """Split into the bytes of each token. A token that only completes a character is empty."""
        text = _scalars(text)
        pieces, at = [], 0
        for _, end in self.tokenizer.encode(text, add_special_tokens=False).offsets:
            pieces.append(text[at : max(at, end)].encode())
            at = max(at, end)
        # Characters that a tokenizer drops at the end, such as white space, belong to the last token.
        return [*pieces[:-1], pieces[-1] + text[at:].encode()] if pieces else pieces

    def count(self, text: str) -> int:
        return len(self.ids(text))


def from_ranks(
    name: str, data: bytes, *, pattern: str | None = None, special: Mapping[str, int] | None = None
) -> Tiktoken:
    """Build a tokenizer from a tiktoken file (lines `base64 rank`). Raises UsageError if it cannot be read.

    `pattern` is a name in PATTERNS or a regular expression; by default it follows from the number of ranks.
    `special` are the special tokens with their ids.
    """
    try:
        import tiktoken
    except ImportError as error:
        raise _missing(name, "tiktoken") from error
    ranks = _ranks(name, data)
    if pattern is None and len(ranks) not in PATTERN_OF_SIZE:
        known = ", ".join(PATTERNS)
        raise UsageError(f"tokenizer {name}: no known pattern has {len(ranks)} ranks; add #REGEX or one of {known}")
    pattern = pattern or PATTERN_OF_SIZE[len(ranks)]
    pattern = PATTERNS.get(pattern, pattern)
    try:
        encoding = tiktoken.Encoding(name, pat_str=pattern, mergeable_ranks=ranks, special_tokens=dict(special or {}))
    except ValueError as error:
        raise UsageError(f"tokenizer {name}: {error}") from error
    return Tiktoken(name, encoding)


def from_json(name: str, data: bytes) -> Json:
    """Build a tokenizer from a JSON file of the `tokenizers` library. Raises UsageError if it cannot be read."""
    try:
        import tokenizers
    except ImportError as error:
        raise _missing(name, "tokenizers") from error
    try:
        built = tokenizers.Tokenizer.from_buffer(data)
    except Exception as error:  # the library raises bare Exception, nothing narrower
        raise UsageError(f"tokenizer {name} is not a file of the tokenizers library: {error}") from error
    # Files saved for training often cut and pad to a fixed length, which would falsify every count.
    built.no_truncation()
    built.no_padding()
    return Json(name, built)


def _ranks(name: str, data: bytes) -> dict[bytes, int]:
    ranks: dict[bytes, int] = {}
    for number, line in enumerate(data.splitlines(), 1):
        if not line.strip():
            continue
        try:
            token, rank = line.split()
            ranks[base64.b64decode(token, validate=True)] = int(rank)
        except (ValueError, binascii.Error) as error:
            raise UsageError(f"tokenizer {name}: line {number} is not `base64 rank`") from error
    if not ranks:
        raise UsageError(f"tokenizer {name}: the file has no ranks")
    missing = [byte for byte in range(256) if bytes([byte]) not in ranks]
    if missing:
        raise UsageError(f"tokenizer {name}: byte {missing[0]} has no rank, so not every text can be counted")
    return ranks


def _parts(text: str) -> Iterator[str]:
    """The text in parts that tiktoken can handle, never split inside a possible special token."""
    start = 0
    while start < len(text):
        end = min(start + _MAX_TEXT, len(text))
        if end < len(text):
            mark = text.rfind("<", end - 40, end)
            end = mark if mark > start else end
        yield from _runs(text[start:end])
        start = end


def _runs(text: str) -> Iterator[str]:
    at = 0
    for run in _LONG_RUN.finditer(text):
        for cut in range(run.start() + _MAX_RUN, run.end(), _MAX_RUN):
            yield text[at:cut]
            at = cut
    yield text[at:]


def _scalars(text: str) -> str:
    """The text with lone surrogates, which no subword tokenizer knows, as replacement characters."""
    if not any("\ud800" <= char <= "\udfff" for char in text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _missing(name: str, package: str) -> UsageError:
    return UsageError(f"tokenizer {name} needs the package {package}: pip install 'worldline[tokens]'")

"""Counting and splitting text as real tokenizers do: bytes, `tokenizers` JSON, tiktoken ranks.

A tokenizer is built from the bytes of its file; finding and reading files is `worldline.data.vocabularies`.
The libraries are optional, imported when a tokenizer is built. Nothing here trains, normalises or decodes.
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

PATTERN_OF_SIZE = {
    50256: "gpt2",
    50280: "gpt2",
    100256: "llama3",
    128000: "llama3",
    199998: "o200k",
    200000: "o200k",
}
"""Which of them a known file of so many ranks was made with: r50k, p50k, cl100k, Llama 3, o200k, Llama 4."""

CWM_SPECIAL = {token(name): number for name, number in TOKENS.items()}
"""The special tokens that Meta's CWM adds to Llama 3's ranks for traces."""

# tiktoken panics on very long texts and is quadratic on very long words; these are the bounds of Meta's own
# wrapper, and a cut is a token boundary, so the counts are those that the model's users see.
_MAX_TEXT, _MAX_RUN = 400_000, 25_000
# The look-behinds let a match begin only where a run begins: without them the search is quadratic.
_LONG_RUN = re.compile(rf"(?<!\s)\s{{{_MAX_RUN + 1},}}|(?<!\S)\S{{{_MAX_RUN + 1},}}")


class Tokenizer(Protocol):
    """Anything that cuts text into numbered pieces. `split`'s pieces join to the text's UTF-8 bytes."""

    @property
    def name(self) -> str: ...
    def ids(self, text: str) -> list[int]: ...
    def split(self, text: str) -> list[bytes]: ...
    def count(self, text: str) -> int: ...


@dataclass(frozen=True)
class Bytes:
    """One token a byte of UTF-8: what the byte-level model reads."""

    name: str = "bytes"

    def ids(self, text: str) -> list[int]:
        """The bytes as numbers."""
        return list(text.encode("utf-8", "surrogatepass"))

    def split(self, text: str) -> list[bytes]:
        """The bytes one by one."""
        data = text.encode("utf-8", "surrogatepass")
        return [data[i : i + 1] for i in range(len(data))]

    def count(self, text: str) -> int:
        """The number of bytes."""
        return len(text.encode("utf-8", "surrogatepass"))


@dataclass(frozen=True)
class Tiktoken:
    """A tiktoken tokenizer; texts of its special tokens become those tokens wherever they stand."""

    name: str
    encoding: tiktoken.Encoding

    def ids(self, text: str) -> list[int]:
        """The token numbers of a text."""
        ids: list[int] = []
        for part in _parts(text):
            ids += self.encoding.encode(part, allowed_special="all", disallowed_special=())
        return ids

    def split(self, text: str) -> list[bytes]:
        """The bytes of each token."""
        return [self.encoding.decode_single_token_bytes(number) for number in self.ids(text)]

    def count(self, text: str) -> int:
        """The number of tokens."""
        return len(self.ids(text))


@dataclass(frozen=True)
class Json:
    """A tokenizer of the `tokenizers` library, without the marks its template would add at the ends."""

    name: str
    tokenizer: tokenizers.Tokenizer

    def ids(self, text: str) -> list[int]:
        """The token numbers of a text."""
        return list(self.tokenizer.encode(_scalars(text), add_special_tokens=False).ids)

    def split(self, text: str) -> list[bytes]:
        """The bytes of each token; one that only finishes a character begun by an earlier one is empty."""
        text = _scalars(text)
        pieces, at = [], 0
        for _, end in self.tokenizer.encode(text, add_special_tokens=False).offsets:
            pieces.append(text[at : max(at, end)].encode())
            at = max(at, end)
        # Characters that a tokenizer drops at the end (white space, say) go with the last token.
        return [*pieces[:-1], pieces[-1] + text[at:].encode()] if pieces else pieces

    def count(self, text: str) -> int:
        """The number of tokens."""
        return len(self.ids(text))


def from_ranks(
    name: str, data: bytes, *, pattern: str | None = None, special: Mapping[str, int] | None = None
) -> Tiktoken:
    """A tokenizer from a tiktoken file (lines `base64 rank`). `pattern`: a name in PATTERNS or a regex."""
    try:
        import tiktoken
    except ImportError as error:
        raise _missing(name, "tiktoken") from error
    ranks = _ranks(name, data)
    if pattern is None and len(ranks) not in PATTERN_OF_SIZE:
        known = ", ".join(PATTERNS)
        raise UsageError(
            f"tokenizer {name}: {len(ranks)} ranks name no known pattern; add #REGEX or one of {known}"
        )
    pattern = pattern or PATTERN_OF_SIZE[len(ranks)]
    pattern = PATTERNS.get(pattern, pattern)
    try:
        encoding = tiktoken.Encoding(
            name, pat_str=pattern, mergeable_ranks=ranks, special_tokens=dict(special or {})
        )  # fmt: skip
    except ValueError as error:
        raise UsageError(f"tokenizer {name}: {error}") from error
    return Tiktoken(name, encoding)


def from_json(name: str, data: bytes) -> Json:
    """A tokenizer from the JSON file that the `tokenizers` library writes."""
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
    """The text in parts that tiktoken can bear, never cut inside what may be a special token."""
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

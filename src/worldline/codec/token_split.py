"""How a tokenizer splits a value: how many tokens it takes in the text of its notation, and where they start.

A token may cross the ends of a value (Llama 3 has `='`), so a value is split together with its name. The rest of
the trace is left out: it does not move the splits of real tokenizers.
"""

from __future__ import annotations

from dataclasses import dataclass

from worldline.codec.notation import notation
from worldline.codec.tokens import Tokenizer

# Characters shown on each side of the wrong one.
CONTEXT_CHARACTERS = 24
CUT, LEFT, RIGHT, MORE = "|", "«", "»", "…"


@dataclass(frozen=True)
class TokenSplit:
    """The text of a value, the byte offsets at which a token starts, and how many tokens overlap it."""

    text: str
    cuts: tuple[int, ...]
    tokens: int

    @property
    def density(self) -> float:
        """Characters per token."""
        return len(self.text) / self.tokens

    def token_at(self, at: int) -> tuple[str, int]:
        """Return the part of the value that the token of a character covers, and the character's place in it."""
        byte = len(_bytes(self.text[:at]))
        start = max((cut for cut in self.cuts if cut <= byte), default=0)
        end = min((cut for cut in self.cuts if cut > byte), default=len(_bytes(self.text)))
        piece = _bytes(self.text)[start:end]
        return piece.decode("utf-8", "replace"), len(_bytes(self.text)[start:byte].decode("utf-8", "replace"))

    def marked(self, at: int) -> str:
        """Show the text around a character, `|` where a token starts, «» around the character: `'ab|c|«d»ef'`."""
        low, high = max(0, at - CONTEXT_CHARACTERS), at + CONTEXT_CHARACTERS + 1
        byte, shown = len(_bytes(self.text[:low])), [MORE] if low else []
        for place, char in enumerate(self.text[low:high], low):
            spelled = self._spelled(char, byte)
            shown.append(CUT if byte in self.cuts and place else "")
            shown.append(f"{LEFT}{spelled}{RIGHT}" if place == at else spelled)
            byte += len(_bytes(char))
        end = f"{LEFT}{RIGHT}" if at >= len(self.text) else ""
        return "".join(shown) + end + (MORE if high < len(self.text) else "")

    def _spelled(self, char: str, byte: int) -> str:
        """A character, or its bytes if tokens split it. A character that is also a mark gets a backslash."""
        data = _bytes(char)
        if not any(byte < cut < byte + len(data) for cut in self.cuts):
            return "\\" + char if char in (CUT, LEFT, RIGHT) else char
        parts = (f"{CUT if i and byte + i in self.cuts else ''}<{value:02x}>" for i, value in enumerate(data))
        return "".join(parts)


def split_value(tokenizer: Tokenizer, codec: str, name: str | None, value: str) -> TokenSplit:
    """Split a value as a notation writes it after its name, or as a result if there is no name."""
    before, text, after = written(codec, name, value)
    start, end = len(_bytes(before)), len(_bytes(before + text))
    at, tokens, cuts = 0, 0, dict[int, None]()
    for piece in tokenizer.split(before + text + after):
        if start <= at < end:
            cuts[at - start] = None
        tokens += at < end and (at + len(piece) > start or at >= start)
        at += len(piece)
    return TokenSplit(text, tuple(cuts), max(tokens, 1))


def written(codec: str, name: str | None, value: str) -> tuple[str, str, str]:
    return notation(codec).value_text(name, value)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")

"""A value as a tokenizer cuts it: how many tokens it takes in the text of its notation, and where they begin.

A token may reach across the ends of a value (Llama 3 has `='`), so a value is cut as it stands, behind its name.
It does not look at a whole trace: what stands further away does not move the cuts that real tokenizers make.
"""

from __future__ import annotations

from dataclasses import dataclass

from worldline.codec.notation import notation
from worldline.codec.tokens import Tokenizer

AROUND = 24  # characters shown on each side of the wrong one
CUT, LEFT, RIGHT, MORE = "|", "«", "»", "…"


@dataclass(frozen=True)
class TokenSplit:
    """The text of a value as it is written, the bytes of it before which a token begins, how many have a part in it."""

    text: str
    cuts: tuple[int, ...]
    tokens: int

    @property
    def density(self) -> float:
        """Characters a token."""
        return len(self.text) / self.tokens

    def token_at(self, at: int) -> tuple[str, int]:
        """The part of the value that the token of a character has, and the character's place in it."""
        byte = len(_bytes(self.text[:at]))
        start = max((cut for cut in self.cuts if cut <= byte), default=0)
        end = min((cut for cut in self.cuts if cut > byte), default=len(_bytes(self.text)))
        piece = _bytes(self.text)[start:end]
        return piece.decode("utf-8", "replace"), len(_bytes(self.text)[start:byte].decode("utf-8", "replace"))

    def marked(self, at: int) -> str:
        """The text around a character with `|` where a token begins, and «» around the character: `'ab|c|«d»ef'`."""
        low, high = max(0, at - AROUND), at + AROUND + 1
        byte, shown = len(_bytes(self.text[:low])), [MORE] if low else []
        for place, char in enumerate(self.text[low:high], low):
            told = self._spelled(char, byte)
            shown.append(CUT if byte in self.cuts and place else "")
            shown.append(f"{LEFT}{told}{RIGHT}" if place == at else told)
            byte += len(_bytes(char))
        end = f"{LEFT}{RIGHT}" if at >= len(self.text) else ""
        return "".join(shown) + end + (MORE if high < len(self.text) else "")

    def _spelled(self, char: str, byte: int) -> str:
        """A character as it is; where tokens cut it, its bytes. One that reads as a mark has a backslash before it."""
        data = _bytes(char)
        if not any(byte < cut < byte + len(data) for cut in self.cuts):
            return "\\" + char if char in (CUT, LEFT, RIGHT) else char
        parts = (f"{CUT if i and byte + i in self.cuts else ''}<{one:02x}>" for i, one in enumerate(data))
        return "".join(parts)


def split_value(tokenizer: Tokenizer, codec: str, name: str | None, value: str) -> TokenSplit:
    """A value as it is written in a notation behind its name, or without one as what a step gives back."""
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
    """A value in the text of a notation: what stands before it, it, and what follows."""
    return notation(codec).value_text(name, value)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")

"""Texts that are searched, each kept once, in lower case: which of them hold a word.

A search walks over all of them, at the speed of `in`. What a text was of is not known here.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from itertools import repeat
from operator import contains

import numpy as np
from numpy.typing import NDArray

KEPT = 8  # searches that are remembered: a page asks the same one again for each part of its list


class SearchedTexts:
    """A growing set of texts, by number. Beyond `limit` characters it `is_full`, and none more is kept."""

    def __init__(self, *, limit: int) -> None:
        self.limit, self.size, self.is_full = limit, 0, False
        self._texts = list[str]()
        self._known = dict[bytes, int]()
        self._found: OrderedDict[str, NDArray[np.bool_]] = OrderedDict()

    def add(self, text: str) -> int:
        """The number of a text; -1 of one that is not kept."""
        folded = text.lower()
        key = hashlib.blake2b(folded.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        number = self._known.get(key, -1)
        if number >= 0:
            return number
        self.is_full = self.is_full or self.size + len(folded) > self.limit
        if self.is_full:
            return -1
        self._texts.append(folded)
        self.size += len(folded)
        self._known[key] = len(self._texts) - 1
        return self._known[key]

    def seal(self) -> None:
        """No more will be added: what only adding needs is let go."""
        self._known.clear()

    def holding(self, word: str) -> NDArray[np.bool_]:
        """Of each text, by number, whether it holds the word, in either case; one false more, for number -1."""
        folded = word.lower()
        found = self._found.pop(folded, None)
        if found is None:
            every = map(contains, self._texts, repeat(folded))
            found = np.append(np.fromiter(every, np.bool_, len(self._texts)), False)
        self._found[folded] = found
        if len(self._found) > KEPT:
            self._found.popitem(last=False)
        return found

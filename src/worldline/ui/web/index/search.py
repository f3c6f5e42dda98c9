"""Distinct texts in lower case, and which of them contain a word."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from itertools import repeat
from operator import contains

import numpy as np
from numpy.typing import NDArray

MAX_REMEMBERED = 8  # searches: a page repeats its search for each part of the list


class SearchedTexts:
    """Texts by number. After `limit` characters it `is_full` and takes no more."""

    def __init__(self, *, limit: int) -> None:
        self.limit, self.size, self.is_full = limit, 0, False
        self._texts = list[str]()
        self._known = dict[bytes, int]()
        self._remembered: OrderedDict[str, NDArray[np.bool_]] = OrderedDict()

    def add(self, text: str) -> int:
        """Add a text and return its number; -1 if there is no room."""
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
        """Free what only `add` needs."""
        self._known.clear()

    def containing(self, word: str) -> NDArray[np.bool_]:
        """Return for each number whether its text contains the word in any case; the last entry is for -1."""
        folded = word.lower()
        matches = self._remembered.pop(folded, None)
        if matches is None:
            checked = map(contains, self._texts, repeat(folded))
            matches = np.append(np.fromiter(checked, np.bool_, len(self._texts)), False)
        self._remembered[folded] = matches
        if len(self._remembered) > MAX_REMEMBERED:
            self._remembered.popitem(last=False)
        return matches

"""Work that makes very many objects and no cycles, done without the collector of cycles.

It would go through all of them again and again and find nothing: a third of the time that a long run takes to be read.
Whatever else the process does meanwhile is swept afterwards; what is no part of a cycle is freed at once, as ever.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_working = 0  # how many are at such work; the last one turns the collector on again


@contextmanager
def without_gc() -> Iterator[None]:
    """The collector rests inside, if it was on. Any thread may enter, at any time."""
    global _working
    if not gc.isenabled() and not _working:  # somebody else has turned it off: it is theirs to turn on
        yield
        return
    with _lock:
        _working += 1
        gc.disable()
    try:
        yield
    finally:
        with _lock:
            _working -= 1
            if not _working:
                gc.freeze()
                gc.unfreeze()  # what was made counts as old: it is swept with all else, whenever that is due
                gc.enable()

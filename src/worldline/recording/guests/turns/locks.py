"""What a call waits for, and whether taking or giving a lock back changes what other threads may do.

A call that waits without a time has no effect until it can continue, so its turn begins then. Not so a condition's
or barrier's: who waits there counts.
"""

from __future__ import annotations

import _thread
import builtins
from collections.abc import Callable
from typing import Any

globals()["__builtins__"] = dict(vars(builtins))  # a program may take the real ones away

_is_locked, _shown = _thread.LockType.locked, _thread.RLock.__repr__
_get = object.__getattribute__
_is_owned: Any = _thread.RLock.__dict__["_is_owned"]


def free_test(lock: Any) -> Callable[[], Any] | None:
    """Return the test that a lock can be taken; None if this thread holds it and may take it again."""
    if type(lock) is not _thread.RLock:
        return lambda: not _is_locked(lock)
    if _is_owned(lock):
        return None
    return lambda: _shown(lock).startswith("<unlocked")


def taking_mode(lock: Any) -> str:
    """Return the mode in which a lock is taken: to take it once more changes nothing for others."""
    return "r" if type(lock) is _thread.RLock and _is_owned(lock) else "w"


def giving_mode(lock: Any) -> str:
    """Return the mode in which a lock is given back: only the last time lets others continue."""
    is_nested = type(lock) is _thread.RLock and _is_owned(lock) and " count=1 " not in _shown(lock)
    return "r" if is_nested else "u"


def is_simple_queue(kind: type) -> bool:
    """Tell whether a class is `_queue.SimpleQueue`, which is not imported here: programs see what is loaded."""
    return bool(_get(kind, "__name__") == "SimpleQueue" and _get(kind, "__dict__").get("__module__") == "_queue")


def call_test(owner: Any, name: str, arguments: int) -> Callable[[], Any] | None:
    """Return the test that a call of `threading`, `queue` or `concurrent.futures` can continue; None if it is unknown.

    Args:
        owner: The object whose method is called.
        name: The name of the method.
        arguments: How many arguments it has; with a timeout it does not wait for ever.
    """
    if is_simple_queue(type(owner)):
        is_empty = _get(type(owner), "__dict__")["empty"]
        return (lambda: not is_empty(owner)) if name == "get" and not arguments else None
    try:
        parts = _get(owner, "__dict__")
    except AttributeError:
        return None
    kind = _get(type(owner), "__name__")
    if name == "acquire" and not arguments and kind in ("Semaphore", "BoundedSemaphore"):
        return lambda: parts["_value"] > 0
    if name == "wait" and not arguments and kind == "Event":
        return lambda: parts["_flag"]
    if name in ("result", "exception") and not arguments and kind == "Future":
        return lambda: parts["_state"] not in ("PENDING", "RUNNING")
    if kind in ("Queue", "LifoQueue", "PriorityQueue"):
        if name == "get" and not arguments:
            return lambda: len(parts["queue"]) > 0
        if name == "put" and arguments == 1:
            return lambda: parts["maxsize"] <= 0 or len(parts["queue"]) < parts["maxsize"]
        if name == "join":
            return lambda: not parts["unfinished_tasks"]
    return None

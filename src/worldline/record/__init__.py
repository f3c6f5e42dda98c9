"""Programs run boxed, and what they did: one guest per language speaks the wire format.

The room is callable: `worldline.record(program)` records while `worldline.record.recorder` stays a module.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from worldline.core.trace import Trace


class _Room(ModuleType):
    """A module that can be called: the import system may rebind `worldline.record` to it at any time."""

    def __call__(self, *arguments: Any, **options: Any) -> Trace:
        """Record one program; see `worldline.record.recorder.record`."""
        from worldline.record.recorder import record

        return record(*arguments, **options)


sys.modules[__name__].__class__ = _Room

"""Where in the script something happens: the innermost line of its own files on the stack."""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from typing import Any

from ..confine import SCRATCH

globals()["__builtins__"] = dict(vars(builtins))  # a program may take the real ones away

OWN = tuple(f"{SCRATCH}/{name}/" for name in ("work", "script"))
_GUEST = __file__.rpartition("/")[0]
_PASSING_ON = (
    "/os.py",
    "/_collections_abc.py",
    "<frozen os>",
    "abc>",
    "/codecs.py",
    "/pathlib.py",
    "/pathlib/_local.py",
    "/contextlib.py",
)
"""Files of the library that only pass a request of the script on."""


def frames(frame: Any) -> Iterator[Any]:
    """Yield a frame and its callers."""
    while frame is not None:
        yield frame
        frame = frame.f_back


def place(frame: Any) -> tuple[str, int]:
    """Return the innermost line of the files of the script that led here, if any."""
    for outer in frames(frame):
        name = outer.f_code.co_filename
        if name.startswith(OWN):
            return name, outer.f_lineno or 0
    return "", 0


def asks_itself(frame: Any) -> bool:
    """Tell whether the script asks for something, and not a library that may look for what it can do without."""
    for outer in frames(frame):
        name = outer.f_code.co_filename
        if not name.startswith((_GUEST, "<frozen importlib")) and not name.endswith(_PASSING_ON):
            return bool(name.startswith(OWN))
    return False

"""The standard streams of the program: those of the interpreter, but text is reported to the recorder.

Buffering is the same as in a plain run with pipes, so a crash loses the same text. Bytes that bypass
these objects (`os.write`, `sys.stdout.buffer`) are in the recorded output, but are not steps.
"""

from __future__ import annotations

import builtins
import io
import sys
from typing import Any

globals()["__builtins__"] = dict(vars(builtins))  # a program may take the real ones away

# The interpreter's own choice in the C.UTF-8 locale, in which every program runs.
_ERRORS = "surrogateescape"

_listener: Any = None  # the recorder; the classes exist once, before any program starts


class _Out(io.TextIOWrapper):
    def write(self, text: str, /) -> int:
        count = super().write(text)
        if count:
            _listener.output(str.__str__(text))
        return count


class _In(io.TextIOWrapper):  # a subclass's `__next__` and `readlines` call its `readline`
    def read(self, *args: Any) -> str:
        return _tell(super().read(*args))

    def readline(self, *args: Any) -> Any:  # a str; Any, as its bases disagree in the type stubs
        return _tell(super().readline(*args))


for _cls in (_Out, _In):
    _cls.__name__ = _cls.__qualname__ = "TextIOWrapper"
    _cls.__module__ = "_io"


def _tell(text: str) -> str:
    _listener.input(text)
    return text


def tell(recorder: Any) -> None:
    """Set the recorder to which text is reported."""
    global _listener
    _listener = recorder


def open_streams() -> list[io.TextIOWrapper]:
    """Open fresh sys.stdin, sys.stdout and sys.stderr over files 0, 1 and 2.

    They are created before a program starts. The files behind these numbers may be replaced later.
    """
    inward, outward = _binary(0, "rb", "<stdin>"), _binary(1, "wb", "<stdout>")
    ours = {
        "stdin": _In(inward, encoding="utf-8", errors=_ERRORS),
        "stdout": _Out(outward, encoding="utf-8", errors=_ERRORS, newline="\n"),
        "stderr": io.TextIOWrapper(
            _binary(2, "wb", "<stderr>"), encoding="utf-8", errors="backslashreplace", newline="\n", line_buffering=True
        ),
    }
    for name, stream in ours.items():
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
        setattr(stream, "mode", "r" if name == "stdin" else "w")  # noqa: B010 - read-only for a type checker
    return list(ours.values())


def _binary(fd: int, mode: str, name: str) -> io.BufferedReader | io.BufferedWriter:
    raw = io.FileIO(fd, mode, closefd=False)
    raw.name = name
    return io.BufferedReader(raw) if mode == "rb" else io.BufferedWriter(raw)

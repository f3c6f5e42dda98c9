"""The program's standard streams: exactly the interpreter's own, except that text written or read is told.

Buffering is as in a plain run with pipes, so that what is lost in a crash is lost in both. Bytes that go around these
objects (`os.write`, `sys.stdout.buffer`) are in the recorded output all the same, but are no steps.
"""

import io
import sys


def open_streams(recorder):
    """Fresh sys.stdin, sys.stdout and sys.stderr over files 0, 1 and 2."""

    class Out(io.TextIOWrapper):
        def write(self, text, /):
            count = super().write(text)
            if count:
                recorder.output(text[:])
            return count

    class In(io.TextIOWrapper):
        def read(self, *args):
            return told(super().read(*args))

        def readline(self, *args):
            return told(super().readline(*args))

        def __next__(self):
            return told(super().__next__())

    def told(text):
        recorder.input(text)
        return text

    for cls in (Out, In):
        cls.__name__ = cls.__qualname__ = "TextIOWrapper"
        cls.__module__ = "_io"
    sys.stdin = sys.__stdin__ = In(_binary(0, "rb"), encoding="utf-8", errors="strict")
    sys.stdout = sys.__stdout__ = Out(_binary(1, "wb"), encoding="utf-8", errors="strict", newline="\n")
    sys.stderr = sys.__stderr__ = io.TextIOWrapper(
        _binary(2, "wb"), encoding="utf-8", errors="backslashreplace", newline="\n", line_buffering=True
    )
    for stream, name in ((sys.stdin, "<stdin>"), (sys.stdout, "<stdout>"), (sys.stderr, "<stderr>")):
        stream.buffer.raw.name = name


def _binary(fd, mode):
    raw = io.FileIO(fd, mode, closefd=False)
    return io.BufferedReader(raw) if mode == "rb" else io.BufferedWriter(raw)

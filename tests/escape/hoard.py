"""How the hoards count what they hold, and when it is enough. Travels into the box with every one of them."""

import ctypes
import os

ENOUGH = 300 << 20
PIECE = bytes(range(256)) * 256
libc = ctypes.CDLL(None, use_errno=True)


def called(result):
    """What a C function gave, or its error raised."""
    if result is None or result in (-1, 2**64 - 1):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def fill(send, piece=PIECE):
    """Send until nothing more is taken; the sizes of what was."""
    try:
        while True:
            yield send(piece)
    except BlockingIOError:
        return


def hoard(sizes):
    """Go on until it is enough or refused, and say how much is held then."""
    held = 0
    try:
        for size in sizes:
            held += size
            if held >= ENOUGH:
                break
    except (OSError, MemoryError) as error:
        print("refused:", error)
    print("held", held, flush=True)

"""Pipes, as large as they can be made."""

import fcntl
import os
from functools import partial

from hoard import fill, hoard


def sizes():
    while True:
        _, end = os.pipe()
        os.set_blocking(end, False)
        try:
            fcntl.fcntl(end, fcntl.F_SETPIPE_SZ, 1 << 20)
        except OSError as error:
            print("refused:", error)
        yield from fill(partial(os.write, end))


hoard(sizes())

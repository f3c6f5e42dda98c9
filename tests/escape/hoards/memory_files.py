"""Memory files that nobody maps."""

import os

from hoard import PIECE, hoard


def sizes():
    for _ in range(1000):
        file = os.memfd_create("hoard")
        for _ in range(64):
            yield os.write(file, PIECE)


hoard(sizes())

"""Files without a name, on every file system that takes one."""

import os

from hoard import PIECE, hoard


def sizes():
    for place in ("/tmp", "/dev/shm", "/dev", "/box/work", "/var/tmp", "/"):
        try:
            file = os.open(place, os.O_TMPFILE | os.O_RDWR, 0o600)
            while True:
                yield os.write(file, PIECE)
        except OSError as error:
            print("refused:", place, error)


hoard(sizes())

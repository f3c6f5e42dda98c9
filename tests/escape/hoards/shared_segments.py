"""System V shared memory, attached for long enough to be filled."""

import ctypes

from hoard import called, hoard, libc

SIZE = 4 << 20
libc.shmat.restype = ctypes.c_void_p


def sizes():
    while True:
        segment = called(libc.shmget(0, ctypes.c_size_t(SIZE), 0o1600))
        at = ctypes.c_void_p(called(libc.shmat(segment, None, 0)))
        ctypes.memset(at, 1, SIZE)
        libc.shmdt(at)
        yield SIZE


hoard(sizes())

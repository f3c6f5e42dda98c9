"""A byte of each huge page put into a pipe, and the page unmapped: the pipe holds all of it."""

import ctypes
import os

from hoard import called, hoard, libc

HUGE, ADVISE_HUGE = 2 << 20, 14
libc.mmap.restype = ctypes.c_void_p
libc.vmsplice.restype = ctypes.c_ssize_t


def pages():
    at = called(libc.mmap(None, ctypes.c_size_t(2 * HUGE), 3, 0x22, -1, ctypes.c_long(0)))
    page = -(-at // HUGE) * HUGE
    libc.madvise(ctypes.c_void_p(page), ctypes.c_size_t(HUGE), ADVISE_HUGE)
    ctypes.memset(page, 1, HUGE)
    return at, page


def sizes():
    while True:
        _, end = os.pipe()
        for _ in range(15):
            at, page = pages()
            called(libc.vmsplice(end, (ctypes.c_size_t * 2)(page, 1), ctypes.c_size_t(1), 0))
            called(libc.munmap(ctypes.c_void_p(at), ctypes.c_size_t(2 * HUGE)))
            yield HUGE


hoard(sizes())

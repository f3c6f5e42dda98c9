"""A byte of each huge page put into a pipe, and the page unmapped: the pipe holds all of it."""

import ctypes
import os
import re

from hoard import called, hoard, libc

HUGE, SMALL, ADVISE_HUGE = 2 << 20, 4096, 14
libc.mmap.restype = ctypes.c_void_p
libc.vmsplice.restype = ctypes.c_ssize_t


def pages():
    at = called(libc.mmap(None, ctypes.c_size_t(2 * HUGE), 3, 0x22, -1, ctypes.c_long(0)))
    page = -(-at // HUGE) * HUGE
    libc.madvise(ctypes.c_void_p(page), ctypes.c_size_t(HUGE), ADVISE_HUGE)
    ctypes.memset(page, 1, 1)
    return at, page


def huge():
    """How many of this process's bytes lie in huge pages: the kernel gives small ones where it has no other."""
    with open("/proc/self/smaps_rollup") as rollup:
        return int(re.search(r"AnonHugePages: +(\d+) kB", rollup.read())[1]) << 10


def sizes():
    while True:
        _, end = os.pipe()
        for _ in range(15):
            before = huge()
            at, page = pages()
            size = HUGE if huge() > before else SMALL
            called(libc.vmsplice(end, (ctypes.c_size_t * 2)(page, 1), ctypes.c_size_t(1), 0))
            called(libc.munmap(ctypes.c_void_p(at), ctypes.c_size_t(2 * HUGE)))
            yield size


hoard(sizes())

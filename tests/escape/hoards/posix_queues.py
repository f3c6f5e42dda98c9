"""POSIX message queues, all of them full."""

import ctypes
import itertools
import os

from hoard import called, hoard, libc

SIZE = 8192


def sizes():
    shape = (ctypes.c_long * 8)(0, 10, SIZE)
    flags = os.O_CREAT | os.O_RDWR | os.O_NONBLOCK
    for number in itertools.count():
        queue = called(libc.mq_open(b"/hoard%d" % number, flags, 0o600, shape))
        while libc.mq_send(queue, bytes(SIZE), ctypes.c_size_t(SIZE), 1) == 0:
            yield SIZE


hoard(sizes())

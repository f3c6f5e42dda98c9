"""Ask which parts of a file are in memory: of ours, as the interpreter's are for who owns them."""

import ctypes

from outside import syscall

with open("mine", "w+") as file:
    file.write("mine")
    found = (ctypes.c_uint64 * 5)()
    syscall("cachestat", file.fileno(), (ctypes.c_uint64 * 2)(), found, 0)

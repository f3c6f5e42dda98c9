"""Read the memory of another process."""

import ctypes
import os

from outside import syscall

buffer = ctypes.create_string_buffer(64)
vector = (ctypes.c_size_t * 2)(ctypes.addressof(buffer), 64)
for pid in (1, os.getpid()):
    syscall("process_vm_readv", pid, vector, 1, vector, 1, 0)
    syscall("kcmp", pid, os.getpid(), 0, 0, 0)

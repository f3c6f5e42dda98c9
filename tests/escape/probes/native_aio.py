"""Use up the asynchronous requests of which the whole host has so many."""

import ctypes

from outside import syscall

syscall("io_setup", 1000, ctypes.byref(ctypes.c_ulong()))

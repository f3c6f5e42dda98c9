"""Swap, account, set quotas, read the kernel's log."""

import ctypes

from outside import syscall

syscall("swapon", b"/box/work/swap", 0)
syscall("acct", b"/box/work/acct")
syscall("quotactl", 0x800001, None, 0, None)
syscall("syslog", 3, ctypes.create_string_buffer(100), 100)
syscall("iopl", 3)

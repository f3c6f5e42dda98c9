"""Use the keys of whoever runs the recorder."""

from outside import syscall

syscall("keyctl", 0, -3, 0)
syscall("keyctl", 0, -5, 0)
syscall("add_key", b"user", b"mark", b"here", 4, -4)

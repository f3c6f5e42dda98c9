"""Watch the host's files."""

from outside import syscall

syscall("fanotify_init", 0x200, 0)
syscall("fanotify_init", 0, 0)

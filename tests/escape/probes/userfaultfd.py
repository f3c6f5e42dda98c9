"""Hold the kernel at a page fault."""

from outside import syscall

syscall("userfaultfd", 0)
syscall("userfaultfd", 1)

"""Take over another process."""

import os

from outside import VICTIM, syscall

syscall("ptrace", 0, 0, 0, 0)
for pid in (1, os.getppid() or 1, int(VICTIM)):
    syscall("ptrace", 16, pid, 0, 0)
    syscall("ptrace", 0x4206, pid, 0, 0)

"""Enter the namespaces of another process."""

import os

from outside import syscall

for pid in ("1", "self", str(os.getppid())):
    for kind in ("mnt", "net", "pid", "user", "uts", "ipc"):
        try:
            there = os.open(f"/proc/{pid}/ns/{kind}", os.O_RDONLY)
        except OSError as error:
            print("refused:", error)
            continue
        syscall("setns", there, 0)

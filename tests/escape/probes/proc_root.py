"""Go through the roots and directories of other processes."""

import os

from outside import CANARY, attempt, read

for pid in [name for name in os.listdir("/proc") if name.isdigit()] + ["self", "thread-self"]:
    for door in ("root", "cwd"):
        attempt(read, f"/proc/{pid}/{door}{CANARY}")
        attempt(read, f"/proc/{pid}/{door}/etc/passwd")

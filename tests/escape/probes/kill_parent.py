"""Kill whoever started us."""

import os
import signal

from outside import attempt

for pid in (os.getppid(), os.getpgid(0) - 1):
    if pid > 1:
        attempt(os.kill, pid, signal.SIGKILL)
print("refused: there is no parent to see")

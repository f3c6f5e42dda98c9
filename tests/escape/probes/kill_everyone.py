"""Kill everyone, and the first process by name."""

import os
import signal

from outside import attempt

signal.signal(signal.SIGTERM, signal.SIG_IGN)
attempt(os.kill, -1, signal.SIGTERM) if os.getpid() < 3 else None
os.kill(1, signal.SIGKILL) if os.getpid() == 2 else None
print("refused: still here")

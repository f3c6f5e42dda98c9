"""Kill a process of the host by its number."""

import os
import signal

from outside import VICTIM, attempt

attempt(os.kill, int(VICTIM), signal.SIGKILL)

"""Leave children behind that take no signal."""

import os
import signal
import time

from outside import name_me

for _ in range(4):
    if os.fork() == 0:
        name_me()
        signal.pthread_sigmask(signal.SIG_SETMASK, range(1, 64))
        while True:
            time.sleep(600)
time.sleep(0.05)

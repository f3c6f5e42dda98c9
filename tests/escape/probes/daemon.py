"""Leave a grandchild behind, in a session of its own."""

import os
import time

from outside import name_me

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        name_me()
        for fd in range(3):
            os.close(fd)
        time.sleep(600)
    os._exit(0)
time.sleep(0.05)

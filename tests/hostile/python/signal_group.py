# outcome: killed SIGKILL
# item: 31
# plain: skip
# delta: before=1
import os
import signal

before = 1
os.kill(0, signal.SIGKILL)

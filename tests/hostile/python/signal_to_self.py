# outcome: killed SIGTERM
# item: 31
# delta: before=1
import os
import signal

before = 1
os.kill(os.getpid(), signal.SIGTERM)

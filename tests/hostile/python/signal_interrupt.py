# outcome: raised KeyboardInterrupt
# item: 31
# delta: before=1
import os
import signal

before = 1
os.kill(os.getpid(), signal.SIGINT)
for _ in range(1000):
    pass

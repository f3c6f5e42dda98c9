# outcome: limit time
# item: 31
# limits: wall=1
# plain: skip
# also: 3.12 3.13
# delta: before=1
import signal
import time

before = 1
signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
for number in signal.valid_signals():
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
while True:
    time.sleep(0.2)

# outcome: returned
# item: 31
# delta: caught='alarm'
import signal
import time


def ring(number, frame):
    raise TimeoutError("alarm")


signal.signal(signal.SIGALRM, ring)
signal.setitimer(signal.ITIMER_REAL, 0.05)
try:
    time.sleep(5)
except TimeoutError as error:
    caught = str(error)
print(caught)

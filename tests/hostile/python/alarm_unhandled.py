# outcome: killed SIGALRM
# item: 31
# delta: before=1
import signal

before = 1
signal.setitimer(signal.ITIMER_REAL, 0.05)
signal.pause()

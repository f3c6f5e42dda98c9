# outcome: returned
# item: 31
# also: 3.12 3.13
# delta: rang=True
import signal

rang = False


def ring(number, frame):
    global rang
    rang = True


signal.signal(signal.SIGALRM, ring)
signal.setitimer(signal.ITIMER_REAL, 0.05)
while not rang:
    signal.pause()
print(rang)

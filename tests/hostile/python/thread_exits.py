# outcome: returned
# item: 24
# item: 30
# note: threads
# delta: after=1
import sys
import threading


def work():
    sys.exit(9)


t = threading.Thread(target=work)
t.start()
t.join()
after = 1
print("main goes on")

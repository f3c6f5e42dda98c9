# outcome: returned
# item: 24
# note: threads
# delta: after=1
import threading


def work():
    raise ValueError("in a thread")


threading.excepthook = lambda args: print(args.exc_type.__name__)
t = threading.Thread(target=work)
t.start()
t.join()
after = 1
print("main goes on")

# outcome: returned
# item: 24
# note: threads
# delta: done=1
import threading
import time


def work():
    time.sleep(0.05)
    print("late", flush=True)


threading.Thread(target=work).start()
done = 1
print("main", flush=True)

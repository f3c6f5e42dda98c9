# outcome: returned
# item: 24
# also: 3.12 3.13
# note: threads
# delta: box=[1]
# delta: after=True
import threading

box = []


def work():
    box.append(1)


t = threading.Thread(target=work)
t.start()
t.join()
after = bool(box)
print(box)

"""Threads: a counter that loses counts where a thread is stopped between reading and writing."""

import threading

def race(n):
    box = [0]
    def work():
        for i in range(n):
            seen = box[0]
            box[0] = seen + 1
    threads = [threading.Thread(target=work) for _ in range(2)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return box[0]

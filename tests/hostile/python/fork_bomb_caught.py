# outcome: limit processes
# item: 37
# limits: wall=30 processes=16
# plain: skip
# delta: stopped=True
import os
import time

children = []
stopped = False
while not stopped:
    try:
        child = os.fork()
    except OSError:
        stopped = True
        break
    if not child:
        time.sleep(30)
        os._exit(0)
    children.append(child)
print("stopped", len(children) <= 16)

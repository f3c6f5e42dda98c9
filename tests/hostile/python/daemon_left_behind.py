# outcome: returned
# item: 38
# plain: skip
# leaves-no: wl-hostile-daemon
# delta: done=1
import os
import time

if not os.fork():
    os.setsid()
    if not os.fork():
        os.closerange(0, 3)
        os.execvp("sleep", ["wl-hostile-daemon", "60"])
        time.sleep(60)
    os._exit(0)
time.sleep(0.1)
done = 1
print(done)

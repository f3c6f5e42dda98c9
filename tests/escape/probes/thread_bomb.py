"""The same with threads."""

import threading
import time

from outside import escaped

for _ in range(400):
    try:
        threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
    except RuntimeError as error:
        print("refused:", error)
        break
else:
    escaped("400 threads")

"""Fork until nothing goes any more, and leave them all."""

import os
import time

from outside import escaped, name_me

name_me()
for _ in range(200):
    try:
        if os.fork() == 0:
            time.sleep(600)
    except OSError as error:
        print("refused:", error)
        break
else:
    escaped("200 processes")

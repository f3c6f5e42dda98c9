"""Change the interpreter, the libraries or the recorder for whoever comes next."""

import os
import sys

from outside import escaped

places = [sys.prefix, os.__file__, "/usr/lib", "/worldline/guests", "/worldline/guests/zygote.py", "/dev", "/box", "/proc", "/etc", "/"]
for place in places + sys.path[1:]:
    path = place if os.path.isfile(place) else os.path.join(place, "sitecustomize.py")
    try:
        with open(path, "a") as file:
            file.write("")
    except OSError as error:
        print("refused:", error)
    else:
        if not path.startswith("/box/"):
            escaped(path)

"""Make the host's directory first, and then write into it; the host looks whether it did."""

import os

from outside import MARK, escaped

for path in (MARK, "/var/mark", "/opt/mark", "/srv/mark", "/mark", "/home/mark"):
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write("here")
    except OSError as error:
        print("refused:", error)
    else:
        # The path of MARK may well be made here, in a /tmp of our own: only the host can tell.
        escaped(path) if path != MARK else None

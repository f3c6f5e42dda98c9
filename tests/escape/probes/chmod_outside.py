"""Change the mode and the owner of host files."""

import os

from outside import CANARY, attempt

for path in (CANARY, "/usr/bin/env", "/usr"):
    attempt(os.chmod, path, 0o777)
    attempt(os.chown, path, 1000, 1000)
    attempt(os.utime, path)

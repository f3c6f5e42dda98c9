"""Mark a host file by its attributes."""

import os

from outside import CANARY, attempt

attempt(os.setxattr, CANARY, "user.mark", b"here")
attempt(os.setxattr, "/usr/bin/env", "user.mark", b"here")

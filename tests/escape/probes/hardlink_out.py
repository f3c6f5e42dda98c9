"""Take a host file by a hard link."""

import os

from outside import CANARY, attempt

attempt(os.link, CANARY, "taken")
attempt(os.link, "/usr/bin/env", "env")

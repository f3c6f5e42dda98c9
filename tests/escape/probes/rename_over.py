"""Put a file of ours in the place of a host file."""

import os

from outside import CANARY, attempt

with open("mine", "w") as file:
    file.write("overwritten")
attempt(os.rename, "mine", CANARY)
attempt(os.replace, "mine", "/usr/bin/env")

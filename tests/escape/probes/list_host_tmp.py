"""See what the host keeps in its temporary directory."""

import os

from outside import CANARY, escaped

for folder in ("/tmp", "/var/tmp", os.path.dirname(CANARY)):
    try:
        names = os.listdir(folder)
    except OSError as error:
        print("refused:", error)
        continue
    if os.path.basename(CANARY) in names or any(name.startswith("pytest") for name in names):
        escaped(f"{folder} shows {names[:5]}")

"""Read the environment and the command line of every process that can be seen."""

import os

from outside import escaped

for pid in [name for name in os.listdir("/proc") if name.isdigit()]:
    for file in ("environ", "cmdline"):
        try:
            data = open(f"/proc/{pid}/{file}", "rb").read()
        except OSError as error:
            print("refused:", error)
            continue
        print(data)
        if b"CANARY" in data or b"pytest" in data:
            escaped(f"/proc/{pid}/{file}")

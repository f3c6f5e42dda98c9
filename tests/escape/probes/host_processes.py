"""See the host's processes."""

import os

from outside import VICTIM, escaped

pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]
print(pids)
if len(pids) > 3 or int(VICTIM) in pids:
    escaped(f"{len(pids)} processes")

"""Become root by a program that may."""

import os
import subprocess

from outside import escaped

for command in (["su", "-c", "id"], ["sudo", "-n", "id"], ["pkexec", "id"], ["mount", "-t", "tmpfs", "none", "/box/tmp"], ["newgrp"], ["unshare", "-r", "id"], ["nsenter", "-t", "1", "-a", "id"], ["bwrap", "--bind", "/", "/", "id"]):
    try:
        done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=2)
    except (OSError, subprocess.TimeoutExpired) as error:
        print("refused:", error)
        continue
    if b"uid=0" in done.stdout or (done.returncode == 0 and command[0] != "newgrp"):
        escaped(command)

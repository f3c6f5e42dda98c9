"""Become root by asking."""

import os

from outside import attempt

for act, arguments in ((os.setuid, (0,)), (os.setresuid, (0, 0, 0)), (os.setgid, (0,)), (os.setgroups, ([0],)), (os.seteuid, (0,))):
    attempt(act, *arguments)

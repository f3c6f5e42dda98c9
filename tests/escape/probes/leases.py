"""Be told, and have others wait, when a file is opened: one of ours, as the interpreter's are for who owns them."""

import fcntl

from outside import attempt

F_SETDELEG = 1040
with open("mine", "w") as file:
    file.write("mine")
with open("mine") as file, open("/usr/bin/env") as theirs:
    for lease in (fcntl.F_SETLEASE, F_SETDELEG):
        attempt(fcntl.fcntl, file, lease, fcntl.F_RDLCK)
        attempt(fcntl.fcntl, theirs, lease, fcntl.F_RDLCK)

"""Watch which commands the host runs, by a signal."""

import fcntl
import os
import signal

from outside import attempt, syscall

signal.signal(signal.SIGIO, signal.SIG_IGN)
folder = os.open("/usr/bin", os.O_RDONLY)
attempt(fcntl.fcntl, folder, fcntl.F_NOTIFY, fcntl.DN_ACCESS | fcntl.DN_MULTISHOT)
syscall("fcntl", folder, fcntl.F_NOTIFY | 1 << 32, fcntl.DN_ACCESS)  # the kernel looks at the low word only

"""Leave something for the next program of the same box, everywhere."""

import os
import socket

from outside import libc

for place in ("/tmp", "/dev/shm", "/box", "/box/tmp", "/box/work", "/dev", "/", "/var/tmp", "/worldline"):
    try:
        with open(os.path.join(place, "left-behind"), "w") as file:
            file.write("left-behind")
    except OSError as error:
        print("refused:", error)
shared = libc.shmget(0x574C, 4096, 0o1600)
print("shared memory", shared, "queue", libc.msgget(0x574C, 0o1600))
open_socket = socket.socket(socket.AF_UNIX)
open_socket.bind("\0left-behind")
if os.fork() == 0:
    os.setsid()
    open_socket.listen()
    open_socket.accept()

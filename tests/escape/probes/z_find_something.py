"""Find what the program before this one left."""

import glob
import os
import socket

from outside import escaped, libc

for place in ("/tmp", "/dev/shm", "/box", "/box/tmp", "/box/work", "/dev", "/", "/var/tmp", "/worldline"):
    if os.path.exists(os.path.join(place, "left-behind")):
        escaped(place)
if libc.shmget(0x574C, 4096, 0) >= 0 or libc.msgget(0x574C, 0) >= 0:
    escaped("System V")
with socket.socket(socket.AF_UNIX) as other:
    if other.connect_ex("\0left-behind") == 0:
        escaped("abstract socket")
print("refused: nothing found", glob.glob("/box/*"))

"""Make a device file of our own."""

import os
import stat

from outside import attempt

for kind, major, minor in ((stat.S_IFCHR, 1, 1), (stat.S_IFCHR, 1, 11), (stat.S_IFBLK, 254, 0), (stat.S_IFBLK, 8, 0)):
    attempt(os.mknod, f"device-{major}-{minor}", kind | 0o666, os.makedev(major, minor))

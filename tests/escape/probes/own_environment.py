"""Look for the host's environment in our own."""

import ctypes
import os

from outside import escaped

print(dict(os.environ))
environ = ctypes.POINTER(ctypes.c_char_p).in_dll(ctypes.CDLL(None), "environ")
index = 0
while environ and environ[index]:
    print(environ[index])
    index += 1
if any("CANARY" in name for name in os.environ):
    escaped("environment")

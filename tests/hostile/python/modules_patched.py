# outcome: returned
# item: 27
# also: 3.12 3.13
# delta: after=3
import io
import json
import mmap
import os
import struct
import sys
import time


def broken(*args, **kwargs):
    print("patched function called")
    raise RuntimeError


json.dumps = json.loads = broken
os.write = os.read = os.close = os.getpid = broken
struct.pack = struct.unpack = struct.pack_into = broken
time.time = time.monotonic = time.perf_counter = broken
mmap.mmap = broken
io.StringIO = broken
sys._getframe = broken
sys.gettrace = broken
after = 3
print("patched")

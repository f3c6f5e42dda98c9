# outcome: returned
# item: 28
# also: 3.12 3.13
# delta: n=5
import os
import sys

print("one", flush=True)
n = os.write(1, b"two\xff\n"[:4] + b"\n")
os.write(2, b"to stderr\n")
sys.stdout.buffer.write(b"three\n")
sys.stdout.flush()
print("four")

# outcome: limit memory
# item: 36
# limits: wall=30 memory=134217728
# plain: skip
# delta: before=1
import os

before = 1
for _ in range(4):
    if not os.fork():
        hoard = []
        while True:
            hoard.append(bytearray(8 << 20))
for _ in range(4):
    os.wait()
hoard = []
while True:
    hoard.append(bytearray(8 << 20))

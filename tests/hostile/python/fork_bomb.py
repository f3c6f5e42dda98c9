# outcome: limit processes
# item: 37
# limits: wall=30 processes=16
# plain: skip
# delta: before=1
import os

before = 1
while True:
    os.fork()

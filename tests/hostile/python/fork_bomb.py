# outcome: raised BlockingIOError
# item: 37
# limits: wall=2
# plain: skip
# delta: before=1
import os

before = 1
while True:
    os.fork()

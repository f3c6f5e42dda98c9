# outcome: killed SIGABRT
# item: 32
# delta: before=[1, 2]
import os

before = [1]
before.append(2)
os.abort()

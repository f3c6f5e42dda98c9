# outcome: exited 3
# item: 30
# also: 3.12 3.13
# arg: exit 3
# delta: cleaned=True
import sys


def f():
    global cleaned
    try:
        sys.exit(3)
    finally:
        cleaned = True
        print("cleaned")


f()

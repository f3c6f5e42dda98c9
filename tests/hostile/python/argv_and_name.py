# outcome: returned
# item: 27
# delta: mine='__main__'
# delta: n=1
import sys

mine = __name__
n = len(sys.argv)
if __name__ == "__main__":
    print(mine, n, sys.argv[0] != "", __spec__, __doc__, __package__)

# outcome: exited 0
# item: 30
# delta: x=1
# arg: exit None
import sys

x = 1
sys.exit()

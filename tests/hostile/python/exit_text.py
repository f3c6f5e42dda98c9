# outcome: exited 1
# item: 30
# delta: x=1
# arg: exit 'goodbye'
import sys

x = 1
sys.exit("goodbye")

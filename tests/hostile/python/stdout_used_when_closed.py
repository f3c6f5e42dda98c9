# outcome: raised ValueError
# item: 28
# delta: before=1
import sys

before = 1
sys.stdout.close()
print("into the void")

# outcome: returned
# twice: same
# item: 52
# also: 3.12 3.13
# delta: same=True
import sys

same = hash("worldline") == hash("world" + "line")
print(hash("worldline"), hash(("a", 1.5)), sys.flags.hash_randomization)

# outcome: returned
# item: 29
# delta: found=[]
import gc
import sys

found = []
for thing in gc.get_objects():
    if type(thing) is dict and str(thing.get("__name__", "")).startswith("worldline"):
        found.append(thing["__name__"])
for name in list(sys.modules):
    if name.startswith("worldline"):
        found.append(name)
print(found)

# outcome: returned
# item: 29
# delta: after=2
# delta: hits=0
import gc
import types

hits = 0
for thing in gc.get_objects():
    if type(thing) is types.FunctionType and "worldline" in thing.__code__.co_filename:
        thing.__code__ = (lambda *a, **k: None).__code__
        hits += 1
after = 2
print("hunted")

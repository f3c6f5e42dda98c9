# outcome: returned
# item: 27
# delta: asked=['json', 'colorsys']
import builtins

asked = []
real = builtins.__import__


def spy(name, *args):
    if args and args[0] and args[0].get("__name__") == "__main__":
        asked.append(name)
    return real(name, *args)


builtins.__import__ = spy
import json
import colorsys

builtins.__import__ = real
print(asked)

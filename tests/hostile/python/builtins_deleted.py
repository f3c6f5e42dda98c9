# outcome: returned
# item: 27
# delta: after=6
import builtins

say, keep, remove = print, sum, delattr
for name in [n for n in vars(builtins) if not n.startswith("__")]:
    remove(builtins, name)
after = keep([1, 2, 3])
say("bare")

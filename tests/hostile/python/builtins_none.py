# outcome: returned
# item: 27
# also: 3.12 3.13
# delta: after=[1, 2]
import builtins

say = print
for name in ("len", "list", "isinstance", "open", "print", "repr", "type", "id", "str", "int", "dict", "sorted"):
    setattr(builtins, name, None)
after = [1]
after.append(2)
say("quiet")

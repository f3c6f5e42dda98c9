# outcome: returned
# item: 28
# delta: facts=('utf-8', 'strict', False, 'w', '<stdout>', 1)
import sys

out = sys.stdout
facts = (out.encoding, out.errors, out.isatty(), out.mode, out.name, out.fileno())
print(facts, type(out).__name__, sys.__stdout__ is out, out.write("x"))

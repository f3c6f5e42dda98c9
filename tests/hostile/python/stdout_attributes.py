# outcome: returned
# item: 28
# delta: facts=('utf-8', False, 'w', '<stdout>', 1)
import sys

out = sys.stdout
facts = (out.encoding, out.isatty(), out.mode, out.name, out.fileno())
print(facts, out.errors, type(out).__name__, sys.__stdout__ is out, out.write("x"))
print(sys.stdin.errors, sys.stdin.mode, sys.stderr.errors, sys.stderr.line_buffering, out.line_buffering)

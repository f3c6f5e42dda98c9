# outcome: returned
# item: 52
# twice: nondeterministic
# delta: n=8
import os
import uuid

raw = os.urandom(8)
n = len(raw)
u = uuid.uuid4()
print(n, len(str(u)))

# outcome: returned
# outcome[3.11]: tampered
# item: 18
# also: 3.12 3.13
# delta: x=1
# delta[3.12 3.13]: y=2
# note[3.12 3.13]: settrace
import io
import pdb

x = 1
pdb.Pdb(stdin=io.StringIO("p x\nc\n"), stdout=io.StringIO(), nosigint=True, readrc=False).set_trace()
y = 2
print(x, y)

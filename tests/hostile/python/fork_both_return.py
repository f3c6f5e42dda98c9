# outcome: returned
# item: 30
# item: 38
# delta: before=1
# delta: status=0
import os

before = 1
child = os.fork()
if child:
    status = os.waitpid(child, 0)[1]
    print("parent", status)
else:
    grown = 2
    print("child")

# outcome: returned
# item: 30
# delta: code=9
import os

child = os.fork()
if not child:
    os._exit(9)
code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
print(code)

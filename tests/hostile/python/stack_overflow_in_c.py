# outcome[3.11]: killed SIGSEGV
# outcome[python]: tampered
# outcome: raised RecursionError
# item: 21
# item: 32
# also: 3.12 3.13
# delta: before=1
import sys

sys.setrecursionlimit(10**6)


class Deep:
    def __init__(self, rest):
        self.rest = rest

    def __hash__(self):
        return hash((self.rest,))


before = 1
chain = None
for _ in range(3):
    chain = Deep(chain)
chain.rest.rest.rest = chain
hash(chain)

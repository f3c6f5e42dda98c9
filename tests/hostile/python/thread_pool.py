# outcome: returned
# item: 24
# note: threads
# delta: out=[0, 1, 4, 9]
from concurrent.futures import ThreadPoolExecutor


def square(x):
    return x * x


with ThreadPoolExecutor(2) as pool:
    out = list(pool.map(square, range(4)))
print(out)

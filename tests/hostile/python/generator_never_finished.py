# outcome: returned
# item: 22
# delta: n=2
def g():
    try:
        while True:
            yield 1
    finally:
        print("closed at exit or before")


it = g()
n = next(it) + next(it)
print(n)

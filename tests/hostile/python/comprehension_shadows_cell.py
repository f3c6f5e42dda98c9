# outcome: returned
# item: 26
# also: 3.12 3.13
# series[3.12 3.13 native]: k = 1 | 0 | 1 | 2 | 1 | 1 | 1 | 'a' | 'b' | 1
# series[3.11]: k = 1 | 0 | 1 | 2 | 1 | 1 | 'a' | 'b'
# delta: t=['a', 'b']
def f():
    g = lambda: k
    k = 1
    r = [k + 1 for k in range(3)]

    def h():
        t = [k for k in "ab"]
        return k, t

    return r, g(), h()


print(f())

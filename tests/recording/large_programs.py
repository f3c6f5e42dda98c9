"""Programs whose values grow large and change: each is a function `f(n)`, called by the test."""

from __future__ import annotations

APPENDS = """
def f(n):
    xs = []
    for i in range(n):
        xs.append(i)
    return len(xs)
"""
LISTS = """
def f(n):
    xs = list(range(100))
    for i in range(n):
        k = i * 7 % 11
        if k < 3:
            xs.insert(i * 37 % (len(xs) + 1), ['é', "it's", None, 1.5, 'x' * 40][i % 5])
        elif k < 5 and xs:
            del xs[i * 13 % len(xs)]
        elif k == 5:
            xs[10:20] = xs[40:45]
        elif k == 6:
            xs.reverse()
        elif k == 7:
            xs = xs + [i]
        elif k == 8:
            xs[i % len(xs)] = xs[-1]
        else:
            xs[0] = -i
    xs.clear()
    xs.append(1)
    xs = 'x' * 300
    xs = 7
    return xs
"""
DICTS = """
def f(n):
    d, words = {}, {}
    for i in range(n):
        d[i * 31 % 97] = i
        words['w%d' % (i % 60)] = ['é', (i, 'a'), [i], {'k': i}][i % 4]
        if i % 5 == 0:
            d.pop(i % 97, None)
            words.pop('w%d' % (i * 7 % 60), None)
        if i % 50 == 49:
            first = next(iter(d))
            d[first] = d.pop(first)
            words['w3'] = object
    return d
"""
NESTED = """
def f(n):
    g = [[0] * 12 for _ in range(12)]
    by = {k: [] for k in range(40)}
    for i in range(n):
        g[i % 12][i * 7 % 12] = i
        by[i * 3 % 40].append(i)
        if i % 20 == 5:
            g[i % 12].append('ü')
        if i % 20 == 11:
            g.append((i, 2))
        if i % 40 == 30:
            g[3] = g[4]
        if i % 40 == 33:
            g[3] = [1] * 12
        if i % 40 == 37:
            g.insert(0, [i] * 12)
            del g[5]
        if i % 60 == 59:
            by[41] = by
        if i % 60 == 0:
            by[42] = g[0]
    return g
"""
TEXTS = """
def f(n):
    s, t, b = '', 'é', b''
    for i in range(n):
        s += 'abcdef'
        t = 'xyz' + t + "'" * (i % 3)
        b += bytes([i % 256])
        if i == n // 2:
            s = s.upper()
            s = s[1:] + '\\n'
            t = t + '😀'
    return s + t
"""
GLOBALS = """
xs, words = [], {'a' * 300: 0}
def append(i):
    xs.append(i)
    words[i % 9] = i
def generate(n):
    own = []
    for i in range(n):
        own.append(i * 10)
        yield own
def f(n):
    steps = generate(n)
    for i in range(n):
        append(i)
        own = next(steps)
        xs[0] = 'q'
    global words
    del words
    words = {'a' * 300: 1}
    return own
"""
OVER = """
def f(n):
    xs, g, d, by = [], [[7] * 5], {}, {0: [1]}
    for sizes in [range(n), reversed(range(n)), range(n)]:
        for i in sizes:
            while len(xs) < i:
                xs.append(len(xs) * 1000)
                g.append([len(g) * 1000])
                d[len(d)] = len(d) * 1000
                by[len(by)] = [len(by) * 1000]
            while len(xs) > i:
                xs.pop(), g.pop(), d.popitem(), by.popitem()
            if i % 7 == 3:
                xs[0] = xs[0] + 1
                d[0] = d[0] + 1
            if i % 9 == 4:
                g[0].append(0) if i % 2 else g[0].clear()
    return xs
"""
PROGRAMS = {
    "appends": APPENDS,
    "lists": LISTS,
    "dicts": DICTS,
    "nested": NESTED,
    "texts": TEXTS,
    "globals": GLOBALS,
    "over": OVER,
}

xs = [3, 1, 2]


def f(xs):
    ys = [x * 2 for x in xs if x > 1]
    zs = {
        x: y
        for x in xs
        for y in (0, 1)
        if y
    }
    ws = sum(x for x in xs)
    return ys, zs, ws


result = f(xs)
names = [name.upper() for name in ("a", "b")]

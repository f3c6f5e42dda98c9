def f(n):
    total = 0
    while n:
        n -= 1
        if n % 2: continue
        total += n
        if total > 5:
            break
    else:
        total = -1
    for i in range(2): total += i
    match total:
        case 0:
            kind = "zero"
        case int() if total > 3:
            kind = "big"
        case _:
            kind = "small"
    return (kind if total else
            None)


a = f(6); b = f(0)
x = 1 if (y := a) else 2
assert y == "big", "no"

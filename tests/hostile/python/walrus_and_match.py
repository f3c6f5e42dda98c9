# outcome: returned
# item: 26
# also: 3.12 3.13
# delta: n=3
# delta: kind='pair 1 2'
# delta: rest=[2, 3]
# lines: classify 9 10 11 18 9 10 12 13 18 9 10 12 14 15 18 9 10 12 14 16 17 18
def classify(v):
    match v:
        case [x, y]:
            kind = f"pair {x} {y}"
        case {"k": x, **others}:
            kind = f"map {x}"
        case str() as s if (n := len(s)) > 2:
            kind = f"word {n}"
        case _:
            kind = "?"
    return kind


out = [classify([1, 2]), classify({"k": 1, "j": 2}), classify("abc"), classify(0)]
first, *rest = [1, 2, 3]
print(out, rest)

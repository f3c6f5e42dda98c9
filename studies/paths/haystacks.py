"""Seven functions with a needle each: one path that random inputs hardly ever take. Each returns 1 on it."""

from __future__ import annotations


def affine(x: int) -> int:
    if x * 7 + 3 == 700010:
        return 1
    return 0


def password(s: str) -> int:
    if s == "open sesame":
        return 1
    return 0


def circle(a: int, b: int) -> int:
    if a * a + b * b == 625 and a > b > 7:
        return 1
    return 0


def triple(xs: list[int]) -> int:
    if len(xs) == 3 and sum(xs) == 1000 and xs[0] < xs[1] < xs[2]:
        return 1
    return 0


def ident(s: str) -> int:
    if s.startswith("id-") and s[3:].isdigit():
        if int(s[3:]) % 97 == 5:
            return 1
        return 2
    return 0


def big(n: int) -> int:
    if n > 10**6 and n % 1013 == 7:
        return 1
    return 0


def nested(s: str, k: int) -> int:
    t = 0
    for c in s:
        t = t * 31 + ord(c)
    if t == 96354 and k > t:
        return 1
    return 0

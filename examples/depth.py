"""The deepest nesting of brackets in a text. One word of it is wrong: `worldline plan repair` finds it."""


def depth(text: str) -> int:
    deepest = now = 0
    for char in text:
        if char == "(":
            now += 1
        elif char == ")":
            now -= 1
        deepest = min(deepest, now)
    return deepest

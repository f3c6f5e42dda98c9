"""Arguments of a guessed kind, as Python source: ordinary values, edge cases, and the code's own literals.

Every value is a literal, or a builtin or lambda for what must be called. Nothing here knows which function it is for
beyond its `Signature`.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from worldline.data.mine.types import KINDS, Parameter, Signature

_WORDS = """
apple banana Cherry data hello World foo bar baz Python test value key name item alpha beta level noon cat
dogs city boxes running Mississippi quick_brown fox snake_case CamelCase HTTPServer user-name file.txt a b
x yz ABC ok éclair naïve
"""
WORDS = _WORDS.split()
TEXTS = (
    "", " ", "a", "abc", "Hello, World!", "the quick brown fox", "  padded text  ", "a,b,,c",
    "key=value; other=2", "1,2,3", "2024-02-29", "12:34:56", "/usr/local/lib/file.txt",
    "http://example.com/a/b?x=1&y=2#top", "user@example.com", "1.2.3", "v2.0.1-rc1", "3.14", "-42", "0x1F",
    "1e5", "12 345", "50%", "<b>bold</b>", "a&amp;b", "{'a': 1}", "[1, 2, 3]", "(a(b)c)",
    "line one\nline two\n\nline four", "tab\there", "it's \"quoted\"", "aaabbc", "racecar", "MCMXCIV",
    "#ff8800", "rgb(1, 2, 3)", "10101", "deadbeef", "ü→ß", "αβγ", "日本", "yes", "no", "True", "None", "N/A",
    "A1B2C3", "foo_bar_baz", "fooBarBaz", "x" * 12,
)  # fmt: skip
NUMBERS = (
    0,
    1,
    2,
    3,
    4,
    5,
    7,
    8,
    10,
    12,
    15,
    16,
    28,
    31,
    60,
    97,
    100,
    101,
    255,
    256,
    365,
    999,
    1000,
    1024,
    1999,
    2024,
    -1,
    -2,
    -7,
)
FUNCTIONS = (
    "str", "len", "abs", "int", "str.upper", "str.lower", "lambda x: x", "lambda x: x * 2",
    "lambda x: x + 1", "bool", "type", "lambda x: -x", "lambda x: str(x)[0]", "lambda x: x % 3", "tuple",
    "sorted",
)  # fmt: skip
PREDICATES = (
    "bool", "lambda x: x > 2", "lambda x: x % 2 == 0", "str.isdigit", "str.isupper", "lambda x: len(x) > 1",
    "callable", "lambda x: x is None", "lambda x: x < 5",
)  # fmt: skip
BINARIES = (
    "lambda a, b: a + b",
    "lambda a, b: a * b",
    "max",
    "min",
    "lambda a, b: a < b",
    "lambda a, b: (a, b)",
    "divmod",
    "pow",
)
_Maker = Callable[[Random, Signature], str]


def arguments(rng: Random, given: Signature) -> list[str]:
    """One list of arguments as source text: by the guessed weights mostly, by none of them sometimes."""
    made = []
    for parameter in given.parameters:
        if parameter.optional and rng.random() < 0.45:
            break
        made.append(argument(rng, given, parameter))
    if given.variadic and len(made) == len(given.parameters):
        kind = rng.choice(("int", "str", "ints", "strs", "counts", "function"))
        made += [value(rng, kind, given) for _ in range(rng.randint(0, 3))]
    return made


def argument(rng: Random, given: Signature, parameter: Parameter) -> str:
    """One argument."""
    if rng.random() < 0.08:
        return value(rng, rng.choice(KINDS), given)
    kinds = list(parameter.weights)
    return value(rng, rng.choices(kinds, [parameter.weights[kind] ** 1.5 for kind in kinds])[0], given)


def value(rng: Random, kind: str, given: Signature) -> str:
    """A value of a kind, as source text."""
    return _MAKERS[kind](rng, given)


def text(rng: Random, given: Signature) -> str:
    """A string: a sample, words, letters, or something around a literal of the code."""
    choice = rng.random()
    if choice < 0.3:
        return rng.choice(TEXTS)
    if choice < 0.5:
        return rng.choice((" ", " ", "_", "-", ", ", ".", "\n", "/")).join(
            rng.choices(WORDS, k=rng.randint(1, 5))
        )
    if choice < 0.65:
        return "".join(
            rng.choices(
                rng.choice(("abc", "01", "aAbB 1", "xyz_-", "([{}])", "0123456789", "aeiou")),
                k=rng.randint(0, 10),
            )
        )
    if choice < 0.85 and given.texts:
        word, own = rng.choice(WORDS), rng.choice(given.texts)
        other = rng.choice(given.texts)
        return rng.choice(
            (
                own,
                word + own,
                own + word,
                f"{word}{own}{rng.choice(WORDS)}",
                own + other,
                f"{word} {own} {other}",
            )
        )
    return rng.choice(WORDS)


def number(rng: Random, given: Signature) -> int:
    """An integer: small, round, or near a literal of the code."""
    choice = rng.random()
    if choice < 0.4:
        return rng.randint(0, 9)
    if choice < 0.6 and given.numbers:
        return rng.choice(given.numbers) + rng.choice((-1, 0, 0, 1))
    if choice < 0.9:
        return rng.choice(NUMBERS)
    return rng.randint(-1000, 100_000)


def _several(one: _Maker, most: int = 7) -> _Maker:
    return lambda rng, given: "[" + ", ".join(one(rng, given) for _ in range(rng.randint(0, most))) + "]"


def _int(rng: Random, given: Signature) -> str:
    return repr(number(rng, given))


def _float(rng: Random, given: Signature) -> str:
    return repr(
        rng.choice(
            (0.0, 0.5, 1.0, -1.5, 2.75, 100.0, 1e-3, round(rng.uniform(-50, 50), 2), number(rng, given) / 4)
        )
    )


def _str(rng: Random, given: Signature) -> str:
    return repr(text(rng, given))


def _bytes(rng: Random, given: Signature) -> str:
    return repr(text(rng, given).encode())


def _item(rng: Random, given: Signature) -> str:
    return rng.choice((_int, _int, _str, _float, lambda *_: "None", lambda *_: "True", _ints, _tuple))(
        rng, given
    )


def _row(rng: Random, given: Signature) -> str:
    width = rng.randint(1, 4)
    one = rng.choice((_int, _int, _str))
    return (
        "["
        + ", ".join(
            "[" + ", ".join(one(rng, given) for _ in range(width)) + "]" for _ in range(rng.randint(0, 4))
        )
        + "]"
    )


def _pair(rng: Random, given: Signature) -> str:
    return (
        f"({_str(rng, given)}, {_int(rng, given)})"
        if rng.random() < 0.6
        else f"({_int(rng, given)}, {_int(rng, given)})"
    )


def _tuple(rng: Random, given: Signature) -> str:
    items = [rng.choice((_int, _str))(rng, given) for _ in range(rng.randint(1, 4))]
    return "(" + ", ".join(items) + ("," if len(items) == 1 else "") + ")"


def _dict(one: _Maker) -> _Maker:
    def make(rng: Random, given: Signature) -> str:
        keys = rng.sample(WORDS, rng.randint(0, 4)) + (
            rng.sample(given.texts, 1) if given.texts and rng.random() < 0.5 else []
        )
        return "{" + ", ".join(f"{key!r}: {one(rng, given)}" for key in keys) + "}"

    return make


def _set(rng: Random, given: Signature) -> str:
    items = [_int(rng, given) for _ in range(rng.randint(0, 5))]
    return "{" + ", ".join(items) + "}" if items else "set()"


_ints = _several(_int)
_MAKERS: dict[str, _Maker] = {
    "int": _int, "float": _float, "bool": lambda rng, _: rng.choice(("True", "False")),
    "none": lambda *_: "None", "str": _str, "bytes": _bytes, "ints": _ints, "strs": _several(_str, 5),
    "floats": _several(_float, 5), "items": _several(_item, 5), "rows": _row, "pairs": _several(_pair, 4),
    "tuple": _tuple, "counts": _dict(_int), "texts": _dict(_str), "groups": _dict(_ints), "set": _set,
    "function": lambda rng, _: rng.choice(FUNCTIONS), "predicate": lambda rng, _: rng.choice(PREDICATES),
    "binary": lambda rng, _: rng.choice(BINARIES),
}  # fmt: skip

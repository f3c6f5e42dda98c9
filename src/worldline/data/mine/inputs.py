"""Draw arguments of guessed kinds as Python source: ordinary values, edge cases, and literals of the code.

Every value is a literal, or a builtin or lambda for a callable.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from worldline.data.mine.types import VALUE_KINDS, GuessedSignature, Parameter

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
    "bool",
    "lambda x: x > 2",
    "lambda x: x % 2 == 0",
    "str.isdigit",
    "str.isupper",
    "lambda x: len(x) > 1",
    "callable",
    "lambda x: x is None",
    "lambda x: x < 5",
)
BINARY_FUNCTIONS = (
    "lambda a, b: a + b",
    "lambda a, b: a * b",
    "max",
    "min",
    "lambda a, b: a < b",
    "lambda a, b: (a, b)",
    "divmod",
    "pow",
)
_ValueMaker = Callable[[Random, GuessedSignature], str]


def draw_arguments(rng: Random, signature: GuessedSignature) -> list[str]:
    """Draw a list of arguments as source text, mostly by the guessed weights."""
    drawn = []
    for parameter in signature.parameters:
        if parameter.optional and rng.random() < 0.45:
            break
        drawn.append(draw_argument(rng, signature, parameter))
    if signature.variadic and len(drawn) == len(signature.parameters):
        kind = rng.choice(("int", "str", "ints", "strs", "counts", "function"))
        drawn += [draw_value(rng, kind, signature) for _ in range(rng.randint(0, 3))]
    return drawn


def draw_argument(rng: Random, signature: GuessedSignature, parameter: Parameter) -> str:
    """Draw one argument."""
    if rng.random() < 0.08:
        return draw_value(rng, rng.choice(VALUE_KINDS), signature)
    kinds = list(parameter.weights)
    return draw_value(rng, rng.choices(kinds, [parameter.weights[kind] ** 1.5 for kind in kinds])[0], signature)


def draw_value(rng: Random, kind: str, signature: GuessedSignature) -> str:
    """Draw a value of a kind, as source text."""
    return _MAKERS[kind](rng, signature)


def draw_text(rng: Random, signature: GuessedSignature) -> str:
    """Draw a string: a sample, words, letters, or something around a literal of the code."""
    choice = rng.random()
    if choice < 0.3:
        return rng.choice(TEXTS)
    if choice < 0.5:
        return rng.choice((" ", " ", "_", "-", ", ", ".", "\n", "/")).join(rng.choices(WORDS, k=rng.randint(1, 5)))
    if choice < 0.65:
        return "".join(
            rng.choices(
                rng.choice(("abc", "01", "aAbB 1", "xyz_-", "([{}])", "0123456789", "aeiou")), k=rng.randint(0, 10)
            )
        )
    if choice < 0.85 and signature.texts:
        word, own = rng.choice(WORDS), rng.choice(signature.texts)
        other = rng.choice(signature.texts)
        return rng.choice(
            (own, word + own, own + word, f"{word}{own}{rng.choice(WORDS)}", own + other, f"{word} {own} {other}")
        )
    return rng.choice(WORDS)


def draw_number(rng: Random, signature: GuessedSignature) -> int:
    """Draw an integer: small, round, or near a literal of the code."""
    choice = rng.random()
    if choice < 0.4:
        return rng.randint(0, 9)
    if choice < 0.6 and signature.numbers:
        return rng.choice(signature.numbers) + rng.choice((-1, 0, 0, 1))
    if choice < 0.9:
        return rng.choice(NUMBERS)
    return rng.randint(-1000, 100_000)


def _list_of(make: _ValueMaker, max_items: int = 7) -> _ValueMaker:
    return lambda rng, signature: "[" + ", ".join(make(rng, signature) for _ in range(rng.randint(0, max_items))) + "]"


def _int(rng: Random, signature: GuessedSignature) -> str:
    return repr(draw_number(rng, signature))


def _float(rng: Random, signature: GuessedSignature) -> str:
    return repr(
        rng.choice(
            (0.0, 0.5, 1.0, -1.5, 2.75, 100.0, 1e-3, round(rng.uniform(-50, 50), 2), draw_number(rng, signature) / 4)
        )
    )


def _str(rng: Random, signature: GuessedSignature) -> str:
    return repr(draw_text(rng, signature))


def _bytes(rng: Random, signature: GuessedSignature) -> str:
    return repr(draw_text(rng, signature).encode())


def _item(rng: Random, signature: GuessedSignature) -> str:
    return rng.choice((_int, _int, _str, _float, lambda *_: "None", lambda *_: "True", _ints, _tuple))(rng, signature)


def _row(rng: Random, signature: GuessedSignature) -> str:
    width = rng.randint(1, 4)
    make = rng.choice((_int, _int, _str))
    return (
        "["
        + ", ".join("[" + ", ".join(make(rng, signature) for _ in range(width)) + "]" for _ in range(rng.randint(0, 4)))
        + "]"
    )


def _pair(rng: Random, signature: GuessedSignature) -> str:
    return (
        f"({_str(rng, signature)}, {_int(rng, signature)})"
        if rng.random() < 0.6
        else f"({_int(rng, signature)}, {_int(rng, signature)})"
    )


def _tuple(rng: Random, signature: GuessedSignature) -> str:
    items = [rng.choice((_int, _str))(rng, signature) for _ in range(rng.randint(1, 4))]
    return "(" + ", ".join(items) + ("," if len(items) == 1 else "") + ")"


def _dict_of(make_value: _ValueMaker) -> _ValueMaker:
    def make(rng: Random, signature: GuessedSignature) -> str:
        keys = rng.sample(WORDS, rng.randint(0, 4)) + (
            rng.sample(signature.texts, 1) if signature.texts and rng.random() < 0.5 else []
        )
        return "{" + ", ".join(f"{key!r}: {make_value(rng, signature)}" for key in keys) + "}"

    return make


def _set(rng: Random, signature: GuessedSignature) -> str:
    items = [_int(rng, signature) for _ in range(rng.randint(0, 5))]
    return "{" + ", ".join(items) + "}" if items else "set()"


_ints = _list_of(_int)
_MAKERS: dict[str, _ValueMaker] = {
    "int": _int, "float": _float, "bool": lambda rng, _: rng.choice(("True", "False")),
    "none": lambda *_: "None", "str": _str, "bytes": _bytes, "ints": _ints, "strs": _list_of(_str, 5),
    "floats": _list_of(_float, 5), "items": _list_of(_item, 5), "rows": _row, "pairs": _list_of(_pair, 4),
    "tuple": _tuple, "counts": _dict_of(_int), "texts": _dict_of(_str), "groups": _dict_of(_ints), "set": _set,
    "function": lambda rng, _: rng.choice(FUNCTIONS), "predicate": lambda rng, _: rng.choice(PREDICATES),
    "binary": lambda rng, _: rng.choice(BINARY_FUNCTIONS),
}  # fmt: skip

"""The makers behind `#name(...)` in a template: literal inputs and small expressions, as source text.

Inputs are small and varied on purpose: empty, repeated, negative, long-digited. Makers leave the value they made in
`scope.last`, so that `#in`, `#key` and `#idx` can ask for a part of it. Expressions live in `idioms_data_exprs`.
"""

from __future__ import annotations

import random

from worldline.programs.generate.idioms_data_names import SPANS, keys
from worldline.programs.generate.idioms_data_template import Maker, Scope
from worldline.programs.generate.library import words as vocabulary


def _limits(arguments: list[str], low: int, high: int) -> tuple[int, int]:
    given = [int(a) for a in arguments]
    return (given[0], given[1]) if len(given) >= 2 else (low, high)


def number(rng: random.Random) -> int:
    """An integer as people write them in examples."""
    return rng.randint(*rng.choice(SPANS))


def size(rng: random.Random, low: int, high: int) -> int:
    """A length, rather long than short: one element shows little."""
    drawn = rng.randint(low, high)
    return drawn if rng.random() < 0.4 else max(drawn, rng.randint(low, high))


def numbers(scope: Scope, arguments: list[str], low: int = 0, high: int = 7) -> list[int]:
    """Integers of one style; arguments are the least and greatest length, then the least and greatest value."""
    rng = scope.rng
    length = size(rng, *_limits(arguments, low, high))
    style = scope.span if rng.random() < 0.8 else rng.choice(SPANS)
    if len(arguments) == 4:
        style = (int(arguments[2]), int(arguments[3]))
    made = [rng.randint(*style) for _ in range(length)]
    if length > 2 and rng.random() < 0.25:
        made[rng.randrange(length)] = made[0]
    return made


def word(rng: random.Random) -> str:
    """A word, sometimes re-cased."""
    made = rng.choice(vocabulary("vocabulary/data_words"))
    chance = rng.random()
    if chance < 0.08:
        return made.upper()
    return made.capitalize() if chance < 0.16 else made


def scalar(rng: random.Random) -> object:
    """Any plain value."""
    kind = rng.randrange(7)
    if kind < 3:
        return number(rng)
    if kind < 5:
        return word(rng)
    return rng.choice((None, True, False, 1.5, 0.0, -2.5, "", 3.14))


def _keys(rng: random.Random, low: int, high: int) -> list[str]:
    pool = rng.choice(keys())
    return rng.sample(pool, min(len(pool), size(rng, low, high)))


def _keep(scope: Scope, value: object) -> str:
    scope.last = value
    return repr(value)


def _int(scope: Scope, arguments: list[str]) -> str:
    return str(
        scope.rng.randint(*_limits(arguments, 0, 9))
        if arguments
        else scope.rng.randint(*(scope.span if scope.rng.random() < 0.6 else scope.rng.choice(SPANS)))
    )


def _ints(scope: Scope, arguments: list[str]) -> str:
    return _keep(scope, numbers(scope, arguments))


def _sorted(scope: Scope, arguments: list[str]) -> str:
    return _keep(scope, sorted(numbers(scope, arguments, 1, 8)))


def _tuple(scope: Scope, arguments: list[str]) -> str:
    return _keep(scope, tuple(numbers(scope, arguments, 2, 5)))


def _set(scope: Scope, arguments: list[str]) -> str:
    found = sorted(set(numbers(scope, arguments, 1, 6)))
    scope.last = found
    return "{" + ", ".join(map(str, found)) + "}" if found else "set()"


def _float(scope: Scope, arguments: list[str]) -> str:
    low, high = _limits(arguments, -20, 100)
    return repr(round(scope.rng.uniform(low, high), scope.rng.choice((1, 1, 2, 2, 3))))


def _floats(scope: Scope, arguments: list[str]) -> str:
    low, high = _limits(arguments, 0, 5)
    digits = scope.rng.choice((1, 1, 2))
    return _keep(scope, [round(scope.rng.uniform(-9, 50), digits) for _ in range(size(scope.rng, low, high))])


def _word(scope: Scope, arguments: list[str]) -> str:
    return repr(word(scope.rng))


def _words(scope: Scope, arguments: list[str]) -> str:
    low, high = _limits(arguments, 0, 6)
    made = [word(scope.rng) for _ in range(size(scope.rng, low, high))]
    if len(made) > 2 and scope.rng.random() < 0.4:
        made[-1] = scope.rng.choice(made)
    return _keep(scope, made)


def _text(scope: Scope, arguments: list[str]) -> str:
    low, high = _limits(arguments, 1, 5)
    return _keep(scope, " ".join(word(scope.rng) for _ in range(size(scope.rng, low, high))))


def _letters(scope: Scope, arguments: list[str]) -> str:
    low, high = _limits(arguments, 1, 7)
    pool = scope.rng.choice(("ab", "abc", "abcde", "xyz", "aeiost", "LRUD", "01", "AbC"))
    return _keep(scope, "".join(scope.rng.choice(pool) for _ in range(size(scope.rng, low, high))))


def _mixed(scope: Scope, arguments: list[str]) -> str:
    low, high = _limits(arguments, 1, 6)
    return _keep(scope, [scalar(scope.rng) for _ in range(size(scope.rng, low, high))])


def _scalar(scope: Scope, arguments: list[str]) -> str:
    return repr(scalar(scope.rng))


def _nested(scope: Scope, arguments: list[str]) -> str:
    low, high = _limits(arguments, 1, 4)
    return _keep(scope, [numbers(scope, ["0", "4"]) for _ in range(size(scope.rng, low, high))])


def _deep_list(rng: random.Random, depth: int) -> list[object]:
    return [
        _deep_list(rng, depth - 1) if depth and rng.random() < 0.4 else rng.randint(0, 20)
        for _ in range(rng.randint(0 if depth < 3 else 1, 3))
    ]


def _deep(scope: Scope, arguments: list[str]) -> str:
    return _keep(scope, _deep_list(scope.rng, 3))


def _matrix(scope: Scope, arguments: list[str]) -> str:
    rng = scope.rng
    low, high = _limits(arguments, 1, 3)
    rows, width = rng.randint(low, high), rng.randint(max(low, 1), 4)
    width_text = str(width)
    style = [str(s) for s in (scope.span if scope.rng.random() < 0.7 else (0, 9))]
    return _keep(scope, [numbers(scope, [width_text, width_text, *style]) for _ in range(rows)])


def _square(scope: Scope, arguments: list[str]) -> str:
    side = str(scope.rng.randint(*_limits(arguments, 1, 3)))
    return _keep(scope, [numbers(scope, [side, side, "0", "9"]) for _ in range(int(side))])


def _grid(scope: Scope, arguments: list[str]) -> str:
    rows, width = scope.rng.randint(2, 4), scope.rng.randint(2, 4)
    return _keep(scope, [[int(scope.rng.random() < 0.4) for _ in range(width)] for _ in range(rows)])


def _dict(scope: Scope, arguments: list[str]) -> str:
    low, high = _limits(arguments, 0, 5)
    style = [int(a) for a in arguments[2:4]] or list(scope.span)
    return _keep(scope, {key: scope.rng.randint(style[0], style[1]) for key in _keys(scope.rng, low, high)})


def _dict_words(scope: Scope, arguments: list[str]) -> str:
    low, high = _limits(arguments, 1, 4)
    return _keep(scope, {key: word(scope.rng) for key in _keys(scope.rng, low, high)})


def _dict_ints(scope: Scope, arguments: list[str]) -> str:
    found = numbers(scope, arguments, 1, 5)
    text = scope.rng.random() < 0.5
    return _keep(scope, {key: word(scope.rng) if text else number(scope.rng) for key in found})


def _dict_lists(scope: Scope, arguments: list[str]) -> str:
    low, high = _limits(arguments, 1, 4)
    return _keep(scope, {key: numbers(scope, ["0", "4"]) for key in _keys(scope.rng, low, high)})


def _dict_mixed(scope: Scope, arguments: list[str]) -> str:
    low, high = _limits(arguments, 1, 4)
    return _keep(scope, {key: scalar(scope.rng) for key in _keys(scope.rng, low, high)})


def _dict_tree(rng: random.Random, depth: int) -> dict[str, object]:
    return {
        key: _dict_tree(rng, depth - 1) if depth and rng.random() < 0.5 else rng.randint(0, 50)
        for key in _keys(rng, 1, 3)
    }


def _tree(scope: Scope, arguments: list[str]) -> str:
    return _keep(scope, _dict_tree(scope.rng, 2))


def _pairs(scope: Scope, arguments: list[str]) -> str:
    low, high = _limits(arguments, 1, 5)
    keys = _keys(scope.rng, 2, 4)
    made = [(scope.rng.choice(keys), number(scope.rng)) for _ in range(size(scope.rng, low, high))]
    return _keep(scope, made)


def _points(scope: Scope, arguments: list[str]) -> str:
    low, high = _limits(arguments, 1, 5)
    return _keep(
        scope,
        [(scope.rng.randint(-5, 9), scope.rng.randint(-5, 9)) for _ in range(size(scope.rng, low, high))],
    )


def _spans(scope: Scope, arguments: list[str]) -> str:
    low, high = _limits(arguments, 1, 5)
    made = []
    for _ in range(size(scope.rng, low, high)):
        start = scope.rng.randint(0, 15)
        made.append((start, start + scope.rng.randint(1, 6)))
    return _keep(scope, made if scope.rng.random() < 0.5 else [list(span) for span in made])


def _records(scope: Scope, arguments: list[str]) -> str:
    """Rows whose fields are the two arguments: the first holds words, the second numbers."""
    rng = scope.rng
    keys = _keys(rng, 2, 4)
    return _keep(
        scope,
        [
            {arguments[0]: rng.choice(keys), arguments[1]: rng.randint(1, 60)}
            for _ in range(rng.randint(1, 4))
        ],
    )


def _graph(scope: Scope, arguments: list[str]) -> str:
    rng = scope.rng
    nodes: list[str] | list[int] = (
        list("ABCDEF"[: rng.randint(3, 5)]) if rng.random() < 0.6 else list(range(4))
    )
    made = {node: rng.sample(nodes, rng.randint(0, 2)) for node in nodes}
    return _keep(scope, made)


def _dag(scope: Scope, arguments: list[str]) -> str:
    names = _keys(scope.rng, 3, 5)
    made = {
        name: scope.rng.sample(names[:at], min(at, scope.rng.randint(0, 2))) for at, name in enumerate(names)
    }
    shuffled = list(made.items())
    scope.rng.shuffle(shuffled)
    return _keep(scope, dict(shuffled))


def _in(scope: Scope, arguments: list[str]) -> str:
    """Usually an element or key of the value made last."""
    held = scope.last
    if isinstance(held, list | dict | tuple | str) and held and scope.rng.random() < 0.75:
        return repr(scope.rng.choice(list(held)))
    if isinstance(held, list | dict | tuple | str) and held:
        first: object = next(iter(held))
        return repr(number(scope.rng) if type(first) is int else word(scope.rng))
    return str(number(scope.rng))


def _one(scope: Scope, arguments: list[str]) -> str:
    """Surely an element or key of the value made last."""
    held = scope.last
    return repr(scope.rng.choice(list(held))) if isinstance(held, list | dict | tuple | str) and held else "0"


def _idx(scope: Scope, arguments: list[str]) -> str:
    held = scope.last
    length = len(held) if isinstance(held, list | dict | tuple | str) else 3
    return str(scope.rng.randrange(max(length, 1)))


def _bool(scope: Scope, arguments: list[str]) -> str:
    return scope.rng.choice(("True", "False"))


VALUES: dict[str, Maker] = {
    "int": _int, "ints": _ints, "sorted": _sorted, "tuple": _tuple, "set": _set, "float": _float, "floats": _floats,
    "word": _word, "words": _words, "text": _text, "letters": _letters, "mixed": _mixed, "scalar": _scalar,
    "nested": _nested, "deep": _deep, "matrix": _matrix, "square": _square, "grid": _grid, "dict": _dict,
    "dictw": _dict_words, "dicti": _dict_ints, "dictl": _dict_lists, "dictm": _dict_mixed, "tree": _tree,
    "pairs": _pairs, "points": _points, "spans": _spans, "records": _records, "graph": _graph, "dag": _dag,
    "in": _in,    "one": _one, "idx": _idx, "bool": _bool,
}  # fmt: skip

"""A function under composition: its variables with the values they have at this point, and its parameters.

Constants are drawn to suit the values (a text to replace occurs in the text), and many become parameters.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Container, Iterable
from functools import lru_cache
from random import Random
from string import ascii_lowercase
from typing import Any

from worldline.programs.generate.guided.evaluator import Env, GuidedEvaluator
from worldline.programs.generate.language.library import pools
from worldline.programs.generate.values import texts

MAX_PARAMETERS = 3
MAX_STEPS = 160  # statements of a whole run
PARAMETER_SHARE = 0.3  # of constants, those that become parameters
FILLS = "*-_.#0 =+xX!~"
JOINTS = ("", "", " ", " ", ",", ", ", "-", "_", "|", "/", "\n", "; ", "--", "+")
# The constants that may become parameters, and names for them.
ROLES = {
    "sub": ("sub", "target", "old", "substring", "pattern", "needle", "part", "s"),
    "chr": ("char", "ch", "letter", "c", "symbol", "target"),
    "rep": ("new", "replacement", "rep", "to", "with_", "value"),
    "sep": ("sep", "delimiter", "separator", "delim", "splitter"),
    "sep1": ("sep", "joiner", "glue", "delimiter"),
    "ends": ("chars", "to_strip", "trim", "char"),
    "edge": ("prefix", "suffix", "start", "ending"),
    "fill": ("fill", "fillchar", "pad", "symbol", "char"),
    "word": ("extra", "word", "suffix", "other", "addition", "text2"),
    "letters": ("letters", "vowels", "allowed", "chars", "remove"),
    "n": ("n", "k", "step", "amount", "count", "shift"),
    "i": ("index", "idx", "i", "pos", "position"),
    "a": ("start", "begin", "lo", "i"),
    "b": ("end", "stop", "k", "cut"),
    "m": ("n", "k", "size", "step", "divisor", "m"),
    "times": ("times", "n", "repeat", "count"),
    "width": ("width", "size", "length", "n"),
    "int": ("value", "x", "num", "limit", "threshold"),
    "near": ("limit", "threshold", "target", "bound", "x"),
    "item": ("target", "item", "elem", "value", "x"),
    "key": ("key", "name", "target", "k"),
    "len": ("limit", "n", "size", "min_len"),
}


class FunctionDraft:
    """A function under composition.

    Attributes:
        rng: Source of randomness.
        env: Values of the variables at the end of what is written so far.
        kinds: Declared kinds of variables whose value does not show it.
        arguments: Values of the parameters, by name and in their order.
        lines: The body so far.
        steps: Statements that the body has executed so far.
        last: The variable that was written last.
        returned: Whether the run has returned early.
        bound: Variables of the comprehension or lambda that is being filled.
    """

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.env: Env = {}
        self.kinds: dict[str, str] = {}
        self.arguments: Env = {}
        self.lines: list[str] = []
        self.steps = 0
        self.last = ""
        self.returned = False
        self.bound: set[str] = set()

    def state(self) -> tuple[Any, ...]:
        """Return what a refused statement must leave unchanged."""
        return dict(self.env), dict(self.kinds), dict(self.arguments), self.last

    def restore(self, state: tuple[Any, ...]) -> None:
        """Return to an earlier state."""
        self.env, self.kinds, self.arguments, self.last = state

    def kind(self, name: str) -> str:
        """Return the kind of a variable."""
        return self.kinds.get(name) or kind_of(self.env[name])

    def value(self, text: str, extra: Env | None = None) -> Any:
        """Return the value of an expression here; raises what the expression raises."""
        return GuidedEvaluator(MAX_STEPS).expression(parse_expression(text), self.env | extra if extra else self.env)

    def run(self, lines: list[str]) -> tuple[Env, int]:
        """Return the variables after further statements, and their number of steps."""
        env: Env = copy.deepcopy(self.env)
        evaluator = GuidedEvaluator(MAX_STEPS - self.steps)
        evaluator.block(ast.parse("\n".join(lines)).body, env)
        return env, evaluator.steps

    def fresh(self, pool: str, taken: Container[str] = ()) -> str:
        """Return a name of a pool of names that is neither used nor taken."""
        names = [name for name in pools("guided/names")[pool] if name not in self.env and name not in taken]
        return self.rng.choice(names) if names else f"{pool}{len(self.env)}"

    def add_parameter(self, name: str, value: Any, kind: str = "") -> None:
        """Add a parameter."""
        self.arguments[name] = copy.deepcopy(value)
        self.env[name] = value
        if kind:
            self.kinds[name] = kind

    def of_kind(self, *kinds: str) -> list[str]:
        """Return the variables of some kinds."""
        return [name for name in self.env if self.kind(name) in kinds]

    def constant(self, role: str, value: Any) -> str:
        """Write a constant: as a literal, as a variable that has this value, or as a new parameter."""
        rng = self.rng
        same = [name for name, known in self.env.items() if type(known) is type(value) and known == value]
        same = [name for name in same if name not in self.bound]
        if same and rng.random() < 0.7:
            return rng.choice(same)
        if role in ROLES and len(self.arguments) < MAX_PARAMETERS and rng.random() < PARAMETER_SHARE:
            names = [name for name in ROLES[role] if name not in self.env]
            if names:
                name = rng.choice(names)
                self.add_parameter(name, value)
                return name
        return repr(value)

    def hole(self, role: str, value: Any) -> str:
        """Draw the text of a hole beside a value."""
        return self.constant(role, HOLES[role](self.rng, value)) if role != "pair" else self._pair(value)

    def _pair(self, value: Any) -> str:
        """Write two texts of equal length, for `str.maketrans`."""
        letters = "".join(dict.fromkeys(_letters(self.rng, value)))
        return f"{letters!r}, {texts.letters(self.rng, len(letters), ascii_lowercase + '*-_01')!r}"


@lru_cache(maxsize=4096)
def parse_expression(text: str) -> ast.expr:
    """Parse an expression, the same text once."""
    return ast.parse(text, mode="eval").body


def kind_of(value: Any) -> str:
    """Return the kind of a value: text, num, nums, words, grid, pairs, counts, names, groups, tuple, flag or other."""
    if isinstance(value, bool):
        return "flag"
    if isinstance(value, (int, str)):
        return "num" if isinstance(value, int) else "text"
    if isinstance(value, list):
        return _kind_of_list(value)
    if isinstance(value, dict):
        types = {type(item) for item in value.values()}
        return {int: "counts", str: "names", list: "groups"}.get(types.pop(), "other") if len(types) == 1 else "other"
    if isinstance(value, tuple):
        return "tuple" if value else "other"
    return "other"


def _kind_of_list(value: list[Any]) -> str:
    types = {type(item) for item in value}
    if types == {tuple}:
        return "pairs" if all(len(item) == 2 for item in value) else "other"
    if types == {list}:
        return "grid" if all(type(item) is int for row in value for item in row) else "other"
    return {int: "nums", str: "words"}.get(types.pop(), "other") if len(types) == 1 else "other"


def samples_of(value: Any, kind: str) -> list[Any]:
    """Return parts of a value that have a kind: characters of a text, numbers of a grid."""
    if kind == "char":
        return list(value) if isinstance(value, str) else []
    if kind == "text" and isinstance(value, str):
        return value.split()
    wanted = {"num": int, "text": str}[kind]
    parts: Iterable[Any] = value.values() if isinstance(value, dict) else value
    flat = [item for part in parts for item in (part if isinstance(part, list) else [part])]
    return [item for item in flat if type(item) is wanted]


def _text_of(value: Any) -> str:
    """Return a text that constants beside a value may be taken from."""
    if isinstance(value, str):
        return value
    return next((item for item in value if isinstance(item, str)), "") if isinstance(value, (list, dict)) else ""


def _size(value: Any) -> int:
    return len(value) if hasattr(value, "__len__") else abs(value) % 12


def _sub(rng: Random, value: Any) -> str:
    text = _text_of(value)
    if text and rng.random() < 0.85:
        at = rng.randrange(len(text))
        return text[at : at + rng.choice((1, 1, 1, 2, 2, 3))]
    return rng.choice((texts.letters(rng, rng.randint(1, 2)), " ", "-", texts.plain(rng)))


def _chr(rng: Random, value: Any) -> str:
    text = _text_of(value)
    return rng.choice(text) if text and rng.random() < 0.85 else rng.choice(ascii_lowercase + " -,0123AEX")


def _sep(rng: Random, value: Any) -> str:
    text = _text_of(value)
    present = [sep for sep in (" ", ",", "-", ";", ":", ".", "_", "/", "|", "=", ", ", "@", "\n") if sep in text]
    return rng.choice(present) if present and rng.random() < 0.8 else _chr(rng, value)


def _ends(rng: Random, value: Any) -> str:
    text = _text_of(value)
    ends = rng.choice((text[:1], text[-1:], text[:1] + text[-1:], text[-2:], text[:2])) if text else ""
    return "".join(dict.fromkeys(ends + rng.choice(("", "", " ", ".", "!?", "-", "ab", rng.choice(ascii_lowercase)))))


def _edge(rng: Random, value: Any) -> str:
    text, size = _text_of(value), rng.choice((1, 1, 2, 3))
    return rng.choice((text[:size], text[-size:])) if text and rng.random() < 0.75 else _sub(rng, value)


def _letters(rng: Random, value: Any) -> str:
    text = _text_of(value)
    taken = "".join(rng.choice(text) for _ in range(rng.randint(1, 4))) if text else ""
    return "".join(dict.fromkeys(taken + texts.letters(rng, rng.randint(0, 3)))) or "aeiou"


def _index(rng: Random, value: Any) -> int:
    size = max(1, _size(value))
    return rng.choice((0, -1, rng.randrange(size), rng.randrange(size), -rng.randint(1, size)))


def _bound(rng: Random, value: Any) -> int:
    size = max(2, _size(value))
    return rng.choice((1, 2, -1, -2, rng.randrange(size), rng.randrange(size), -rng.randrange(1, size), size + 1))


def _item(rng: Random, value: Any) -> Any:
    items = list(value) if isinstance(value, (list, dict)) else []
    if items and rng.random() < 0.85:
        return rng.choice(items)
    return texts.plain(rng) if items and isinstance(items[0], str) else rng.randint(0, 12)


def _near(rng: Random, value: Any) -> int:
    if isinstance(value, dict):
        value = list(value.values())
    numbers = [item for item in value if type(item) is int] if isinstance(value, list) else []
    base = value if type(value) is int else rng.choice(numbers) if numbers else 5
    return base + rng.choice((0, 0, 0, 1, -1, 2, -3, 5))


HOLES: dict[str, Callable[[Random, Any], Any]] = {
    "sub": _sub,
    "chr": _chr,
    "sep": _sep,
    "ends": _ends,
    "edge": _edge,
    "letters": _letters,
    "i": _index,
    "a": _bound,
    "b": _bound,
    "item": _item,
    "key": _item,
    "near": _near,
    "rep": lambda rng, value: rng.choice(
        ("", "", "-", "_", "*", " ", "#", texts.letters(rng, 1), texts.letters(rng, 2), texts.plain(rng))
    ),
    "sep1": lambda rng, value: rng.choice(JOINTS),
    "fill": lambda rng, value: rng.choice(FILLS),
    "word": lambda rng, value: rng.choice((texts.word(rng), texts.plain(rng), texts.letters(rng, rng.randint(1, 3)))),
    "n": lambda rng, value: rng.choice((1, 1, 2, 2, 3, 3, 4, 5)),
    "m": lambda rng, value: rng.choice((2, 2, 3, 3, 4, 5)),
    "times": lambda rng, value: rng.choice((2, 2, 3, 3, 4)),
    "width": lambda rng, value: _size(value) + rng.choice((-1, 0, 1, 2, 3, 4, 5, 7, 9)),
    "digits": lambda rng, value: len(str(value)) + rng.randint(0, 4),
    "int": lambda rng, value: rng.choice((0, 1, 2, 3, 5, 7, 10, rng.randint(-9, 30))),
    "len": lambda rng, value: max(0, _size(value) + rng.choice((-3, -2, -1, 0, 0, 1, 2))),
}

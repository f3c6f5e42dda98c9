"""What a written value says about the operands that it came of, and whether their true values contradict that.

An operation is taken to slip in what it does, not in copying: an index gives an element of its container, a slice, a
sorting or a change of case nothing that its operand does not hold, and what puts operands together puts them in as they
are. Any other operation may come to anything: it says nothing of its operands. Values are parsed, never evaluated.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from worldline.core.value import Value as Parsed
from worldline.core.value import equal, kind, parse, quote
from worldline.core.value_parts import ValueParts, join, split

_CASES = ("lower", "upper", "title", "capitalize", "swapcase", "casefold")
_STRETCHES = ("strip", "lstrip", "rstrip", "removeprefix", "removesuffix", *_CASES)
_PIECES = ("split", "rsplit", "splitlines", "partition", "rpartition")
_GATHERS = ("sorted", "reversed", "list", "tuple", "set", "frozenset", "deque")
_PICKS = ("min", "max", "next")
_SEQUENCES = ("list", "tuple", "deque")


@dataclass(frozen=True)
class Claim:
    """Of an operand: it `is` a value, it `has` it among its elements, or it `covers` it: has all that it is made of."""

    kind: str
    value: str

    def contradicts(self, true: str) -> bool:
        """Whether an operand that has its true value cannot be meant."""
        if self.kind == "is":
            return not equal(true, self.value)
        return not (_has(true, self.value) if self.kind == "has" else _covers(true, self.value))

    def is_open(self, true: str) -> bool:
        """Whether a true value, such as an iterator's, does not say what it is made of."""
        return self.kind != "is" and _all(true) is None


Known = Callable[[ast.expr], str | None]


def claims(node: ast.expr, claim: Claim, known: Known) -> Iterator[tuple[ast.expr, Claim]]:
    """What a claim on an operation says of its operands, in the order of evaluation; `known` has their true values."""
    match node:
        case ast.Subscript(slice=ast.Slice()):
            yield node.value, claim if claim.kind == "has" else Claim("covers", claim.value)
        case ast.Subscript() if claim.kind == "is":
            yield node.value, Claim("has", claim.value)
        case ast.Call(func=ast.Attribute()):
            yield from _of_method(node, claim, known)
        case ast.Call(func=ast.Name()):
            yield from _of_function(node, claim, known)
        case _ if claim.kind == "is":
            yield from _of_operator(node, claim.value, known)


def _of_method(node: ast.Call, claim: Claim, known: Known) -> Iterator[tuple[ast.expr, Claim]]:
    assert isinstance(node.func, ast.Attribute)
    name, owner = node.func.attr, node.func.value
    if (name in _STRETCHES and claim.kind != "has") or name in _PIECES:
        yield owner, Claim("covers", claim.value)
    elif name == "copy":
        yield owner, claim
    elif name in ("pop", "popleft") and claim.kind == "is":
        yield owner, Claim("has", claim.value)
    elif name == "join" and len(node.args) == 1:
        yield from _of_join(owner, node.args[0], claim, known)


def _of_join(
    between: ast.expr, joined: ast.expr, claim: Claim, known: Known
) -> Iterator[tuple[ast.expr, Claim]]:
    mark, true = _str(known(between)), split(known(joined) or "")
    said = _str(claim.value)
    if mark == "" and claim.kind != "has":
        yield joined, Claim("covers", claim.value)
    if not mark or said is None or claim.kind != "is" or true is None or isinstance(true.items, (str, bytes)):
        return
    words = said.split(mark)
    if len(words) == len(true.items) and not any(mark in (_str(one) or "") for one in true.items):
        yield joined, Claim("is", join(ValueParts(true.kind, true.head, true.tail, [*map(quote, words)])))


def _of_function(node: ast.Call, claim: Claim, known: Known) -> Iterator[tuple[ast.expr, Claim]]:
    assert isinstance(node.func, ast.Name)
    name = node.func.id
    if len(node.args) != 1 or isinstance(node.args[0], ast.Starred):
        return
    only = node.args[0]
    if name in _GATHERS:
        yield only, claim if claim.kind == "has" else Claim("covers", claim.value)
    elif name in _PICKS and claim.kind == "is":
        yield only, Claim("has", claim.value)
    elif name == "str" and claim.kind == "is":
        yield from _of_text(only, _str(claim.value), known)
    elif name == "int" and claim.kind == "is" and kind(claim.value) == "int":
        true = known(only)
        if true is not None and true == quote(true.strip("'")) and kind(true) == "str":
            yield only, Claim("is", quote(claim.value))


def _of_text(operand: ast.expr, said: str | None, known: Known) -> Iterator[tuple[ast.expr, Claim]]:
    """What stands in a text in an operand's place says what the operand is."""
    true = known(operand)
    if said is None or true is None:
        return
    if kind(true) == "str":
        yield operand, Claim("is", quote(said))
    elif kind(said) == kind(true) and isinstance(parse(said), Parsed):
        yield operand, Claim("is", said)


def _of_operator(node: ast.expr, said: str, known: Known) -> Iterator[tuple[ast.expr, Claim]]:
    match node:
        case ast.List() | ast.Tuple() | ast.Set() | ast.Dict():
            yield from _of_display(node, said)
        case ast.JoinedStr():
            yield from _of_format(node, _str(said), known)
        case ast.BinOp(op=ast.Add()):
            yield from _of_sum(node, said, known)
        case ast.BinOp(op=ast.Mult()):
            yield from _of_product(node, said, known)
        case ast.UnaryOp(op=ast.USub()) if kind(said) in ("int", "float"):
            yield node.operand, Claim("is", said[1:] if said.startswith("-") else f"-{said}")
        case ast.UnaryOp(op=ast.Not()) if known(node.operand) in ("True", "False"):
            yield node.operand, Claim("is", "False" if said == "True" else "True")


def _of_display(node: ast.expr, said: str) -> Iterator[tuple[ast.expr, Claim]]:
    parts = split(said)
    values = node.values if isinstance(node, ast.Dict) else getattr(node, "elts", [])
    if parts is None or isinstance(parts.items, (str, bytes)) or len(values) != len(parts.items):
        return
    if isinstance(node, ast.Set) or any(isinstance(one, ast.Starred) for one in values):
        return
    for one, part in zip(values, parts.items, strict=True):
        yield one, Claim("is", part)


def _of_format(node: ast.JoinedStr, said: str | None, known: Known) -> Iterator[tuple[ast.expr, Claim]]:
    """Each field in turn, the others being what they are."""
    texts: list[str] = []
    for part in node.values:
        if isinstance(part, ast.Constant):
            texts.append(str(part.value))
        elif isinstance(part, ast.FormattedValue) and part.conversion == -1 and part.format_spec is None:
            true = known(part.value)
            texts.append((_str(true) if kind(true or "") == "str" else true) or "")
        else:
            return
    for i, part in enumerate(node.values):
        if isinstance(part, ast.FormattedValue) and said is not None:
            between = _between(said, "".join(texts[:i]), "".join(texts[i + 1 :]))
            yield from _of_text(part.value, between, known)


def _between(text: str, before: str, after: str) -> str | None:
    fits = len(text) >= len(before) + len(after) and text.startswith(before) and text.endswith(after)
    return text[len(before) : len(text) - len(after)] if fits else None


def _of_sum(node: ast.BinOp, said: str, known: Known) -> Iterator[tuple[ast.expr, Claim]]:
    """Of two sequences: what the one is, the other being there as it is."""
    whole, left, right = (_elements(one) for one in (said, known(node.left), known(node.right)))
    if whole is None or left is None or right is None:
        return
    if len(whole) >= len(right) and [*whole[len(whole) - len(right) :]] == [*right]:
        yield node.left, Claim("is", _made(said, whole[: len(whole) - len(right)]))
    if [*whole[: len(left)]] == [*left]:
        yield node.right, Claim("is", _made(said, whole[len(left) :]))


def _of_product(node: ast.BinOp, said: str, known: Known) -> Iterator[tuple[ast.expr, Claim]]:
    """Of a sequence and a number: what the one is, the other being there as it is."""
    whole, part, times = _elements(said), _elements(known(node.left)), known(node.right) or ""
    if whole is None or part is None or not times.isdecimal() or len(times) > 9:
        return
    size, rest = divmod(len(whole), int(times)) if int(times) else (0, 1)
    if not rest and [*whole[:size]] * int(times) == [*whole]:
        yield node.left, Claim("is", _made(said, whole[:size]))
    if part and not len(whole) % len(part) and [*part] * (len(whole) // len(part)) == [*whole]:
        yield node.right, Claim("is", str(len(whole) // len(part)))


# ---- values


def _str(value: str | None) -> str | None:
    parts = split(value) if value is not None else None
    return parts.items if parts is not None and isinstance(parts.items, str) else None


def _elements(value: str | None) -> Sequence[str] | str | None:
    """The elements of a list or tuple, or a text; None for anything else."""
    parts = split(value) if value is not None else None
    if parts is None or isinstance(parts.items, bytes):
        return None
    return parts.items if parts.kind in ("str", *_SEQUENCES) else None


def _made(like: str, items: Sequence[str] | str) -> str:
    """A value of the kind of another, of these elements."""
    parts = split(like)
    assert parts is not None
    return join(ValueParts(parts.kind, parts.head, parts.tail, items))


def _all(value: str) -> list[str] | None:
    """What can be taken out of a value: characters as texts, elements, keys; None where that is not known."""
    parts = split(value)
    if parts is None or isinstance(parts.items, bytes) or parts.kind == "object":
        return None
    if isinstance(parts.items, str):
        return [quote(one) for one in parts.items]
    return [*parts.items, *(parts.keys or ())]


def _has(value: str, element: str) -> bool:
    every, text = _all(value), _str(value)
    if every is None or (text is not None and _str(element) is not None and (_str(element) or "") in text):
        return True
    return any(equal(one, element) for one in every)


def _covers(value: str, other: str) -> bool:
    """Whether all that a value is made of is in another: characters, whatever their case, or elements."""
    if kind(other) == "str" or kind(value) == "str":
        mine, wanted = _letters(value), _letters(other)
        return mine is None or wanted is None or wanted <= mine
    mine_all, wanted_all = _all(value), _all(other)
    return mine_all is None or wanted_all is None or Counter(wanted_all) <= Counter(mine_all)


def _letters(value: str) -> Counter[str] | None:
    """The characters of a text, or of a list of texts; None of a value that has others."""
    text = _str(value)
    if text is not None:
        return Counter(text.casefold())
    elements = _elements(value)
    if elements is None:
        return None
    found: Counter[str] = Counter()
    for one in elements:
        part = _str(one)
        if part is None:
            return None
        found += Counter(part.casefold())
    return found

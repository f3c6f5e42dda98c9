"""What a predicted value implies about the operands it was computed from, and whether that contradicts their values.

An operation is assumed to fail in what it does, not in copying. An index returns an element of its container;
slicing, sorting and changing case return nothing that the operand does not hold; what combines operands
contains them unchanged. Any other operation implies nothing. Values are parsed, never evaluated.
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
_SUBSTRINGS = ("strip", "lstrip", "rstrip", "removeprefix", "removesuffix", *_CASES)
_PIECES = ("split", "rsplit", "splitlines", "partition", "rpartition")
_COLLECTS = ("sorted", "reversed", "list", "tuple", "set", "frozenset", "deque")
_PICKS = ("min", "max", "next")
_SEQUENCES = ("list", "tuple", "deque")


@dataclass(frozen=True)
class Claim:
    """About an operand: it `is` a value, `has` it among its elements, or `covers` it: contains all its parts."""

    kind: str
    value: str

    def contradicts(self, true: str) -> bool:
        """Tell whether an operand with this true value contradicts the claim."""
        if self.kind == "is":
            return not equal(true, self.value)
        return not (_has(true, self.value) if self.kind == "has" else _covers(true, self.value))

    def is_open(self, true: str) -> bool:
        """Tell whether a true value, such as an iterator, does not show its elements."""
        return self.kind != "is" and _all(true) is None


KnownValue = Callable[[ast.expr], str | None]


def claims(node: ast.expr, claim: Claim, known: KnownValue) -> Iterator[tuple[ast.expr, Claim]]:
    """Yield what a claim about an operation implies for its operands, in order. `known` returns true values."""
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


def _of_method(node: ast.Call, claim: Claim, known: KnownValue) -> Iterator[tuple[ast.expr, Claim]]:
    assert isinstance(node.func, ast.Attribute)
    name, owner = node.func.attr, node.func.value
    if (name in _SUBSTRINGS and claim.kind != "has") or name in _PIECES:
        yield owner, Claim("covers", claim.value)
    elif name == "copy":
        yield owner, claim
    elif name in ("pop", "popleft") and claim.kind == "is":
        yield owner, Claim("has", claim.value)
    elif name == "join" and len(node.args) == 1:
        yield from _of_join(owner, node.args[0], claim, known)


def _of_join(
    separator_node: ast.expr, items_node: ast.expr, claim: Claim, known: KnownValue
) -> Iterator[tuple[ast.expr, Claim]]:
    separator, true = _str(known(separator_node)), split(known(items_node) or "")
    text = _str(claim.value)
    if separator == "" and claim.kind != "has":
        yield items_node, Claim("covers", claim.value)
    if not separator or text is None or claim.kind != "is" or true is None or isinstance(true.items, (str, bytes)):
        return
    words = text.split(separator)
    if len(words) == len(true.items) and not any(separator in (_str(item) or "") for item in true.items):
        yield items_node, Claim("is", join(ValueParts(true.kind, true.head, true.tail, [*map(quote, words)])))


def _of_function(node: ast.Call, claim: Claim, known: KnownValue) -> Iterator[tuple[ast.expr, Claim]]:
    assert isinstance(node.func, ast.Name)
    name = node.func.id
    if len(node.args) != 1 or isinstance(node.args[0], ast.Starred):
        return
    argument = node.args[0]
    if name in _COLLECTS:
        yield argument, claim if claim.kind == "has" else Claim("covers", claim.value)
    elif name in _PICKS and claim.kind == "is":
        yield argument, Claim("has", claim.value)
    elif name == "str" and claim.kind == "is":
        yield from _of_text(argument, _str(claim.value), known)
    elif name == "int" and claim.kind == "is" and kind(claim.value) == "int":
        true = known(argument)
        if true is not None and true == quote(true.strip("'")) and kind(true) == "str":
            yield argument, Claim("is", quote(claim.value))


def _of_text(operand: ast.expr, text: str | None, known: KnownValue) -> Iterator[tuple[ast.expr, Claim]]:
    """The text in an operand's place shows what the operand is."""
    true = known(operand)
    if text is None or true is None:
        return
    if kind(true) == "str":
        yield operand, Claim("is", quote(text))
    elif kind(text) == kind(true) and isinstance(parse(text), Parsed):
        yield operand, Claim("is", text)


def _of_operator(node: ast.expr, value: str, known: KnownValue) -> Iterator[tuple[ast.expr, Claim]]:
    match node:
        case ast.List() | ast.Tuple() | ast.Set() | ast.Dict():
            yield from _of_display(node, value)
        case ast.JoinedStr():
            yield from _of_format(node, _str(value), known)
        case ast.BinOp(op=ast.Add()):
            yield from _of_sum(node, value, known)
        case ast.BinOp(op=ast.Mult()):
            yield from _of_product(node, value, known)
        case ast.UnaryOp(op=ast.USub()) if kind(value) in ("int", "float"):
            yield node.operand, Claim("is", value[1:] if value.startswith("-") else f"-{value}")
        case ast.UnaryOp(op=ast.Not()) if known(node.operand) in ("True", "False"):
            yield node.operand, Claim("is", "False" if value == "True" else "True")


def _of_display(node: ast.expr, value: str) -> Iterator[tuple[ast.expr, Claim]]:
    parts = split(value)
    values = node.values if isinstance(node, ast.Dict) else getattr(node, "elts", [])
    if parts is None or isinstance(parts.items, (str, bytes)) or len(values) != len(parts.items):
        return
    if isinstance(node, ast.Set) or any(isinstance(node_of_item, ast.Starred) for node_of_item in values):
        return
    for node_of_item, part in zip(values, parts.items, strict=True):
        yield node_of_item, Claim("is", part)


def _of_format(node: ast.JoinedStr, text: str | None, known: KnownValue) -> Iterator[tuple[ast.expr, Claim]]:
    """Each field in turn, assuming that the others are right."""
    pieces: list[str] = []
    for part in node.values:
        if isinstance(part, ast.Constant):
            pieces.append(str(part.value))
        elif isinstance(part, ast.FormattedValue) and part.conversion == -1 and part.format_spec is None:
            true = known(part.value)
            pieces.append((_str(true) if kind(true or "") == "str" else true) or "")
        else:
            return
    for i, part in enumerate(node.values):
        if isinstance(part, ast.FormattedValue) and text is not None:
            between = _between(text, "".join(pieces[:i]), "".join(pieces[i + 1 :]))
            yield from _of_text(part.value, between, known)


def _between(text: str, before: str, after: str) -> str | None:
    fits = len(text) >= len(before) + len(after) and text.startswith(before) and text.endswith(after)
    return text[len(before) : len(text) - len(after)] if fits else None


def _of_sum(node: ast.BinOp, value: str, known: KnownValue) -> Iterator[tuple[ast.expr, Claim]]:
    """Concatenation: one operand, assuming that the other is right."""
    whole, left, right = (_elements(operand) for operand in (value, known(node.left), known(node.right)))
    if whole is None or left is None or right is None:
        return
    if len(whole) >= len(right) and [*whole[len(whole) - len(right) :]] == [*right]:
        yield node.left, Claim("is", _value_like(value, whole[: len(whole) - len(right)]))
    if [*whole[: len(left)]] == [*left]:
        yield node.right, Claim("is", _value_like(value, whole[len(left) :]))


def _of_product(node: ast.BinOp, value: str, known: KnownValue) -> Iterator[tuple[ast.expr, Claim]]:
    """Repetition: the sequence or the count, assuming that the other is right."""
    whole, part, times = _elements(value), _elements(known(node.left)), known(node.right) or ""
    if whole is None or part is None or not times.isdecimal() or len(times) > 9:
        return
    size, rest = divmod(len(whole), int(times)) if int(times) else (0, 1)
    if not rest and [*whole[:size]] * int(times) == [*whole]:
        yield node.left, Claim("is", _value_like(value, whole[:size]))
    if part and not len(whole) % len(part) and [*part] * (len(whole) // len(part)) == [*whole]:
        yield node.right, Claim("is", str(len(whole) // len(part)))


# ---- values


def _str(value: str | None) -> str | None:
    parts = split(value) if value is not None else None
    return parts.items if parts is not None and isinstance(parts.items, str) else None


def _elements(value: str | None) -> Sequence[str] | str | None:
    """The elements of a list or tuple, or a string; None for anything else."""
    parts = split(value) if value is not None else None
    if parts is None or isinstance(parts.items, bytes):
        return None
    return parts.items if parts.kind in ("str", *_SEQUENCES) else None


def _value_like(like: str, items: Sequence[str] | str) -> str:
    """A value of the same kind with other elements."""
    parts = split(like)
    assert parts is not None
    return join(ValueParts(parts.kind, parts.head, parts.tail, items))


def _all(value: str) -> list[str] | None:
    """The characters, elements and keys of a value; None if they are not known."""
    parts = split(value)
    if parts is None or isinstance(parts.items, bytes) or parts.kind == "object":
        return None
    if isinstance(parts.items, str):
        return [quote(character) for character in parts.items]
    return [*parts.items, *(parts.keys or ())]


def _has(value: str, element: str) -> bool:
    items, text = _all(value), _str(value)
    if items is None or (text is not None and _str(element) is not None and (_str(element) or "") in text):
        return True
    return any(equal(item, element) for item in items)


def _covers(value: str, other: str) -> bool:
    """Whether a value contains all parts of another: characters, ignoring case, or elements."""
    if kind(other) == "str" or kind(value) == "str":
        mine, wanted = _letters(value), _letters(other)
        return mine is None or wanted is None or wanted <= mine
    mine_all, wanted_all = _all(value), _all(other)
    return mine_all is None or wanted_all is None or Counter(wanted_all) <= Counter(mine_all)


def _letters(value: str) -> Counter[str] | None:
    """The characters of a string or of a list of strings; None for other values."""
    text = _str(value)
    if text is not None:
        return Counter(text.casefold())
    elements = _elements(value)
    if elements is None:
        return None
    letters: Counter[str] = Counter()
    for element in elements:
        part = _str(element)
        if part is None:
            return None
        letters += Counter(part.casefold())
    return letters

"""What an operand would have to be for an operation to have a given result. Proposals, checked by execution.

Each proposal keeps the other operands as they are. Operations that lose information have several preimages: the one
nearest to the operand's true value is proposed.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from worldline.core.value import kind
from worldline.diagnose.blame.builtin_calls import FAILURES, formatted
from worldline.diagnose.blame.evaluate import LineEvaluator, Names, field_text, format_pieces, key_of
from worldline.diagnose.blame.plain import OpaqueValue, elements, like, plain, same, text_of
from worldline.diagnose.blame.slips import CASES, COLLECTS, PADS, PICKS, SPLITS, STRIPS, called

Proposal = tuple[ast.expr, Any]
"""An operand, and the value that it would have to have."""
_Known = Callable[[ast.expr], Any]
MAX_PLACES = 64  # of a sequence, tried as an index or bound


def proposals(node: ast.expr, wrong: Any, evaluator: LineEvaluator, names: Names) -> Iterator[Proposal]:
    """Yield operands with values that may explain a wrong result of an operation."""

    def value(part: ast.expr) -> Any:
        return evaluator.value(part, names)

    try:
        yield from _proposals(node, value(node), wrong, value)
    except FAILURES:
        return


def _proposals(node: ast.expr, true: Any, wrong: Any, value: _Known) -> Iterator[Proposal]:
    match node:
        case ast.BinOp():
            yield from _of_operator(node, true, wrong, value)
        case ast.UnaryOp(op=ast.Not()):
            yield node.operand, not wrong
        case ast.UnaryOp(op=ast.USub()):
            yield node.operand, -wrong
        case ast.BoolOp():
            for part in node.values:
                yield part, wrong
                yield part, not value(part)
        case ast.IfExp():
            yield (node.body if value(node.test) else node.orelse), wrong
            yield node.test, not value(node.test)
        case ast.Subscript(slice=ast.Slice()):
            yield from _of_slice(node, wrong, value)
        case ast.Subscript():
            yield from _of_index(node, wrong, value)
        case ast.List() | ast.Tuple() | ast.Dict() | ast.Set():
            yield from _of_display(node, wrong)
        case ast.JoinedStr():
            yield from _of_fields(_string_pieces(node, value), wrong, value)
        case ast.NamedExpr():
            yield node.value, wrong
        case ast.Call(func=ast.Attribute()):
            yield from _of_method(node, true, wrong, value)
        case ast.Call():
            yield from _of_function(node, true, wrong, value)


def _of_operator(node: ast.BinOp, true: Any, wrong: Any, value: _Known) -> Iterator[Proposal]:
    if isinstance(node.op, ast.Mod) and isinstance(true, str):
        yield from _of_percent(node, wrong, value)
        return
    left, right = value(node.left), value(node.right)
    if isinstance(true, (int, float)) and isinstance(wrong, (int, float)):
        yield from _of_numbers(node, (left, right, true), wrong)
    elif isinstance(node.op, ast.Add):
        whole, first, last = elements(wrong) or [], elements(left) or [], elements(right) or []
        if not last or same(whole[-len(last) :], last):
            yield node.left, like(left, whole[: len(whole) - len(last)])
        if same(whole[: len(first)], first):
            yield node.right, like(right, whole[len(first) :])
    elif isinstance(node.op, ast.Mult):
        sides = [(node.left, left, right), (node.right, right, left)]
        for part, unit, times in sides:
            whole = elements(wrong) or []
            if isinstance(times, int) and times > 0 and len(whole) % times == 0:
                yield part, like(unit, whole[: len(whole) // times])
            if isinstance(unit, int) and (size := len(elements(times) or [])):
                yield part, len(whole) // size


def _of_numbers(node: ast.BinOp, values: tuple[Any, Any, Any], wrong: Any) -> Iterator[Proposal]:
    left, right, true = values
    match node.op:
        case ast.Add():
            yield from ((node.left, wrong - right), (node.right, wrong - left))
        case ast.Sub():
            yield from ((node.left, wrong + right), (node.right, left - wrong))
        case ast.Mult():
            for part, other in ((node.left, right), (node.right, left)):
                if other:
                    yield part, wrong // other if isinstance(wrong, int) and isinstance(other, int) else wrong / other
        case ast.Div():
            yield node.left, round(wrong * right) if isinstance(left, int) else wrong * right
        case ast.FloorDiv():
            yield node.left, wrong * right + left % right
        case ast.Mod():
            yield node.left, left + (wrong - true)
        case ast.BitXor():
            yield from ((node.left, wrong ^ right), (node.right, wrong ^ left))


def _of_slice(node: ast.Subscript, wrong: Any, value: _Known) -> Iterator[Proposal]:
    container, key = value(node.value), key_of(node, value)
    items, new = elements(container), elements(wrong)
    if items is None or new is None:
        return
    changed = list(items)
    if key.step in (None, 1) or len(items[key]) == len(new):
        changed[key] = new
        yield node.value, like(container, changed)
    assert isinstance(node.slice, ast.Slice)
    for field in ("lower", "upper"):
        bound = getattr(node.slice, field)
        if isinstance(bound, ast.expr):
            true = value(bound)
            places = sorted(range(-1, min(len(items), MAX_PLACES) + 1), key=lambda place: abs(place - (true or 0)))
            yield from ((bound, place) for place in places)


def _of_index(node: ast.Subscript, wrong: Any, value: _Known) -> Iterator[Proposal]:
    container, key = value(node.value), value(node.slice)
    if isinstance(container, dict):
        yield from ((node.slice, other) for other, item in container.items() if same(item, wrong))
        yield node.value, {**container, key: wrong}
        return
    items = elements(container) or []
    yield from ((node.slice, place) for place, item in enumerate(items) if same(item, wrong))
    items[key] = wrong
    yield node.value, like(container, items)


def _of_display(node: ast.List | ast.Tuple | ast.Dict | ast.Set, wrong: Any) -> Iterator[Proposal]:
    if isinstance(node, ast.Dict):
        if isinstance(wrong, dict) and len(wrong) == len(node.keys):
            for key, part, (new, item) in zip(node.keys, node.values, wrong.items(), strict=True):
                if key is not None:
                    yield from ((key, new), (part, item))
        return
    items = elements(wrong)
    if items is None or len(items) != len(node.elts) or isinstance(node, ast.Set):
        return
    yield from zip(node.elts, items, strict=True)


# ---- texts


_Piece = tuple[ast.expr | None, str]
"""A part of a text: the expression that it comes from, and the true text."""


def _string_pieces(node: ast.JoinedStr, value: _Known) -> list[_Piece]:
    return [
        (part.value if isinstance(part, ast.FormattedValue) else None, field_text(part, value)) for part in node.values
    ]


def _of_fields(pieces: list[_Piece], wrong: Any, value: _Known) -> Iterator[Proposal]:
    """Each field in turn, with the text between what stands before and after it."""
    if not isinstance(wrong, str):
        return
    for number, (part, _) in enumerate(pieces):
        before, after = ("".join(text for _, text in some) for some in (pieces[:number], pieces[number + 1 :]))
        fits = len(wrong) >= len(before) + len(after) and wrong.startswith(before) and wrong.endswith(after)
        if part is not None and fits:
            yield from _read(part, wrong[len(before) : len(wrong) - len(after)], value)


def _read(part: ast.expr, text: str, value: _Known) -> Iterator[Proposal]:
    """The value that a text in an operand's place stands for."""
    true = value(part)
    if isinstance(true, str):
        yield part, text
        yield part, text.strip()
        return
    spelled = text.strip().replace(",", "") if isinstance(true, (int, float)) else text
    read = plain(spelled)
    if isinstance(read, OpaqueValue):
        return
    if type(read) is type(true):
        yield part, read
    elif isinstance(true, float) and isinstance(read, int):
        yield part, float(read)
    elif kind(spelled) != "malformed":
        yield part, read


def _of_percent(node: ast.BinOp, wrong: Any, value: _Known) -> Iterator[Proposal]:
    import re

    template = value(node.left)
    parts = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
    literals = re.split(r"%[-+ #0]*[0-9]*(?:\.[0-9]+)?[a-zA-Z]", template.replace("%%", "\0"))
    fields = re.findall(r"%[-+ #0]*[0-9]*(?:\.[0-9]+)?[a-zA-Z]", template.replace("%%", "\0"))
    if len(fields) != len(parts):
        return
    pieces: list[_Piece] = []
    for literal, field, part in zip(literals, fields, parts, strict=False):
        pieces += [(None, literal.replace("\0", "%")), (part, field % (value(part),))]
    yield from _of_fields([*pieces, (None, literals[-1].replace("\0", "%"))], wrong, value)


def _of_method(node: ast.Call, true: Any, wrong: Any, value: _Known) -> Iterator[Proposal]:
    assert isinstance(node.func, ast.Attribute)
    name, part = node.func.attr, node.func.value
    whole = value(part)
    if name == "format" and isinstance(whole, str):
        fields = format_pieces(whole, node) or []
        pieces: list[_Piece] = [
            (None, field) if isinstance(field, str) else (field[0], formatted(value(field[0]), field[1], field[2]))
            for field in fields
        ]
        yield from _of_fields(pieces, wrong, value)
    elif name == "join" and len(node.args) == 1:
        yield from _of_join(node.args[0], whole, wrong, value)
    elif name == "copy":
        yield part, wrong
    elif name in ("get", "pop", "popleft", "index") and elements(whole) is not None and not isinstance(whole, str):
        yield from _of_picked(part, whole, true, wrong)
    elif name in ("keys", "values", "items") and isinstance(whole, dict):
        yield from _of_view(part, name, whole, wrong)
    elif isinstance(whole, str):
        yield from _of_text(node, (whole, true, wrong), value)


def _of_text(node: ast.Call, values: tuple[str, Any, Any], value: _Known) -> Iterator[Proposal]:
    """Methods of a string."""
    assert isinstance(node.func, ast.Attribute)
    name, part = node.func.attr, node.func.value
    whole, true, wrong = values
    arguments = [value(argument) for argument in node.args]
    if name in SPLITS:
        pieces = elements(wrong)
        if pieces is None or not all(isinstance(piece, str) for piece in pieces):
            return
        if name in ("partition", "rpartition"):
            yield part, "".join(pieces)
        elif arguments and isinstance(arguments[0], str):
            yield part, arguments[0].join(pieces)
        else:
            yield from ((part, text) for text in _spaced(whole, true, pieces))
    if not isinstance(wrong, str) or not isinstance(true, str):
        return
    if name in CASES:
        yield from ((part, text) for text in (_recased(whole, true, wrong), wrong, wrong.lower(), wrong.swapcase()))
    elif name in STRIPS:
        start = whole.find(true)
        yield part, whole[:start] + wrong + whole[start + len(true) :]
    elif name in PADS:
        fill = "0" if name == "zfill" else arguments[1] if len(arguments) > 1 else " "
        yield from ((part, text) for text in (wrong.lstrip(fill), wrong.rstrip(fill), wrong.strip(fill)))
    elif name == "replace" and len(arguments) >= 2 and arguments[0]:
        yield from _of_replace(node, whole, wrong, arguments)
    before, old, new = _edit(true, wrong)
    if old and old in whole:
        at = whole.find(old, max(before - 1, 0))
        yield part, whole[: max(at, 0)] + new + whole[max(at, 0) + len(old) :]


def _edit(true: str, wrong: str) -> tuple[int, str, str]:
    """The one edit between two texts: where it starts, the old text and the new one."""
    start = next((i for i, (a, b) in enumerate(zip(true, wrong, strict=False)) if a != b), min(len(true), len(wrong)))
    tail = 0
    while tail < min(len(true), len(wrong)) - start and true[-1 - tail] == wrong[-1 - tail]:
        tail += 1
    return start, true[start : len(true) - tail], wrong[start : len(wrong) - tail]


def _recased(whole: str, true: str, wrong: str) -> str:
    """The wrong text with the operand's letters wherever the result's letters are right."""
    if len(whole) == len(true) == len(wrong):
        return "".join(old if new == right else new for old, right, new in zip(whole, true, wrong, strict=True))
    start, old, new = _edit(true, wrong)
    if len(whole) == len(true):
        return whole[:start] + new + whole[start + len(old) :]
    return wrong


def _spaced(whole: str, true: Any, pieces: list[str]) -> Iterator[str]:
    """Pieces with the operand's own blanks between them."""
    old = elements(true) or []
    if len(old) == len(pieces):
        text, at = "", 0
        for piece, new in zip(old, pieces, strict=True):
            start = whole.find(piece, at)
            text += whole[at:start] + new
            at = start + len(piece)
        yield text + whole[at:]
    yield " ".join(pieces)


def _of_replace(node: ast.Call, whole: str, wrong: str, arguments: list[Any]) -> Iterator[Proposal]:
    assert isinstance(node.func, ast.Attribute)
    old, new = arguments[:2]
    segments = whole.split(old)
    if len(segments) > 1 and len(wrong) >= sum(map(len, segments)):
        # All places have the same new text, whose length the total shows.
        length, rest = divmod(len(wrong) - sum(map(len, segments)), len(segments) - 1)
        start = len(segments[0])
        if not rest:
            yield node.args[1], wrong[start : start + length]
    text, result = "", "".join(f"{segment}{new}" for segment in segments)[: -len(new) or None]
    if len(result) == len(wrong):
        at = 0
        for number, segment in enumerate(segments):
            text += wrong[at : at + len(segment)]
            at += len(segment)
            if number < len(segments) - 1:
                text += old
                at += len(new)
        yield node.func.value, text
    start, before, after = _edit(result, wrong)
    if new and old != new:
        yield node.func.value, wrong.replace(new, old)
    if before in whole or not before:
        yield node.func.value, whole[:start] + after + whole[start + len(before) :]


def _of_join(part: ast.expr, separator: Any, wrong: Any, value: _Known) -> Iterator[Proposal]:
    true = elements(value(part))
    if not isinstance(separator, str) or not isinstance(wrong, str) or true is None:
        return
    if separator:
        yield part, like(value(part), wrong.split(separator)) if not isinstance(value(part), str) else wrong
    text = separator.join(true)
    start, old, new = _edit(text, wrong)
    at, changed = 0, list(true)
    for number, piece in enumerate(true):
        if at <= start and start + len(old) <= at + len(piece):
            changed[number] = piece[: start - at] + new + piece[start - at + len(old) :]
            yield part, like(value(part), changed)
            changed[number] = piece
        at += len(piece) + len(separator)
    if not separator and len(text) == len(wrong):
        cut = [wrong[sum(map(len, true[:n])) : sum(map(len, true[: n + 1]))] for n in range(len(true))]
        yield part, like(value(part), cut)
    elif not separator and all(len(piece) == 1 for piece in true):
        yield part, like(value(part), list(wrong))


# ---- collections


def _of_picked(part: ast.expr, whole: Any, true: Any, wrong: Any) -> Iterator[Proposal]:
    if isinstance(whole, dict):
        yield part, {key: wrong if same(item, true) else item for key, item in whole.items()}
    else:
        yield part, like(whole, [wrong if same(item, true) else item for item in whole])


def _of_view(part: ast.expr, name: str, whole: dict[Any, Any], wrong: Any) -> Iterator[Proposal]:
    items = elements(wrong)
    if items is None or len(items) != len(whole):
        return
    if name == "items":
        yield part, dict(items)
    elif name == "keys":
        yield part, dict(zip(items, whole.values(), strict=True))
    else:
        yield part, dict(zip(whole, items, strict=True))


def _of_function(node: ast.Call, true: Any, wrong: Any, value: _Known) -> Iterator[Proposal]:
    name = called(node)
    if not node.args or isinstance(node.args[0], ast.Starred):
        return
    part = node.args[0]
    if name in COLLECTS and elements(wrong) is not None:
        yield from _of_collected(part, value(part), true, list(wrong), is_reversed=name == "reversed")
    elif name in PICKS and len(node.args) == 1:
        yield from _of_picked(part, elements(value(part)) or [], true, wrong)
    elif name in PICKS:
        yield from ((argument, wrong) for argument in node.args)
    elif name in ("str", "repr") and isinstance(wrong, str):
        yield from _read(part, wrong, value)
    elif name in ("int", "float", "round", "bool", "abs", "dict"):
        operand = value(part)
        yield part, _spelled(operand, wrong) if isinstance(operand, str) else wrong
    elif name == "ord":
        yield part, chr(wrong)
    elif name == "chr":
        yield part, ord(wrong)
    elif name == "print":
        yield from _of_print(node, wrong, value)
    elif name == "enumerate":
        yield part, like(value(part), [item for _, item in wrong])
    elif name == "zip":
        columns = list(zip(*wrong, strict=True))
        yield from (
            (argument, like(value(argument), list(column))) for argument, column in zip(node.args, columns, strict=True)
        )


def _spelled(operand: str, number: Any) -> str:
    """A number as its text, with the operand's leading zeros."""
    return str(number).zfill(len(operand)) if operand.startswith("0") and len(operand) > 1 else str(number)


def _of_collected(part: ast.expr, operand: Any, true: Any, new: list[Any], *, is_reversed: bool) -> Iterator[Proposal]:
    """Elements in the operand's own order: those that changed are exchanged in their places."""
    if is_reversed:
        yield part, like(operand, new[::-1])
        return
    old = elements(operand)
    if old is None:
        return
    missing, added = Counter(map(text_of, true)), Counter(map(text_of, new))
    lost, gained = missing - added, added - missing
    if isinstance(operand, dict):
        return
    if len(lost) == len(gained) == 1:
        fresh = next(item for item in new if text_of(item) in gained)
        yield part, like(operand, [fresh if text_of(item) in lost else item for item in old])
    elif not gained:
        yield part, like(operand, [item for item in old if text_of(item) not in lost])
    yield part, like(operand, new)


def _of_print(node: ast.Call, wrong: Any, value: _Known) -> Iterator[Proposal]:
    words = {word.arg: value(word.value) for word in node.keywords}
    separator, end = words.get("sep", " "), words.get("end", "\n")
    pieces: list[_Piece] = []
    for part in node.args:
        pieces += [(None, separator), (part, formatted(value(part), ""))]
    yield from _of_fields([*pieces[1:], (None, end)], wrong, value)

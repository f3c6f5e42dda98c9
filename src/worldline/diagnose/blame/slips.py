"""Slips: the wrong results that an operation is likely to have, and how likely a given wrong result is.

A slip of an index is another element, of `strip` a text from which less was stripped, of a comparison the other truth
value. `slips` lists them, to be executed forward through the rest of the line. `cost` judges a result that the
prediction implies: `SLIP`, `LOSS` (elements lost, repeated or moved), `CORRUPTION` (content that the operation only
passes on has changed) or `INVENTION` (it picks an element, and the result is not one).
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from typing import Any

from worldline.analyze.flow.operations import COMPREHENSIONS
from worldline.diagnose.blame.builtin_calls import FAILURES, Undetermined, call_method, operate
from worldline.diagnose.blame.evaluate import LineEvaluator, Names, key_of
from worldline.diagnose.blame.plain import elements, same, text_of

SLIP, LOSS, CORRUPTION, INVENTION = 0, 1, 2, 3
CASES = ("lower", "upper", "title", "capitalize", "swapcase", "casefold")
STRIPS = ("strip", "lstrip", "rstrip", "removeprefix", "removesuffix")
SPLITS = ("split", "rsplit", "splitlines", "partition", "rpartition")
PADS = ("zfill", "ljust", "rjust", "center")
PLACES = ("find", "rfind", "index", "rindex")
COLLECTS = ("list", "tuple", "set", "frozenset", "sorted", "reversed", "deque")
PICKS = ("min", "max", "next")
MAX_SLIPS = 40  # of one operation


def called(node: ast.expr) -> str:
    """Return the name of the function or method that an expression calls; empty if it is no call."""
    if not isinstance(node, ast.Call):
        return ""
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def owner(node: ast.expr) -> ast.expr | None:
    """Return what an operation works on: a method's owner, a function's first argument, a subscript's container."""
    match node:
        case ast.Call(func=ast.Attribute(value=value)):
            return value
        case ast.Call(args=[first, *_]) if not isinstance(first, ast.Starred):
            return first
        case ast.Subscript():
            return node.value
    return None


def slips(node: ast.expr, evaluator: LineEvaluator, names: Names) -> Iterator[Any]:
    """Yield likely wrong results of an operation whose operands are right."""
    try:
        true = evaluator.value(node, names)
    except Undetermined:
        return
    count = 0
    for wrong in _slips(node, true, evaluator, names):
        if not same(wrong, true):
            yield wrong
            count += 1
            if count == MAX_SLIPS:
                return


def _slips(node: ast.expr, true: Any, evaluator: LineEvaluator, names: Names) -> Iterator[Any]:
    def value(part: ast.expr) -> Any:
        return evaluator.value(part, names)

    try:
        if isinstance(true, bool):
            yield not true
        elif isinstance(true, int) and not isinstance(node, (ast.Subscript, ast.IfExp, ast.UnaryOp)):
            yield from _numbers(node, true, value)
        match node:
            case ast.Subscript(slice=ast.Slice()):
                yield from _slices(value(node.value), key_of(node, value))
            case ast.Subscript():
                yield from _others(value(node.value))
            # Where an operation decides, its own slip is the likelier one.
            case ast.BoolOp() if all(isinstance(part, ast.Name) for part in node.values):
                yield from map(value, node.values)
            case ast.IfExp(test=ast.Name()):
                yield from (value(node.body), value(node.orelse))
            case ast.Call(func=ast.Attribute()):
                yield from _of_method(node, true, value)
            case ast.Call():
                yield from _of_function(node, true, value)
            case ast.BinOp(op=ast.Add()) if elements(true) is not None:
                left, right = value(node.left), value(node.right)
                yield from (left, right, operate("Add", right, left))
            case ast.BinOp(op=ast.Mult()) if elements(true) is not None:
                yield from _repetitions(value(node.left), value(node.right))
    except FAILURES:
        return


def _numbers(node: ast.expr, true: int, value: Any) -> Iterator[int]:
    name = called(node)
    if name in ("int", "abs", "ord", "min", "max", "get", "pop"):
        return
    yield from (true - 1, true + 1)
    if name in PLACES:
        yield -1


def _slices(container: Any, key: slice) -> Iterator[Any]:
    items = elements(container)
    if items is None or isinstance(container, (set, frozenset, dict)):
        return
    start, stop, step = key.indices(len(items))
    if step < 0:
        yield from (container, container[key.start : key.stop])
        yield from (container[::-1][a:] for a in (0, 1))
        return
    starts = sorted({max(start - 1, 0), start, start + 1, 0})
    stops = sorted({max(stop - 1, 0), stop, min(stop + 1, len(items)), len(items)})
    yield from (container[a:b:step] for a in starts for b in stops)
    if step > 1:
        yield container[start:stop]
    yield container[::-1]


def _others(container: Any) -> Iterator[Any]:
    """The other elements or values of a container."""
    items = list(container.values()) if isinstance(container, dict) else elements(container)
    yield from items or ()


def _repetitions(left: Any, right: Any) -> Iterator[Any]:
    unit, times = (left, right) if isinstance(right, int) else (right, left)
    for count in (times - 1, times + 1):
        yield operate("Mult", unit, count)


def _of_method(node: ast.Call, true: Any, value: Any) -> Iterator[Any]:
    assert isinstance(node.func, ast.Attribute)
    name, whole = node.func.attr, value(node.func.value)
    arguments = [value(part) for part in node.args]
    if name in CASES:
        yield whole
        yield from (call_method(whole, case, (), {}) for case in CASES)
    elif name in STRIPS and isinstance(whole, str):
        start = whole.find(true)
        yield from (whole[a:b] for a in range(start + 1) for b in range(len(whole), start + len(true) - 1, -1))
        yield from (call_method(whole, strip, arguments, {}) for strip in ("strip", "lstrip", "rstrip"))
    elif name in PADS:
        yield whole
    elif name in SPLITS and isinstance(whole, str):
        yield from _splits(whole, true, arguments)
    elif name == "replace" and len(arguments) == 2 and all(isinstance(part, str) for part in (whole, *arguments)):
        yield from (whole, whole.replace(arguments[0], ""), whole.replace(*arguments, 1))
    elif name == "get" and isinstance(whole, dict):
        yield from (arguments[1] if len(arguments) > 1 else None, *whole.values())
    elif name in ("pop", "popleft") and elements(whole) is not None:
        yield from _others(whole)
    elif name in ("keys", "values", "items"):
        yield from (call_method(whole, view, (), {}) for view in ("keys", "values", "items"))
    elif name == "join" and isinstance(arguments[0], (list, tuple)):
        yield from (call_method(other, "join", arguments, {}) for other in ("", " "))


def _splits(whole: str, true: Any, arguments: list[Any]) -> Iterator[Any]:
    yield [whole]
    yield whole.split()
    if isinstance(true, list):
        yield [piece for piece in true if piece]
    if not arguments:
        yield whole.split(" ")


def _of_function(node: ast.Call, true: Any, value: Any) -> Iterator[Any]:
    name = called(node)
    items = elements(value(node.args[0])) if node.args and name in (*COLLECTS, *PICKS) else None
    if name in ("sorted", "reversed", "set", "frozenset") and items is not None:
        yield items
        if name != "reversed":
            yield list(true)[::-1]
    elif name in PICKS:
        yield from items if items is not None and len(node.args) == 1 else [value(part) for part in node.args]
    elif name == "range" and isinstance(true, range):
        start, stop, step = true.start, true.stop, true.step
        yield from (range(start, stop - step, step), range(start, stop + step, step), range(start + step, stop, step))
    elif name == "round":
        yield from (int(value(node.args[0])), int(value(node.args[0])) + 1)


# ---- how likely a result is


def cost(node: ast.expr, true: Any, wrong: Any, evaluator: LineEvaluator, names: Names, *, is_explained: bool) -> int:
    """Return how unlikely a wrong result of an operation is.

    `is_explained`: a wrong operand would lead to the same result, so an operation that only combines its operands
    need not be wrong itself.
    """

    def value(part: ast.expr) -> Any:
        return evaluator.value(part, names)

    try:
        return _cost(node, true, wrong, value, CORRUPTION if is_explained else SLIP)
    except FAILURES:
        return CORRUPTION if is_explained else SLIP


def _cost(node: ast.expr, true: Any, wrong: Any, value: Any, combined: int) -> int:
    name = called(node)
    match node:
        case ast.Subscript(slice=ast.Slice()):
            return _of_pieces(true, wrong, value(node.value))
        case ast.Subscript():
            return SLIP if any(same(item, wrong) for item in _others(value(node.value))) else INVENTION
        case ast.BinOp(op=ast.Mult()) if elements(true) is not None:
            units = [part for part in (value(node.left), value(node.right)) if elements(part)]
            return SLIP if any(_repeats(unit, wrong) for unit in units) else max(LOSS, combined)
        case ast.BinOp() if isinstance(true, (int, float)):
            return SLIP
        case ast.UnaryOp(op=ast.USub()):
            return SLIP if same(wrong, -true) else combined
        case ast.List() | ast.Tuple() | ast.Dict():
            return max(INVENTION, combined)
        case ast.Compare():
            return SLIP
    if isinstance(node, COMPREHENSIONS):
        return max(LOSS, combined)
    if isinstance(node, ast.Call):
        return _of_call(node, name, true, wrong, value, combined)
    return combined


def _of_call(node: ast.Call, name: str, true: Any, wrong: Any, value: Any, combined: int) -> int:
    whole = owner(node)
    source = None if whole is None or name in ("range", "format", "print") else value(whole)
    if name in CASES and isinstance(wrong, str):
        return SLIP if wrong.casefold() == true.casefold() else CORRUPTION
    if name in STRIPS and isinstance(wrong, str) and isinstance(source, str):
        return SLIP if true in wrong and wrong in source else LOSS if wrong and wrong in true else CORRUPTION
    if name in SPLITS and isinstance(source, str):
        return _of_split(source, true, wrong, [value(part) for part in node.args])
    if name == "replace" and isinstance(wrong, str) and isinstance(source, str):
        return _of_replace(source, true, wrong, [value(part) for part in node.args])
    if name == "join":
        return _of_join(source, elements(value(node.args[0])) or [], wrong, combined)
    if name in PADS and isinstance(wrong, str):
        fill = "0" if name == "zfill" else value(node.args[1]) if len(node.args) > 1 else " "
        return SLIP if wrong.strip(fill) == true.strip(fill) else CORRUPTION
    if name in PLACES and isinstance(wrong, int):
        return SLIP if -1 <= wrong < len(source or ()) else LOSS
    if name in ("len", "count") and isinstance(wrong, int):
        return SLIP if wrong >= 0 and abs(wrong - true) <= max(1, true // 8) else LOSS
    if name in COLLECTS:
        return _of_pieces(true, wrong, source)
    if name in (*PICKS, "get", "pop", "popleft"):
        among = list(_others(source)) if len(node.args) < 2 or name == "get" else [value(part) for part in node.args]
        return SLIP if any(same(item, wrong) for item in (*among, None)) else INVENTION
    if name in ("str", "int", "float", "list", "tuple", "copy", "format", "print", "map", "repr", "dict", "abs"):
        return max(LOSS, combined)
    return SLIP if isinstance(true, (int, float)) else LOSS


def _of_pieces(true: Any, wrong: Any, source: Any) -> int:
    """A selection or a new order: a slip if it only selects, a loss if elements are lost or repeated."""
    mine, other, whole = _counted(true), _counted(wrong), _counted(source)
    if mine is None or other is None:
        return CORRUPTION
    if mine == other:
        return SLIP
    if whole is not None and not isinstance(source, (set, dict)) and _is_run(source, wrong):
        return SLIP
    return LOSS if other <= mine or (mine <= other and set(other) == set(mine)) else CORRUPTION


def _counted(value: Any) -> Counter[str] | None:
    items = elements(value)
    return None if items is None else Counter(map(text_of, items))


def _is_run(whole: Any, part: Any) -> bool:
    """Whether a sequence is a run of another one, in its order or reversed."""
    if isinstance(whole, str) and isinstance(part, str):
        return bool(part) and (part in whole or part in whole[::-1])
    items, wanted = [text_of(item) for item in elements(whole) or ()], [text_of(item) for item in elements(part) or ()]
    runs = (items[i : i + len(wanted)] for i in range(len(items) - len(wanted) + 1))
    return type(whole) is type(part) and any(run in (wanted, wanted[::-1]) for run in runs)


def _repeats(unit: Any, wrong: Any) -> bool:
    items, all_items = elements(unit) or [], elements(wrong)
    if all_items is None or not items or len(all_items) % len(items):
        return False
    return same(items * (len(all_items) // len(items)), all_items)


def _of_split(source: str, true: Any, wrong: Any, arguments: list[Any]) -> int:
    pieces = elements(wrong)
    if pieces is None or not all(isinstance(piece, str) for piece in pieces):
        return CORRUPTION
    separator = arguments[0] if arguments and isinstance(arguments[0], str) else ""
    if not separator and "" in pieces:
        return CORRUPTION

    def bare(text: str) -> str:
        return "".join((text.replace(separator, "") if separator else text).split())

    if bare("".join(pieces)) == bare(source):
        return SLIP if all(piece in source for piece in pieces) else LOSS
    mine, other = _counted(true) or Counter(), _counted(wrong) or Counter()
    return LOSS if other <= mine or (mine <= other and set(mine) == set(other)) else CORRUPTION


def _of_replace(source: str, true: str, wrong: str, arguments: list[Any]) -> int:
    if len(arguments) < 2 or not all(isinstance(part, str) for part in arguments[:2]) or not arguments[0]:
        return CORRUPTION
    old, new = arguments[:2]
    is_partial = wrong.replace(old, new) == true and old in wrong
    return SLIP if is_partial or wrong in (source, source.replace(old, "")) else CORRUPTION


def _of_join(separator: Any, pieces: list[Any], wrong: Any, combined: int) -> int:
    """A slip has all pieces in their order, with another separator between them or one more at an end."""
    if not isinstance(wrong, str) or not all(isinstance(piece, str) for piece in (separator, *pieces)):
        return CORRUPTION
    between, at = [], 0
    for piece in pieces:
        start = wrong.find(piece, at)
        if start < 0:
            return combined
        between.append(wrong[at:start])
        at = start + len(piece)
    ends = {between.pop(0) if between else "", wrong[at:]}
    is_plain = not any(character.isalnum() for text in between for character in text)
    is_other = all(text == separator or not (separator and separator in text) for text in between)
    return SLIP if is_plain and is_other and ends <= {"", separator} else combined

"""What a statement does to an object under a name: the predicted object says what the statement's operands were.

`xs.append(e)`, `xs[i] = e`, `d[k].add(e)`, `p.field = e` and the like. Everything but the element must be as it was;
then the element alone is wrong, and the operation that computed it is to blame. Otherwise the statement itself is.
"""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from worldline.diagnose.blame.builtin_calls import FAILURES, Undetermined
from worldline.diagnose.blame.evaluate import LineEvaluator
from worldline.diagnose.blame.invert import Proposal
from worldline.diagnose.blame.plain import PlainObject, elements, like, same

MAX_PLACES = 64  # of a sequence, tried for an element at another place


@dataclass(frozen=True)
class ObjectChange:
    """A change of an object under a name: `target` is the object, `operands` the method's arguments or the new value.

    `name` is the method, or `item`, `slice` or `attribute`. `old` is the element that an augmented assignment reads.
    """

    name: str
    target: ast.expr
    operands: tuple[ast.expr, ...]
    key: ast.expr | None = None
    field: str = ""
    old: ast.expr | None = None


def effect(node: ast.stmt, name: str) -> ObjectChange | None:
    """Return the change that a statement makes to the object under a name; None if it makes none of these."""
    match node:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=target, attr=method)) as call) if _base(target) == name:
            is_plain = not call.keywords and not any(isinstance(part, ast.Starred) for part in call.args)
            return ObjectChange(method, target, tuple(call.args)) if is_plain else None
        case ast.Assign(targets=[target], value=value) if _base(target) == name:
            return _assigned(target, value)
        case ast.AugAssign(target=target) if _base(target) == name and not isinstance(target, ast.Name):
            loaded = ast.copy_location(_loaded(target), target)
            value = ast.copy_location(ast.BinOp(left=loaded, op=node.op, right=node.value), node)
            change = _assigned(target, value)
            return None if change is None else replace(change, old=loaded)
    return None


def _loaded(target: ast.expr) -> ast.expr:
    fields = {field: getattr(target, field) for field in target._fields} | {"ctx": ast.Load()}
    return type(target)(**fields)


def _assigned(target: ast.expr, value: ast.expr) -> ObjectChange | None:
    if isinstance(target, ast.Attribute):
        return ObjectChange("attribute", target.value, (value,), field=target.attr)
    if not isinstance(target, ast.Subscript):
        return None
    kind = "slice" if isinstance(target.slice, ast.Slice) else "item"
    return ObjectChange(kind, target.value, (value,), key=target.slice)


def _base(node: ast.expr) -> str | None:
    while True:
        if isinstance(node, (ast.Subscript, ast.Attribute)):
            node = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "setdefault":
            node = node.func.value
        else:
            return node.id if isinstance(node, ast.Name) else None


def operand_values(change: ObjectChange, before: Any, wrong: Any, evaluator: LineEvaluator) -> list[Proposal]:
    """Return the operands with the values that give the predicted object; empty if no operand alone explains it.

    `before` is the object under the name before the statement, `wrong` the predicted one after it.
    """
    try:
        old, new = _inner(change.target, before, wrong, evaluator)
        return [*_operands(change, old, new, evaluator)]
    except FAILURES:
        return []


def _inner(target: ast.expr, before: Any, wrong: Any, evaluator: LineEvaluator) -> tuple[Any, Any]:
    """The changed object inside the one under the name, before and after; all else must be unchanged."""
    if isinstance(target, ast.Name):
        return before, wrong
    if isinstance(target, ast.Call):  # setdefault
        assert isinstance(target.func, ast.Attribute)
        old, new = _inner(target.func.value, before, wrong, evaluator)
        key = evaluator.value(target.args[0])
        default = evaluator.value(target.args[1]) if len(target.args) > 1 else None
        return _part({key: default, **old} if key not in old else old, new, key)
    if isinstance(target, ast.Attribute):
        old, new = _inner(target.value, before, wrong, evaluator)
        return _field(old, new, target.attr)
    assert isinstance(target, ast.Subscript)
    old, new = _inner(target.value, before, wrong, evaluator)
    return _part(old, new, evaluator.value(target.slice))


def _part(old: Any, new: Any, key: Any) -> tuple[Any, Any]:
    if isinstance(old, dict) and isinstance(new, dict):
        others = (dict(old), dict(new))
        inner = others[0].pop(key), others[1].pop(key)
    else:
        lists = elements(old), elements(new)
        if lists[0] is None or lists[1] is None or not isinstance(old, (list, deque)):
            raise Undetermined
        others = lists  # type: ignore[assignment]
        inner = lists[0].pop(key), lists[1].pop(key)
    if not same(*others):
        raise Undetermined
    return inner


def _field(old: Any, new: Any, name: str) -> tuple[Any, Any]:
    if not isinstance(old, PlainObject) or not isinstance(new, PlainObject) or old.name != new.name:
        raise Undetermined
    return _part(dict(old.fields), dict(new.fields), name)


def _operands(change: ObjectChange, old: Any, new: Any, evaluator: LineEvaluator) -> Iterator[Proposal]:
    match change.name:
        case "append" | "appendleft" | "add" | "extend" | "extendleft" | "insert":
            yield from _added(change, old, new, evaluator)
        case "item":
            yield from _item(change, old, new, evaluator)
        case "slice":
            yield from _slice(change, old, new, evaluator)
        case "attribute":
            fields = _fields(old), _fields(new)
            others = [{key: item for key, item in some.items() if key != change.field} for some in fields]
            if change.field in fields[1] and same(*others):
                yield change.operands[0], fields[1][change.field]
        case "update" if isinstance(old, dict) and isinstance(new, dict):
            true = evaluator.value(change.operands[0])
            if all(key in true or same(old.get(key), item) for key, item in new.items()) and old.keys() <= new.keys():
                yield change.operands[0], {key: item for key, item in new.items() if key in true or key not in old}
        case "setdefault" if isinstance(new, dict):
            yield change.operands[-1], new[evaluator.value(change.operands[0])]
        case "remove" | "discard" | "pop" if change.operands:
            yield from _removed(change, old, new)


def _fields(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, PlainObject):
        raise Undetermined
    return value.fields


def _added(change: ObjectChange, old: Any, new: Any, evaluator: LineEvaluator) -> Iterator[Proposal]:
    if isinstance(old, set):
        fresh = new - old
        if change.name == "add" and old <= new and len(fresh) == 1:
            yield change.operands[0], next(iter(fresh))
        return
    items, after = list(old), list(new)
    count = len(items)
    if change.name == "append" and same(after[:-1], items):
        yield change.operands[0], after[-1]
    elif change.name == "appendleft" and same(after[1:], items):
        yield change.operands[0], after[0]
    elif change.name == "extend" and same(after[:count], items) and not _is_appended(after[count:], change, evaluator):
        yield change.operands[0], like(evaluator.value(change.operands[0]), after[count:])
    elif change.name == "insert" and len(after) == count + 1:
        place = evaluator.value(change.operands[0])
        at = min(max(place + count if place < 0 else place, 0), count)
        if same(after[:at] + after[at + 1 :], items):
            yield change.operands[1], after[at]
        element = evaluator.value(change.operands[1])
        for other in range(min(count + 1, MAX_PLACES)):
            if same([*items[:other], element, *items[other:]], after):
                yield change.operands[0], other


def _is_appended(fresh: list[Any], change: ObjectChange, evaluator: LineEvaluator) -> bool:
    """Whether the whole operand stands in the list as one element: `extend` taken for `append`."""
    return len(fresh) == 1 and same(fresh[0], evaluator.value(change.operands[0]))


def _item(change: ObjectChange, old: Any, new: Any, evaluator: LineEvaluator) -> Iterator[Proposal]:
    assert change.key is not None
    key, value = evaluator.value(change.key), change.operands[0]
    if isinstance(old, dict) and isinstance(new, dict):
        others = [{other: item for other, item in some.items() if other != key} for some in (old, new)]
        if key in new and same(*others):
            yield value, new[key]
        yield from ((change.key, other) for other in new if same({**old, other: evaluator.value(value)}, new))
        return
    items, after = list(old), list(new)
    if len(items) != len(after):
        return
    changed = [place for place in range(len(items)) if not same(items[place], after[place])]
    if changed == [key % len(items)] and -len(items) <= key < len(items):
        yield value, after[key]
    elif len(changed) == 1 and same(after[changed[0]], evaluator.value(value)):
        yield change.key, changed[0]


def _slice(change: ObjectChange, old: Any, new: Any, evaluator: LineEvaluator) -> Iterator[Proposal]:
    assert isinstance(change.key, ast.Slice)
    if change.key.step is not None or not isinstance(old, list) or not isinstance(new, list):
        return
    bounds = [None if part is None else evaluator.value(part) for part in (change.key.lower, change.key.upper)]
    start, stop, _ = slice(*bounds).indices(len(old))
    tail = len(old) - max(stop, start)
    if (
        len(new) >= start + tail
        and same(new[:start], old[:start])
        and same(new[len(new) - tail :], old[len(old) - tail :])
    ):
        yield change.operands[0], like(evaluator.value(change.operands[0]), new[start : len(new) - tail])


def _removed(change: ObjectChange, old: Any, new: Any) -> Iterator[Proposal]:
    if isinstance(old, set):
        gone = old - new
        if new <= old and len(gone) == 1:
            yield change.operands[0], next(iter(gone))
        return
    if isinstance(old, dict):
        gone_keys = [key for key in old if key not in new]
        if len(gone_keys) == 1:
            yield change.operands[0], gone_keys[0]
        return
    items, after = list(old), list(new)
    for place in range(min(len(items), MAX_PLACES)):
        if same(items[:place] + items[place + 1 :], after):
            yield change.operands[0], place if change.name == "pop" else items[place]

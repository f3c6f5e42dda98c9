"""What a statement reads to give a name its value: the right side, an argument of a method, a loop's iterable."""

from __future__ import annotations

import ast

from worldline.diagnose.failure.evaluation import COMPREHENSIONS, COPIERS, Evaluation, called_name, own_expressions
from worldline.diagnose.failure.origin import ExpressionRead, Keys, NameRead, Read, YieldRead
from worldline.diagnose.failure.trace_index import targets_of
from worldline.diagnose.failure.value_keys import part_of


def reads_of_write(evaluation: Evaluation, name: str, keys: Keys) -> tuple[tuple[Read, ...], bool]:
    """Return what a statement reads to write a name, and whether it only copies one value."""
    node = evaluation.node
    match node:
        case None | ast.Import() | ast.ImportFrom() | ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return (), False
        case ast.AugAssign():
            older = NameRead(evaluation.frame, name, keys, evaluation.at)
            return (ExpressionRead(evaluation, node.value), older), False
        case ast.For() | ast.AsyncFor():
            return _of_loop(evaluation, node, name, keys)
        case ast.With() | ast.AsyncWith():
            return tuple(ExpressionRead(evaluation, item.context_expr) for item in node.items), False
        case ast.Assign():
            reads = [read for target in node.targets for read in _assigned(evaluation, target, node.value, name, keys)]
        case ast.AnnAssign(value=ast.expr() as value):
            reads = _assigned(evaluation, node.target, value, name, keys)
        case _:
            reads = []
    for part in ast.walk(node):
        if not reads and isinstance(part, ast.NamedExpr) and part.target.id == name:
            reads = [ExpressionRead(evaluation, part.value, keys)]
    if reads:
        is_copy = len(reads) == 1 and is_handed_on(reads[0])
        return tuple(reads), is_copy and (name in targets_of(node) or not _is_given(reads[0]))
    older = NameRead(evaluation.frame, name, keys, evaluation.at)
    return (*_arguments(evaluation, node, name), older), False


def _of_loop(
    evaluation: Evaluation, node: ast.For | ast.AsyncFor, name: str, keys: Keys
) -> tuple[tuple[Read, ...], bool]:
    """What the name of a loop gets: what a recorded generator yielded for this round, else what the iterable has."""
    index, iterable = evaluation.index, ExpressionRead(evaluation, node.iter)
    step = index.last_yield(evaluation.frame, evaluation.step, evaluation.end)
    if step is None:
        return (iterable,), False
    path = _path_in_target(node.target, name)
    bound, yielded = index.value(evaluation.frame, name, evaluation.end), index.trace[step].arg
    if path is not None and bound is not None and part_of(yielded, path) == bound:
        return (YieldRead(step, (*path, *keys)),), True
    # Something between the two, such as `enumerate` or `map`, made another value of it.
    return (YieldRead(step), iterable), False


def _path_in_target(target: ast.expr, name: str) -> Keys | None:
    """The keys of a name in the target of a loop; None if it is not a plain name there."""
    if isinstance(target, ast.Name):
        return () if target.id == name else None
    for number, item in enumerate(target.elts if isinstance(target, ast.Tuple | ast.List) else ()):
        path = None if isinstance(item, ast.Starred) else _path_in_target(item, name)
        if path is not None:
            return (f"[{number}]", *path)
    return None


def _is_given(read: Read) -> bool:
    """Whether an expression is a parameter or a loop's name: a store of it into an object is the step to look at."""
    if not isinstance(read, ExpressionRead) or not isinstance(read.node, ast.Name):
        return False
    evaluation, name = read.evaluation, read.node.id
    change = next(evaluation.index.changes(evaluation.frame, name, evaluation.at), None)
    if change is None or evaluation.index.trace[change.step].event == "call":
        return True
    index = evaluation.index
    node = index.statement(evaluation.file, index.trace.columns.line[change.step])
    is_yielded = index.last_yield(change.frame, change.step, index.after(change.frame, change.step)) is not None
    return isinstance(node, ast.For | ast.AsyncFor) and not is_yielded


def is_handed_on(read: Read) -> bool:
    """Whether an expression has a value that something else produced: a name, a part of one, a recorded call."""
    if not isinstance(read, ExpressionRead):
        return True
    node, evaluation, keys = read.node, read.evaluation, read.keys
    while isinstance(node, ast.Await | ast.NamedExpr) or _is_copier(evaluation, node):
        node = node.args[0] if isinstance(node, ast.Call) else node.value  # type: ignore[attr-defined]
    if isinstance(node, COMPREHENSIONS):
        return False
    if node in evaluation.calls or isinstance(node, ast.Name):
        return True
    if isinstance(node, ast.List | ast.Tuple | ast.Dict) and keys:
        inner = narrowed(evaluation, node, keys[0])
        return inner is not None and is_handed_on(ExpressionRead(evaluation, inner, keys[1:]))
    return isinstance(node, ast.Attribute | ast.Subscript) and evaluation.value(node) is not None


def stored_value(evaluation: Evaluation, attribute: str) -> str | None:
    """Return what a statement stores into an attribute, if it assigns it directly; None if it is not known."""
    node = evaluation.node
    if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Attribute):
        return None
    return evaluation.value(node.value) if node.targets[0].attr == attribute else None


def _is_copier(evaluation: Evaluation, node: ast.AST) -> bool:
    """Whether an expression is `list(x)` or the like, of something that is handed on."""
    is_copier = isinstance(node, ast.Call) and node not in evaluation.calls and called_name(node) in COPIERS
    return is_copier and isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords


def narrowed(evaluation: Evaluation, node: ast.List | ast.Tuple | ast.Dict, key: str) -> ast.expr | None:
    """Return the item of a display that a key names; None if it is not known."""
    if isinstance(node, ast.Dict):
        entries = reversed(list(zip(node.keys, node.values, strict=True)))
        return next((value for name, value in entries if name and f"[{evaluation.value(name)}]" == key), None)
    number = number_of(key)
    has_stars = any(isinstance(item, ast.Starred) for item in node.elts)
    return node.elts[number] if number is not None and number < len(node.elts) and not has_stars else None


def number_of(key: str) -> int | None:
    """Return the number of a key such as `[3]`; None for another key."""
    text = key[1:-1]
    return int(text) if key.startswith("[") and text.isdecimal() and len(text) < 10 else None


def _assigned(evaluation: Evaluation, target: ast.expr, value: ast.expr, name: str, keys: Keys) -> list[Read]:
    """What an assignment to a target reads, if it gives a value to the name or changes its object."""
    if isinstance(target, ast.Name):
        return [ExpressionRead(evaluation, value, keys)] if target.id == name else []
    if isinstance(target, ast.Tuple | ast.List):
        reads: list[Read] = []
        for number, item in enumerate(target.elts):
            if isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(target.elts):
                reads += _assigned(evaluation, item, value.elts[number], name, keys)
            elif _root(item) == name:
                inner = (f"[{number}]", *keys) if isinstance(item, ast.Name) else (f"[{number}]",)
                reads.append(ExpressionRead(evaluation, value, inner))
        return reads
    if _root(target) != name:
        return []
    path = _path(evaluation, target)
    if path is None or keys[: len(path)] != path:
        return [ExpressionRead(evaluation, value), *_indexes(evaluation, target)]
    return [ExpressionRead(evaluation, value, keys[len(path) :])]


def _root(node: ast.AST) -> str | None:
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Starred):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def _path(evaluation: Evaluation, node: ast.AST) -> Keys | None:
    """The keys from a name to the part that a target writes; None if an index is not known."""
    keys: list[str] = []
    while isinstance(node, ast.Attribute | ast.Subscript):
        if isinstance(node, ast.Attribute):
            keys.append("." + node.attr)
        else:
            index = evaluation.value(node.slice)
            if index is None:
                return None
            keys.append(f"[{index}]")
        node = node.value
    return tuple(reversed(keys))


def _indexes(evaluation: Evaluation, node: ast.AST) -> list[Read]:
    """The indexes of a target, which may be wrong as well as its value."""
    parts = (part for part in ast.walk(node) if isinstance(part, ast.Subscript))
    return [ExpressionRead(evaluation, part.slice) for part in parts if not isinstance(part.slice, ast.Constant)]


def _arguments(evaluation: Evaluation, node: ast.stmt, name: str) -> list[Read]:
    """What a statement reads that changes an object by a call: `xs.append(x)`, `sort(xs)`."""
    reads: list[Read] = []
    for root in own_expressions(node):
        if isinstance(root, ast.Call) and _root(root.func) == name and isinstance(root.func, ast.Attribute):
            values = [*root.args, *(keyword.value for keyword in root.keywords)]
            reads += [ExpressionRead(evaluation, value) for value in values]
        else:
            reads.append(ExpressionRead(evaluation, root))
    return reads

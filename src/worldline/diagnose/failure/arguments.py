"""Where the value of a parameter comes from: an argument of the call, a default, a fixture, or pytest itself."""

from __future__ import annotations

import ast

from worldline.diagnose.failure.bindings import is_handed_on, number_of
from worldline.diagnose.failure.evaluation import Evaluation
from worldline.diagnose.failure.origin import ExpressionRead, Keys, NameRead, Origin, Read
from worldline.diagnose.failure.trace_index import FunctionNode, NameChange, TraceIndex
from worldline.diagnose.failure.value_keys import is_mutable

GIVEN_BY_PYTEST = "given by pytest: a parameter, or a fixture that was not stepped into"
TEST_CASE = "the object of the test"
CALLED_OUTSIDE = "called by code that was not stepped into"


def origin_of_parameter(index: TraceIndex, change: NameChange, keys: Keys) -> Origin:
    """Return the origin of a parameter, whose value a frame got with its call."""
    parent = index.frames[change.frame].parent
    step = index.before(parent, change.step) if parent >= 0 else None
    if step is None:
        return _of_pytest(index, change, keys)
    function, evaluation = index.function(change.frame), Evaluation(index, step)
    call = evaluation.call_of(change.frame)
    if not isinstance(call, ast.Call) or function is None:
        return _from_outside(evaluation, call, change, keys)
    passed = _argument(index, function, call, change)
    if passed is None and not _has_default(function, change.name):
        return _passed(change, keys, step, ())
    if passed is None:
        return _default(index, change, keys)
    read = ExpressionRead(evaluation, passed, keys)
    return _passed(change, keys, step, (read,), is_copy=is_handed_on(read))


def _passed(
    change: NameChange, keys: Keys, step: int, reads: tuple[Read, ...], *, note: str = "", is_copy: bool = False
) -> Origin:
    return Origin(
        kind="passed",
        step=step,
        name=change.name,
        keys=keys,
        after=change.after,
        note=note,
        reads=reads,
        is_copy=is_copy,
    )


def _from_outside(evaluation: Evaluation, call: ast.AST | None, change: NameChange, keys: Keys) -> Origin:
    """A property, an operator, or a call by code that is not recorded: the caller's whole statement is read."""
    node = call.value if isinstance(call, ast.Attribute) else evaluation.node
    reads: tuple[Read, ...] = ()
    if isinstance(call, ast.Attribute) and node is not None:
        reads = (ExpressionRead(evaluation, node, keys),)
    elif isinstance(node, ast.Assign | ast.Return | ast.Expr | ast.AugAssign) and node.value is not None:
        reads = (ExpressionRead(evaluation, node.value),)
    note = "" if isinstance(call, ast.Attribute) else CALLED_OUTSIDE
    return _passed(change, keys, evaluation.step, reads, note=note, is_copy=isinstance(call, ast.Attribute))


def _argument(index: TraceIndex, function: FunctionNode, call: ast.Call, change: NameChange) -> ast.expr | None:
    """The expression that a call passes for a parameter; None if it passes none, or by `*` or `**`."""
    names = [part.arg for part in (*function.args.posonlyargs, *function.args.args)]
    is_method = "." in index.frames[change.frame].name.replace(".<locals>.", "\0").rpartition("\0")[2]
    is_static = any(isinstance(part, ast.Name) and part.id == "staticmethod" for part in function.decorator_list)
    if is_method and not is_static:
        if names and change.name == names[0]:
            return call.func.value if isinstance(call.func, ast.Attribute) else None
        names = names[1:]
    for keyword in call.keywords:
        if keyword.arg == change.name:
            return keyword.value
    starred = next((n for n, part in enumerate(call.args) if isinstance(part, ast.Starred)), len(call.args))
    if change.name in names and names.index(change.name) < starred:
        return call.args[names.index(change.name)]
    spread = [part.value for part in call.args if isinstance(part, ast.Starred)]
    spread += [keyword.value for keyword in call.keywords if keyword.arg is None]
    return spread[0] if spread else None


def _has_default(function: FunctionNode, name: str) -> bool:
    arguments = function.args
    plain = [part.arg for part in (*arguments.posonlyargs, *arguments.args)]
    named = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    return name in plain[len(plain) - len(arguments.defaults) :] or any(
        part.arg == name and default is not None for part, default in named
    )


def _default(index: TraceIndex, change: NameChange, keys: Keys) -> Origin:
    """A default, which an earlier call may have changed."""
    info = index.frames[change.frame]
    for other in reversed(range(change.frame)):
        same = index.frames[other]
        if not is_mutable(change.after) or (same.name, same.file) != (info.name, info.file):
            continue
        if index.value(other, change.name, change.step) == change.after:
            read = NameRead(other, change.name, keys, change.step)
            note = "the default, which an earlier call changed"
            return _passed(change, keys, change.step, (read,), note=note, is_copy=True)
    return _passed(change, keys, change.step, (), note="the default")


def _of_pytest(index: TraceIndex, change: NameChange, keys: Keys) -> Origin:
    """A parameter of a test or a fixture: what the fixture of this name returned, or `self` as `setUp` left it."""
    for other in reversed([root for root in index.roots if index.first(root) < change.step]):
        info, last = index.frames[other], index.last(other)
        if info.name.rpartition(".")[2] == change.name:
            return origin_of_result(index, other, keys, kind="fixture", until=change.step)
        is_kin = info.name.rpartition(".")[0] == index.frames[change.frame].name.rpartition(".")[0]
        if is_kin and keys and last < change.step and index.value(other, change.name, last + 1) is not None:
            return _passed(change, keys, change.step, (NameRead(other, change.name, keys, last + 1),), is_copy=True)
    is_object = change.name == "self" and "." in index.frames[change.frame].name
    return _passed(change, keys, change.step, (), note=TEST_CASE if is_object else GIVEN_BY_PYTEST)


def origin_of_result(
    index: TraceIndex, frame: int, keys: Keys, *, kind: str = "returned", until: int | None = None
) -> Origin:
    """Return the origin of what a call returned or last yielded before step `until`."""
    steps = [step for step in index.steps(frame) if until is None or step < until]
    yields = [step for step in steps if index.trace[step].event == "yield"]
    step = yields[-1] if yields else steps[-1]
    number = number_of(keys[0]) if keys and yields and kind == "returned" else None
    if number is not None and number < len(yields):
        step, keys = yields[number], keys[1:]
    return origin_of_end(index, step, keys, kind=kind)


def origin_of_end(index: TraceIndex, step: int, keys: Keys, *, kind: str = "returned") -> Origin:
    """Return the origin of what a step returned or yielded."""
    event, evaluation = index.trace[step], Evaluation(index, step)
    function = index.frames[evaluation.frame].name
    node = _given_back(evaluation, function, is_yield=event.event == "yield")
    read = None if node is None else ExpressionRead(evaluation, node, keys)
    reads = () if read is None else (read,)
    kind = "yielded" if event.event == "yield" and kind == "returned" else kind
    is_copy = read is not None and is_handed_on(read)
    return Origin(kind=kind, step=step, name=function, keys=keys, after=event.arg, reads=reads, is_copy=is_copy)


def _given_back(evaluation: Evaluation, function: str, *, is_yield: bool) -> ast.AST | None:
    """The expression whose value a step returns or yields; None if it is not known."""
    statement = evaluation.node
    if statement is None:
        return None
    if is_yield and function.endswith("<genexpr>"):
        elements = [part.elt for part in ast.walk(statement) if isinstance(part, ast.GeneratorExp)]
        return elements[0] if len(elements) == 1 else None
    if is_yield:
        return next((part.value for part in ast.walk(statement) if isinstance(part, ast.Yield)), None)
    return statement.value if isinstance(statement, ast.Return) else None

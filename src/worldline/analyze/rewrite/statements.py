"""Statements with flat expressions: a scope's body in, its body out. Nodes of the old tree are never changed.

A statement that needs nothing is the old node itself, which is how the printer knows to copy its text. Class bodies
keep their statements (a temporary there would be an attribute), their methods are flattened. Headers of definitions,
guards and patterns of `match`, later items of `with`, and handlers' types stay whole.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from worldline.analyze.rewrite import comprehensions
from worldline.analyze.rewrite.entry import NAMESPACE_WORDS
from worldline.analyze.rewrite.flatten import Flattener, changed, is_literal, sliced
from worldline.analyze.rewrite.kinds import of_scope
from worldline.analyze.rewrite.names import Facts, Fresh, FunctionNode, own, sure, temporary
from worldline.analyze.rewrite.tree import alike, walk

_FRAMED = frozenset({"vars", "dir", "id", "globals"})  # a function that asks for these is left alone


def flat_module(tree: ast.Module, facts: Facts, reserved: frozenset[str]) -> list[ast.stmt]:
    """Flatten a module's statements; top-level comprehensions bind no name in `reserved`."""
    return _scope(tree, tree.body, facts, reserved)


def _scope(scope: ast.AST, body: Sequence[ast.stmt], facts: Facts, reserved: frozenset[str]) -> list[ast.stmt]:
    used = {node.id for node in own(scope) if isinstance(node, ast.Name)}
    seen = isinstance(scope, ast.Module) and bool(facts.words & NAMESPACE_WORDS)
    if isinstance(scope, ast.AsyncFunctionDef) or used & _FRAMED or seen:
        return _Untouched(facts).block(body)
    flattener = Flattener(
        facts=facts,
        kinds=of_scope(scope, facts),
        fresh=Fresh(set(facts.words)),
        private=comprehensions.private(scope) - reserved,
        comprehend=comprehensions.looped,
    )
    return _Statements(flattener).block(body)


def function(node: ast.stmt, facts: Facts) -> ast.stmt:
    """Flatten the body of a function, or the methods of a class."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        body = _scope(node, node.body, facts, frozenset())
    elif isinstance(node, ast.ClassDef):
        body = _Untouched(facts).block(node.body)
    else:
        return node
    return node if _same(body, node.body) else changed(node, body=body)


class _Untouched:
    """Statements that stay, except for functions defined among them."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts

    def block(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        return [self.statement(statement) for statement in body]

    def statement(self, node: ast.stmt) -> ast.stmt:
        if isinstance(node, FunctionNode | ast.ClassDef):
            return function(node, self.facts)
        fields = {name: getattr(node, name) for name in ("body", "orelse", "finalbody") if hasattr(node, name)}
        blocks = {name: self.block(old) for name, old in fields.items()}
        return node if all(_same(blocks[name], fields[name]) for name in fields) else changed(node, **blocks)


class _Statements:
    """The statements of one scope."""

    def __init__(self, flattener: Flattener) -> None:
        self.flat = flattener

    def block(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        """Flatten a block's statements; every emitted line records the line it comes from."""
        flat: list[ast.stmt] = []
        for node in body:
            lines = self.flat.inside(lambda node=node: self._put(node))  # type: ignore[misc]
            for line in lines:
                _place(line, node)
            flat += lines
        return flat

    def _put(self, node: ast.stmt) -> None:
        new = self.statement(node) if self.flat.facts.is_chosen(node) else self.whole(node)
        if new is not None:
            old = not self.flat.out and (new is node or alike(new, node))
            self.flat.out.append(node if old else new)

    def statement(self, node: ast.stmt) -> ast.stmt | None:
        """Flatten a statement after the lines it needs; None if those lines replace it."""
        flat = self.flat
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                return function(node, flat.facts)
            case ast.Expr() if not isinstance(node.value, ast.Constant):
                return self._expression(node)
            case ast.Return() if node.value:
                return self._return(node, node.value)
            case ast.Assign():
                return self._assignment(node)
            case ast.AnnAssign() if node.value and isinstance(node.target, ast.Name):
                return changed(node, value=flat.simple(node.value))
            case ast.AugAssign():
                return self._augmented(node)
            case ast.If():
                test = flat.test(node.test)
                return changed(node, test=test, body=self.block(node.body), orelse=self.block(node.orelse))
            case ast.While():
                return self._while(node)
            case ast.For():
                over = flat.simple(node.iter)
                return changed(node, iter=over, body=self.block(node.body), orelse=self.block(node.orelse))
            case ast.With():
                first, *others = node.items
                item = changed(first, context_expr=flat.simple(first.context_expr))
                return changed(node, items=[item, *others], body=self.block(node.body))
            case ast.Try() | ast.TryStar():
                return self._try(node)
            case ast.Match():
                subject = flat.simple(node.subject)
                cases = [changed(case, body=self.block(case.body)) for case in node.cases]
                return changed(node, subject=subject, cases=cases)
            case ast.Raise() if node.exc:
                return self._raise(node, node.exc)
            case ast.Assert():
                return changed(node, test=flat.test(node.test))
            case ast.Delete(targets=[ast.Subscript() as target]):
                return changed(node, targets=[self._target(target)])
        return node

    def whole(self, node: ast.stmt) -> ast.stmt:
        """Keep a statement, but flatten its blocks."""
        if isinstance(node, FunctionNode | ast.ClassDef):
            return function(node, self.flat.facts)
        fields: dict[str, object] = {}
        for name, value in ast.iter_fields(node):
            if name in ("body", "orelse", "finalbody"):
                fields[name] = self.block(value)
            elif name in ("handlers", "cases"):
                fields[name] = [changed(item, body=self.block(item.body)) for item in value]
        return changed(node, **fields) if fields else node

    def _expression(self, node: ast.Expr) -> ast.stmt | None:
        value = self.flat.simple(node.value)
        # What is left of a comprehension is its result, of which nothing is done.
        return None if self.flat.out and isinstance(value, ast.Name) else changed(node, value=value)

    def _return(self, node: ast.Return, value: ast.expr) -> ast.stmt:
        if isinstance(value, ast.IfExp):
            test = self.flat.test(value.test)
            ways = [self.block([ast.copy_location(ast.Return(way), node)]) for way in (value.body, value.orelse)]
            return ast.copy_location(ast.If(test, ways[0], ways[1]), node)
        return changed(node, value=self.flat.simple(value))

    def _assignment(self, node: ast.Assign) -> ast.stmt | None:
        flat = self.flat
        only = node.targets[0] if len(node.targets) == 1 else None
        if isinstance(only, ast.Name) and isinstance(node.value, ast.IfExp):
            test = flat.test(node.value.test)
            ways = [
                self.block([ast.copy_location(ast.Assign([only], way), node)])
                for way in (node.value.body, node.value.orelse)
            ]
            return ast.copy_location(ast.If(test, ways[0], ways[1]), node)
        if all(self._is_flat(target) for target in node.targets):
            return changed(node, value=flat.simple(node.value))
        if only is not None and isinstance(only, ast.Subscript | ast.Attribute):
            value = flat.simple(node.value)
            value = value if is_literal(value) or flat.steady(value) else flat.keep(value)
            return changed(node, targets=[self._target(only)], value=value)
        if only is None and not any(isinstance(left, ast.Tuple | ast.List) for left in node.targets):
            result = flat.keep(flat.simple(node.value))
            for target in node.targets:
                flat.out.append(ast.Assign([self._target(target)], temporary(result.id)))
            return None
        return changed(node, value=flat.simple(node.value))

    def _is_flat(self, target: ast.expr) -> bool:
        """Return whether a target evaluates only atoms."""
        match target:
            case ast.Name():
                return True
            case ast.Attribute():
                return self.flat.is_atom(target.value)
            case ast.Subscript():
                if isinstance(target.slice, ast.Slice):
                    parts = [target.slice.lower, target.slice.upper, target.slice.step]
                    return self.flat.is_atom(target.value) and all(p is None or self.flat.is_atom(p) for p in parts)
                return self.flat.is_atom(target.value) and self.flat.is_atom(target.slice)
            case ast.Tuple() | ast.List():
                return all(self._is_flat(element) for element in target.elts)
            case ast.Starred():
                return self._is_flat(target.value)
        return False

    def _target(self, target: ast.expr) -> ast.expr:
        """Flatten the parts of a target."""
        if isinstance(target, ast.Attribute):
            return changed(target, value=self.flat.light(target.value))
        if isinstance(target, ast.Subscript):
            if isinstance(target.slice, ast.Slice):
                parts = [p for p in (target.slice.lower, target.slice.upper, target.slice.step) if p is not None]
                value, *bounds = self.flat.operands([target.value, *parts])
                return changed(target, value=value, slice=sliced(target.slice, bounds))
            value, index = self.flat.operands([target.value, target.slice])
            return changed(target, value=value, slice=index)
        return target

    def _augmented(self, node: ast.AugAssign) -> ast.stmt | None:
        """Flatten `x += y`: x is looked up before y is evaluated."""
        flat = self.flat
        moves = flat.moves(node.value)
        if isinstance(node.target, ast.Name):
            old = ast.Name(node.target.id, ast.Load())
            if not moves or sure(node.target):
                return changed(node, value=flat.light(node.value))
            held = flat.keep(old)
            value = flat.light(node.value)
            flat.out.append(ast.AugAssign(ast.Name(held.id, ast.Store()), node.op, value))
            return ast.Assign([node.target], temporary(held.id))
        target = self._held(node.target) if moves else self._target(node.target)
        if not moves:
            return changed(node, target=target, value=flat.light(node.value))
        loaded = changed(target, ctx=ast.Load())
        held = flat.keep(loaded)
        value = flat.light(node.value)
        flat.out.append(ast.AugAssign(ast.Name(held.id, ast.Store()), node.op, value))
        return ast.Assign([target], temporary(held.id))

    def _held(self, target: ast.expr) -> ast.expr:
        """Flatten the parts of a target so that they cannot change before it is used again."""
        flat = self.flat

        def held(part: ast.expr) -> ast.expr:
            atom = flat.atom(part)
            return atom if flat.steady(atom) else flat.keep(atom)

        if isinstance(target, ast.Attribute):
            return changed(target, value=held(target.value))
        assert isinstance(target, ast.Subscript)
        value = held(target.value)
        if isinstance(target.slice, ast.Slice):
            parts = [p for p in (target.slice.lower, target.slice.upper, target.slice.step) if p is not None]
            return changed(target, value=value, slice=sliced(target.slice, [held(part) for part in parts]))
        return changed(target, value=value, slice=held(target.slice))

    def _while(self, node: ast.While) -> ast.stmt:
        """Move a condition that needs its own lines into the loop, so that each iteration evaluates it."""
        test: list[ast.expr] = []
        count = self.flat.fresh.count
        lines = self.flat.inside(lambda: test.append(self.flat.test(node.test)))
        if not lines:
            return changed(node, test=test[0], body=self.block(node.body), orelse=self.block(node.orelse))
        # An `else` is moved into the loop only for a condition of several operations.
        if _leaves(node.orelse) or (node.orelse and len(lines) == 1):
            self.flat.fresh.count = count
            return changed(node, body=self.block(node.body), orelse=self.block(node.orelse))
        ends = ast.UnaryOp(ast.Not(), test[0])
        out: ast.stmt = ast.Break()
        if node.orelse:  # the loop is left from there, and not from its head
            out = ast.copy_location(out, node.orelse[-1])
        leave = ast.If(ends, [*self.block(node.orelse), out], [])
        return changed(node, test=ast.Constant(True), body=[*lines, leave, *self.block(node.body)], orelse=[])

    def _try(self, node: ast.Try | ast.TryStar) -> ast.stmt:
        handlers = [changed(handler, body=self.block(handler.body)) for handler in node.handlers]
        parts = {name: self.block(getattr(node, name)) for name in ("body", "orelse", "finalbody")}
        return changed(node, handlers=handlers, **parts)

    def _raise(self, node: ast.Raise, exc: ast.expr) -> ast.stmt:
        if node.cause is None:
            return changed(node, exc=self.flat.simple(exc))
        if self.flat.moves(node.cause):
            exc, cause = self.flat.operands([exc, node.cause])
            return changed(node, exc=exc, cause=cause)
        return changed(node, exc=self.flat.simple(exc))


def _leaves(body: Sequence[ast.stmt]) -> bool:
    """Return whether a block has a `break` or `continue` of an enclosing loop."""
    for node in body:
        if isinstance(node, ast.Break | ast.Continue):
            return True
        if isinstance(node, ast.For | ast.While | ast.AsyncFor):
            if _leaves(node.orelse):
                return True
        elif not isinstance(node, FunctionNode | ast.ClassDef):
            blocks = [getattr(node, name, []) for name in ("body", "orelse", "finalbody")]
            blocks += [clause.body for clause in (*getattr(node, "handlers", ()), *getattr(node, "cases", ()))]
            if any(_leaves(block) for block in blocks):
                return True
    return False


def _same(new: Sequence[ast.stmt], old: Sequence[ast.stmt]) -> bool:
    return len(new) == len(old) and all(a is b for a, b in zip(new, old, strict=True))


def _place(line: ast.stmt, node: ast.stmt) -> None:
    """Record the old statement that a new statement and its parts come from."""
    for part in walk(line):
        if isinstance(part, ast.stmt) and not hasattr(part, "lineno"):
            ast.copy_location(part, node)

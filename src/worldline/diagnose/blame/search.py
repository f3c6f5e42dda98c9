"""Which operation of an expression is to blame for a wrong value: the search over its sub-expressions.

For every operation the search asks whether a wrong result of it, with everything after it executed right, gives the
predicted value. Wrong results come from two sides: the slips that the operation is likely to make are executed forward,
and the predicted value is inverted operation by operation, each step checked by execution. Of all explanations the
likeliest wins (`slips.cost`).
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from worldline.analyze.flow.operations import COMPREHENSIONS, METHODS, operation_name
from worldline.core.value import kind
from worldline.diagnose.blame.builtin_calls import FUNCTIONS, Undetermined
from worldline.diagnose.blame.evaluate import LineEvaluator, Names, in_order
from worldline.diagnose.blame.invert import proposals
from worldline.diagnose.blame.plain import OpaqueValue, elements, same, text_of
from worldline.diagnose.blame.slips import COLLECTS, CORRUPTION, PICKS, SLIP, called, cost, owner, slips

MAX_ROUNDS = 12  # rounds of a comprehension whose filter is tried
_IDLE = (ast.Name, ast.Constant, ast.Lambda, ast.Starred, ast.FormattedValue)


@dataclass(frozen=True)
class Suspect:
    """An operation that explains the predicted value: its true result, the wrong one, and how unlikely that is.

    `is_alone`: no other operation of this name on the line explains the value as well.
    """

    node: ast.expr
    name: str
    true: Any
    wrong: Any
    cost: int
    is_alone: bool = True


class Search:
    """Looks for the suspects of one line.

    Args:
        evaluator: Executes its expressions.
        own: Names that the program defines: calls of them are shown in the trace, so their results are right.
        are_loops_shown: Whether the trace shows the rounds of comprehensions, so that their results are right.
    """

    def __init__(self, evaluator: LineEvaluator, own: Collection[str], *, are_loops_shown: bool) -> None:
        self.evaluator, self.own, self.are_loops_shown = evaluator, own, are_loops_shown
        self.right: set[int] = set()  # nodes whose results are known to be right

    def suspects(self, root: ast.expr, wrong: Any, names: Names | None = None) -> list[Suspect]:
        """Return the operations that explain a wrong value of an expression, each with its likeliest wrong result."""
        scope = self.evaluator.names if names is None else names
        best: dict[int, Suspect] = {}
        for suspect in self._suspects(root, wrong, scope):
            known = best.get(id(suspect.node))
            if known is None or suspect.cost < known.cost:
                best[id(suspect.node)] = suspect
        return list(best.values())

    def _suspects(self, node: ast.expr, wrong: Any, names: Names) -> Iterator[Suspect]:
        if self._is_right(node):
            return
        try:
            true = self.evaluator.value(node, names)
        except Undetermined:
            return
        if same(true, wrong):
            return
        inner = [*self._slipped(node, wrong, names), *self._inverted(node, wrong, names)]
        yield from inner
        if isinstance(node, _IDLE):
            return
        judged = cost(node, true, wrong, self.evaluator, names, is_explained=bool(inner))
        if judged >= CORRUPTION and not inner:
            yield from self._carried(node, wrong, names)
        yield Suspect(node, operation_name(node, kind(text_of(true))), true, wrong, judged)

    def _carried(self, node: ast.expr, content: Any, names: Names) -> Iterator[Suspect]:
        """The operation before one that only passes content on: the predicted content is not in its true result."""
        part = owner(node)
        is_carrier = isinstance(node, ast.Subscript) or called(node) in (*COLLECTS, *PICKS, "pop", "popleft", "get")
        if part is None or not is_carrier or isinstance(part, _IDLE) or self._is_right(part):
            return
        try:
            true = self.evaluator.value(part, names)
        except Undetermined:
            return
        new = [
            item
            for item in elements(content) or ()
            if not isinstance(content, str) and item not in (elements(true) or ())
        ]
        wrong = OpaqueValue(f"a value that contains {text_of(new[0] if new else content)}")
        yield from self._carried(part, content, names)
        yield Suspect(part, operation_name(part, kind(text_of(true))), true, wrong, CORRUPTION)

    def _is_right(self, node: ast.expr) -> bool:
        """Whether the trace shows the result, which is right: the first divergence comes after it."""
        if isinstance(node, COMPREHENSIONS) or id(node) in self.right:
            return self.are_loops_shown or id(node) in self.right
        return isinstance(node, ast.Call) and called(node) in self.own and called(node) not in METHODS

    def _slipped(self, root: ast.expr, wrong: Any, names: Names) -> Iterator[Suspect]:
        """Operations inside the expression of which a slip, executed forward, gives the wrong value."""
        for node in self._inside(root):
            if node is root or isinstance(node, _IDLE):
                continue
            for slip in slips(node, self.evaluator, names):
                try:
                    outcome = self.evaluator.run(root, {id(node): slip}, names)
                except Undetermined:
                    continue
                if same(outcome, wrong):
                    true = self.evaluator.value(node, names)
                    yield Suspect(node, operation_name(node, kind(text_of(true))), true, slip, SLIP)
                    break

    def _inside(self, node: ast.expr) -> Iterator[ast.expr]:
        """The operations of a line itself, in evaluation order: not those of its loops, functions and known results."""
        if isinstance(node, ast.Lambda) or self._is_right(node):
            return
        if isinstance(node, COMPREHENSIONS):
            yield from self._inside(node.generators[0].iter)
        elif isinstance(node, ast.IfExp):
            for part in (node.test, node.body, node.orelse):
                yield from self._inside(part)
        else:
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.expr):
                    yield from self._inside(child)
                elif isinstance(child, ast.keyword):
                    yield from self._inside(child.value)
        yield node

    def _inverted(self, node: ast.expr, wrong: Any, names: Names) -> Iterator[Suspect]:
        if isinstance(node, COMPREHENSIONS):
            yield from self._in_rounds(node, wrong, names)
            return
        if called(node) == "map" and isinstance(node, ast.Call):
            yield from self._mapped(node, wrong, names)
        for part, value in proposals(node, wrong, self.evaluator, names):
            try:
                is_checked = same(self.evaluator.run(node, {id(part): value}, names), wrong)
            except Undetermined:
                continue
            if is_checked and isinstance(part, (ast.Name, ast.Constant)) and _only_shows(node):
                true = self.evaluator.value(part, names)
                yield Suspect(part, operation_name(part), true, value, CORRUPTION)
            elif is_checked:
                yield from self._suspects(part, value, names)

    # ---- loops inside an expression

    def _in_rounds(self, node: ast.expr, wrong: Any, names: Names) -> Iterator[Suspect]:
        """A comprehension: the round whose element is wrong, a filter that decides wrong, or the iterable."""
        try:
            rounds = self.evaluator.rounds(node, names)
            true = self.evaluator.value(node, names)
        except Undetermined:
            return
        pairs = _element_pairs(self.evaluator, node, rounds, true, wrong)
        for part, scope, element in pairs:
            yield from self._suspects(part, element, scope)
            break
        if not pairs:
            yield from self._filtered(node, wrong, names)
        generator = node.generators[0]  # type: ignore[attr-defined]
        for items in self._iterables(node, pairs, names):
            try:
                is_checked = same(self.evaluator.run(node, {id(generator.iter): items}, names), wrong)
            except Undetermined:
                continue
            if is_checked:
                yield from self._suspects(generator.iter, items, names)

    def _iterables(self, node: ast.expr, pairs: Sequence[tuple[ast.expr, Names, Any]], names: Names) -> Iterator[Any]:
        """Iterables with one element exchanged: what the loop's variable would have to be."""
        generator = node.generators[0]  # type: ignore[attr-defined]
        target = generator.target
        if not pairs or not isinstance(target, ast.Name):
            return
        part, scope, element = pairs[0]
        items = elements(self.evaluator.value(generator.iter, names)) or []
        for name_node in ast.walk(part):
            if isinstance(name_node, ast.Name) and name_node.id == target.id:
                for value in self._preimages(part, name_node, element, scope):
                    yield [value if same(item, scope[target.id]) else item for item in items]

    def _preimages(self, node: ast.expr, leaf: ast.Name, wrong: Any, names: Names) -> Iterator[Any]:
        """Values of a name for which an expression has a given result."""
        if node is leaf:
            yield wrong
            return
        for part, value in proposals(node, wrong, self.evaluator, names):
            if any(inner is leaf for inner in ast.walk(part)):
                yield from self._preimages(part, leaf, value, names)

    def _filtered(self, node: ast.expr, wrong: Any, names: Names) -> Iterator[Suspect]:
        """Filters that decide wrong in one round."""
        generators: list[ast.comprehension] = node.generators  # type: ignore[attr-defined]
        if len(generators) != 1 or not generators[0].ifs or isinstance(node, ast.DictComp):
            return
        items = elements(wrong)
        every = self.evaluator.rounds(node, names, is_filtered=False)
        if items is None or len(every) > MAX_ROUNDS:
            return
        assert isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp))
        for scope in every:
            tests = [bool(self.evaluator.value(test, scope)) for test in generators[0].ifs]
            taken = [
                self.evaluator.value(node.elt, own)
                for own in every
                if all(self.evaluator.value(test, own) for test in generators[0].ifs) is not (own is scope)
            ]
            if same(taken, items):
                at = tests.index(False) if False in tests else 0
                yield from self._suspects(generators[0].ifs[at], not tests[at], scope)
                return

    def _mapped(self, node: ast.Call, wrong: Any, names: Names) -> Iterator[Suspect]:
        """`map` with a method or built-in function: the function is to blame for an element."""
        items = elements(wrong)
        try:
            true = self.evaluator.value(node, names)
        except Undetermined:
            return
        act, iterable = node.args[0], node.args[-1]
        if items is None or len(items) != len(true) or len(node.args) != 2:
            return
        at = next((n for n, (old, new) in enumerate(zip(true, items, strict=True)) if not same(old, new)), None)
        operands = elements(self.evaluator.value(iterable, names))
        if at is None or operands is None:
            return
        if isinstance(act, ast.Lambda) and len(act.args.args) == 1:
            yield from self._suspects(act.body, items[at], {**names, act.args.args[0].arg: operands[at]})
            return
        leaf = ast.Name(id="_", ctx=ast.Load())
        scope = {**names, "_": operands[at]}
        call = _applied(act, leaf)
        if call is None:
            return
        judged = cost(call, true[at], items[at], self.evaluator, scope, is_explained=False)
        yield Suspect(act, operation_name(call, kind(text_of(true[at]))), true[at], items[at], judged)
        for value in self._preimages(call, leaf, items[at], scope):
            changed = [value if number == at else item for number, item in enumerate(operands)]
            yield from self._suspects(iterable, changed, names)


def _only_shows(node: ast.expr) -> bool:
    """Whether an expression only shows its operands, so that a wrong one was copied wrong."""
    return isinstance(node, (ast.List, ast.Tuple, ast.Dict, ast.Set)) or called(node) == "print"


def _applied(act: ast.expr, leaf: ast.Name) -> ast.Call | None:
    """The call of a function by its name, or of an unbound method, on a name."""
    if isinstance(act, ast.Attribute):
        return ast.Call(func=ast.Attribute(value=leaf, attr=act.attr, ctx=ast.Load()), args=[], keywords=[])
    is_known = isinstance(act, ast.Name) and act.id in FUNCTIONS
    return ast.Call(func=act, args=[leaf], keywords=[]) if is_known else None


def _element_pairs(
    evaluator: LineEvaluator, node: ast.expr, rounds: Sequence[Names], true: Any, wrong: Any
) -> list[tuple[ast.expr, Names, Any]]:
    """The rounds of a comprehension whose element differs: the expression, the round's names, the predicted element."""
    if isinstance(node, ast.DictComp):
        if not isinstance(wrong, dict) or len(wrong) != len(true):
            return []
        last = {text_of(evaluator.value(node.key, scope)): scope for scope in rounds}
        pairs: list[tuple[ast.expr, Names, Any]] = []
        for (key, item), (new_key, new_item) in zip(true.items(), wrong.items(), strict=True):
            scope = last[text_of(key)]
            pairs += [(node.key, scope, new_key)] if not same(key, new_key) else []
            pairs += [(node.value, scope, new_item)] if not same(item, new_item) else []
        return pairs
    items = elements(wrong)
    if items is None or len(items) != len(rounds) or isinstance(node, ast.SetComp):
        return []
    assert isinstance(node, (ast.ListComp, ast.GeneratorExp))
    zipped = zip(rounds, true, items, strict=True)
    return [(node.elt, scope, new) for scope, old, new in zipped if not same(old, new)]


def likeliest(suspects: Sequence[Suspect], root: ast.AST) -> list[Suspect]:
    """Return the likeliest suspects in evaluation order; of corruptions the earliest alone.

    Several of one name are one suspect: the earliest.
    """
    if not suspects:
        return []
    order = {id(node): number for number, node in enumerate(in_order(root))}
    ranked = sorted(suspects, key=lambda suspect: order.get(id(suspect.node), len(order)))
    least = min(suspect.cost for suspect in ranked)
    fitting = [suspect for suspect in ranked if suspect.cost == least]
    if least >= CORRUPTION:
        return fitting[:1]
    names: dict[str, Suspect] = {}
    for suspect in fitting:
        first = names.setdefault(suspect.name, suspect)
        names[suspect.name] = replace(first, is_alone=first is suspect)
    return list(names.values())

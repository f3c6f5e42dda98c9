"""The operation that is to blame for a wrong value of a line, found by executing the line with wrong results.

The statement says which expressions the value comes from; `search` finds the operations in them that explain the
predicted value. If the line's values cannot be determined, nothing is claimed.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from worldline.analyze.flow.operations import (
    COMPREHENSIONS,
    Operation,
    expression,
    of_expression,
    of_name,
    own_nodes,
    statements,
)
from worldline.analyze.rewrite.fold import ITERATED
from worldline.codec.reading import Event
from worldline.core.program import Program
from worldline.diagnose.blame.builtin_calls import FAILURES, Undetermined
from worldline.diagnose.blame.effects import ObjectChange, effect, operand_values
from worldline.diagnose.blame.evaluate import LineEvaluator, bound, in_order, module_names
from worldline.diagnose.blame.plain import OpaqueValue, elements, plain, same, text_of
from worldline.diagnose.blame.search import Search, Suspect, likeliest
from worldline.diagnose.blame.slips import CORRUPTION, SLIP
from worldline.diagnose.blame.terms import Rerun, ValueOrigin, line_step, recorded_values
from worldline.diagnose.history import names_before


@dataclass(frozen=True)
class Culprit:
    """An operation that explains a wrong value: its true result, and the result that the prediction implies.

    `is_alone`: no other operation of this name on the line explains the value as well. `loop` is the comprehension that
    the value belongs to.
    """

    operation: Operation
    true: str
    wrong: str
    is_alone: bool = True
    loop: str = ""


def culprits(
    program: Program, events: Sequence[Event], place: ValueOrigin, wanted: str, got: str, record: Rerun | None
) -> list[Culprit]:
    """Return the operations that explain a wrong value best, in evaluation order.

    Returns:
        One operation; several if the value does not tell them apart; none if nothing is known of the line.
    """
    line = _Line(program, events, place)
    if line.node is None:
        return []
    suspects = line.suspects(wanted, got, {})
    if suspects is None and record is not None:
        recorded = recorded_values(program, events, place.step, record)
        suspects = line.suspects(wanted, got, recorded) if recorded else None
    best = likeliest(suspects or [], line.node)
    return [
        Culprit(line.operation(suspect), text_of(suspect.true), text_of(suspect.wrong), suspect.is_alone, line.root)
        for suspect in best
    ]


class _Line:
    """The statement that a value comes from, with the values of its names."""

    def __init__(self, program: Program, events: Sequence[Event], place: ValueOrigin) -> None:
        self.events, self.place = events, place
        event = events[place.step]
        self.source = program.source if event.file is None else dict(program.files).get(event.file, "")
        self.at = line_step(events, place.step)
        line = event.line if self.at is None else events[self.at].line
        nodes = statements(self.source, line)
        self.node = nodes[-1] if nodes else None
        self.loops = self._loops(event)
        self.constants, self.defined = module_names(self.source)
        self.texts: dict[int, str] = {}
        self.root = ""

    def operation(self, suspect: Suspect) -> Operation:
        return Operation(
            suspect.name, self.texts.get(id(suspect.node)) or of_expression(self.source, suspect.node).text
        )

    # ---- names

    def _loops(self, event: Event) -> list[ast.expr]:
        """The comprehensions whose own frame the event may belong to, the likeliest first."""
        opened = [
            (number, other)
            for number, other in enumerate(self.events[: self.place.step + 1])
            if other.event == "call" and ITERATED in other.values
        ]
        calls = [(number, other) for number, other in opened if other.frame == event.frame]
        if not calls or self.node is None:
            return []
        first, call = calls[0]
        begun = _last(self.events, first, call.parent)
        turn = sum(begun < number < first and other.parent == call.parent for number, other in opened)
        inner: list[ast.expr] = [part for part in in_order(self.node) if isinstance(part, COMPREHENSIONS)]
        outer = [part for part in inner if not any(part in ast.walk(other) for other in inner if other is not part)]
        return outer[turn:] + outer[:turn]

    def names(self, recorded: Mapping[str, str]) -> dict[str, str]:
        """The values of the names before the statement: of its frame and, in a comprehension, of the one around it."""
        at = self.place.step if self.at is None else self.at
        event = self.events[at]
        own = dict(event.values) if event.whole else dict(names_before(self.events, at))
        if self.place.name is None and not event.whole and self.loops:
            own |= event.values
        if not self.loops:
            return own
        parent = next(e.parent for e in self.events if e.frame == event.frame and e.event == "call")
        return {**self._names_of(parent, at), **own}

    def _names_of(self, frame: int, until: int) -> dict[str, str]:
        at = _last(self.events, until, frame)
        event = self.events[at] if at >= 0 else None
        if event is None:
            return {}
        return {**names_before(self.events, at), **event.values}

    @property
    def _are_loops_shown(self) -> bool:
        """Whether the trace shows the rounds of the statement's comprehensions before the value."""
        start, frame = self.place.step, self.events[self.place.step].frame
        begun = start if self.at is None else self.at
        rounds = (e for e in self.events[begun:] if e.event == "call" and e.parent == frame)
        return any(ITERATED in event.values for event in rounds)

    # ---- suspects

    def suspects(self, wanted: str, got: str, recorded: Mapping[str, str]) -> list[Suspect] | None:
        """Return the suspects; None if the true values of the line are not known."""
        true, wrong = plain(wanted), plain(got)
        if isinstance(true, OpaqueValue) or isinstance(wrong, OpaqueValue) or self.node is None:
            return None
        names: dict[str, Any] = dict(self.constants)
        for name, text in self.names(recorded).items():
            value = plain(text)
            names |= {} if isinstance(value, OpaqueValue) else {name: value}
        own = self.defined - names.keys()
        evaluator = LineEvaluator(names, recorded, frozenset(own))
        search = Search(evaluator, own, are_loops_shown=not self.loops and self._are_loops_shown)
        try:
            return self._found(true, wrong, evaluator, search)
        except FAILURES:
            return None

    def _found(self, true: Any, wrong: Any, evaluator: LineEvaluator, search: Search) -> list[Suspect]:
        node, name = self.node, self.place.name
        assert node is not None
        if self.loops:
            return self._in_loops(true, wrong, evaluator)
        root = self._root(node)
        if root is not None:
            if not same(evaluator.value(root), true):
                raise Undetermined
            return search.suspects(root, wrong)
        if name is None:
            raise Undetermined
        change = effect(node, name)
        if change is not None:
            return self._changed(change, (true, wrong), evaluator, search)
        if isinstance(node, ast.For):
            return self._iterated(node.target, node.iter, (true, wrong), (evaluator, search))
        if isinstance(node, ast.Assign):
            return self._unpacked(node, (true, wrong), (evaluator, search))
        raise Undetermined

    def _root(self, node: ast.stmt) -> ast.expr | None:
        if self.place.event == "output":
            prints = (part for part in own_nodes(node) if isinstance(part, ast.Call) and _is_print(part))
            return next(prints, None)
        return expression(node, self.place.name, self.place.event, self.place.called)

    def _in_loops(self, true: Any, wrong: Any, evaluator: LineEvaluator) -> list[Suspect]:
        for loop in self.loops:
            try:
                suspects = self._in_loop(loop, true, wrong, evaluator)
            except Undetermined:
                continue
            self.root = of_expression(self.source, loop).text
            return suspects
        raise Undetermined

    def _in_loop(self, loop: ast.expr, true: Any, wrong: Any, evaluator: LineEvaluator) -> list[Suspect]:
        """A value in the frame of a comprehension: what it returns, an element, or its variable.

        The iterable is right: the trace has shown the elements.
        """
        search = Search(evaluator, self.defined, are_loops_shown=False)
        if self.place.name is None and self.place.event == "return":
            if isinstance(loop, ast.GeneratorExp) or not same(evaluator.value(loop), true):
                raise Undetermined
            first = loop.generators[0].iter  # type: ignore[attr-defined]
            inside = {id(part) for part in ast.walk(first)}
            return [suspect for suspect in search.suspects(loop, wrong) if id(suspect.node) not in inside]
        if self.place.name is None and isinstance(loop, ast.GeneratorExp):
            if not same(evaluator.value(loop.elt), true):
                raise Undetermined
            return search.suspects(loop.elt, wrong)
        generator = loop.generators[0]  # type: ignore[attr-defined]
        return self._iterated(generator.target, generator.iter, (true, wrong), (evaluator, search))

    def _changed(
        self, change: ObjectChange, values: tuple[Any, Any], evaluator: LineEvaluator, search: Search
    ) -> list[Suspect]:
        """A change of an object: its operands, or the change itself."""
        true, wrong = values
        name = self.place.name or ""
        before = evaluator.names.get(name)
        if before is None:
            raise Undetermined
        right = {id(part): value for part, value in operand_values(change, before, true, evaluator)}
        suspects: list[Suspect] = []
        search.right.add(id(change.old))
        is_element = False
        for part, value in operand_values(change, before, wrong, evaluator):
            if id(part) in right and not same(evaluator.value(part), right[id(part)]):
                raise Undetermined
            inner = search.suspects(part, value)
            is_place = part is _place(change) or (part is change.key and not _is_new_key(value, before, wrong))
            is_element |= bool(inner) and not is_place
            suspects += inner
        outer = of_name(self.source, self.events[self.place.step if self.at is None else self.at].line, name)
        self.texts[id(change.target)] = outer.text
        judged = CORRUPTION if is_element else SLIP
        return [*suspects, Suspect(change.target, outer.name, true, wrong, judged)]

    def _iterated(
        self, target: ast.expr, iterable: ast.expr, values: tuple[Any, Any], tools: tuple[LineEvaluator, Search]
    ) -> list[Suspect]:
        """The variable of a loop: the loop is to blame for another element, the iterable for any other value."""
        (true, wrong), (evaluator, search), name = values, tools, self.place.name or ""
        whole = evaluator.value(iterable)
        items = elements(whole)
        at = next((n for n, item in enumerate(items or ()) if same(_bound(target, item, name), true)), None)
        if items is None or at is None:
            raise Undetermined
        self.texts[id(target)] = f"{ast.unparse(target)} in {of_expression(self.source, iterable).text}"
        if any(same(_bound(target, item, name), wrong) for item in items):
            return [Suspect(target, "iteration", true, wrong, SLIP)]
        changed = [*items[:at], _rebound(target, items[at], name, wrong), *items[at + 1 :]]
        suspects = search.suspects(iterable, list(changed) if not isinstance(whole, tuple) else tuple(changed))
        return [*suspects, Suspect(target, "iteration", true, wrong, CORRUPTION if suspects else SLIP)]

    def _unpacked(
        self, node: ast.Assign, values: tuple[Any, Any], tools: tuple[LineEvaluator, Search]
    ) -> list[Suspect]:
        """A name that an unpacking sets: it is to blame for another element, the value for anything else."""
        (true, wrong), (evaluator, search), name = values, tools, self.place.name or ""
        target, whole = node.targets[0], evaluator.value(node.value)
        if not same(_bound(target, whole, name), true):
            raise Undetermined
        self.texts[id(target)] = " ".join((ast.get_source_segment(self.source, node) or "").split())
        if any(same(item, wrong) for item in elements(whole) or ()):
            return [Suspect(target, "unpacking", true, wrong, SLIP)]
        suspects = search.suspects(node.value, _rebound(target, whole, name, wrong))
        return [*suspects, Suspect(target, "unpacking", true, wrong, CORRUPTION if suspects else SLIP)]


def _last(events: Sequence[Event], until: int, frame: int) -> int:
    return next((n for n in range(min(until, len(events)) - 1, -1, -1) if events[n].frame == frame), -1)


def _is_print(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Name) and node.func.id == "print"


def _place(change: ObjectChange) -> ast.expr | None:
    """The operand that says where the change happens."""
    return change.operands[0] if change.name in ("insert", "pop") and change.operands else None


def _is_new_key(key: Any, before: Any, wrong: Any) -> bool:
    """Whether a predicted key is new to the dict: no assignment invents one."""
    return isinstance(before, dict) and isinstance(wrong, dict) and key in wrong and key not in before


def _bound(target: ast.expr, value: Any, name: str) -> Any:
    try:
        return bound(target, value).get(name)
    except Undetermined:
        return None


def _rebound(target: ast.expr, value: Any, name: str, new: Any) -> Any:
    """The value that gives a name of the target another value."""
    if isinstance(target, ast.Name):
        return new if target.id == name else value
    parts = elements(value) or []
    assert isinstance(target, (ast.Tuple, ast.List))
    changed = [_rebound(element, part, name, new) for element, part in zip(target.elts, parts, strict=True)]
    return tuple(changed) if isinstance(value, tuple) else changed

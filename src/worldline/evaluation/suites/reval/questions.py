"""What a trace says about a line: whether it is executed, what follows it, and what a name holds after it.

As in REval's own evaluation, an execution is the sequence of its lines, with consecutive repetitions of one line as one
visit. A visit holds the locals before its line, so that the state after a line is that of the next visit, in whichever
function that is. A line that is not executed has no next line and no values.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise, product

from worldline.codec.answer import same_answer
from worldline.codec.reading import Event
from worldline.core.events import CHANGELESS
from worldline.core.value import Malformed, Value, canonical, parse, text, unquote

NO_LINE = -1  # after the last line, and of a line that is not executed
FLOAT_TOLERANCE = 1e-6
_HIDDEN = re.compile(r"<(?:function|builtin|module|generator|enumerate|zip|map|filter|reversed|\w*iterator)\b")


@dataclass(frozen=True)
class LineQuestion:
    """A line of a program, and a name or expression such as `self.total[key]` whose value after it is asked for."""

    line: int
    expression: str


@dataclass(frozen=True)
class Visit:
    """One visit of a line, with the locals before it."""

    line: int
    names: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ExecutedLines:
    """The visits of an execution, in order."""

    visits: tuple[Visit, ...]

    def executes(self, line: int) -> bool:
        """Return whether a line is executed."""
        return any(visit.line == line for visit in self.visits)

    def next_lines(self, line: int) -> list[int]:
        """Return the line after each visit of a line; `NO_LINE` at the end, and if there is no visit."""
        steps = pairwise([*(visit.line for visit in self.visits), NO_LINE])
        return [after for at, after in steps if at == line] or [NO_LINE]

    def values(self, question: LineQuestion) -> list[Value]:
        """Return the values of an expression after each visit of its line; none if it has no value there."""
        last = len(self.visits) - 1
        after = [self.visits[min(at + 1, last)] for at, visit in enumerate(self.visits) if visit.line == question.line]
        return _evaluated(ast.parse(question.expression, mode="eval").body, after) if after else []


def executed_lines(events: Iterable[Event], last_line: int) -> ExecutedLines:
    """Return the visits of lines up to `last_line`; later lines belong to a test.

    Args:
        events: The events of a recording or a prediction, in either notation.
        last_line: The last line of the source that is asked about.
    """
    visits = list[Visit]()
    names, pending = dict[int, dict[str, str]](), dict[int, Event]()
    for event in events:
        if event.event in CHANGELESS:
            continue
        own = names.setdefault(event.frame, {})
        if (before := pending.pop(event.frame, None)) is not None:
            _apply(own, before)
        if event.event == "call" or event.whole:
            own.clear()
            own.update(event.values)
        else:
            pending[event.frame] = event
        if event.line is None or event.line > last_line or event.file is not None:
            continue
        if event.event == "line":
            _visit(visits, Visit(event.line, dict(own)))
        elif event.event not in ("call", "resume") and (not visits or visits[-1].line != event.line):
            visits.append(Visit(event.line))
    return ExecutedLines(tuple(visits))


def _apply(names: dict[str, str], event: Event) -> None:
    for name in event.gone:
        names.pop(name, None)
    names.update(event.values)


def _visit(visits: list[Visit], visit: Visit) -> None:
    """Add a visit; one of the newest line replaces its locals."""
    if visits and visits[-1].line == visit.line:
        visits[-1] = replace(visits[-1], names=visit.names)
    else:
        visits.append(visit)


def is_same_state(answer: Sequence[Value], actual: Sequence[Value]) -> bool:
    """Return whether the first of the predicted values is one of the true ones, or neither trace has a value."""
    if not answer or not actual:
        return not answer and not actual
    return any(_is_same(answer[0], value) for value in actual)


def _is_same(left: Value, right: Value) -> bool:
    numbers = _float(left), _float(right)
    if numbers[0] is not None and numbers[1] is not None and abs(numbers[0] - numbers[1]) < FLOAT_TOLERANCE:
        return True
    return same_answer(text(left), text(right))


def _float(value: Value) -> float | None:
    try:
        return float(value.atom) if value.kind == "float" else None
    except ValueError:  # a nan with unusual bits
        return None


def _evaluated(node: ast.expr, after: Sequence[Visit]) -> list[Value]:
    """The values of an expression, over all visits; nothing for an expression that REval does not evaluate."""
    if isinstance(node, ast.Constant):
        return _parsed([repr(node.value)])
    if isinstance(node, ast.Name):
        return [value for value in _parsed(v.names[node.id] for v in after if node.id in v.names) if _is_data(value)]
    if isinstance(node, ast.Attribute):
        owners = _evaluated(node.value, after)
        return [item for owner in owners for name, item in owner.fields if name == node.attr]
    if isinstance(node, ast.Subscript):
        pairs = product(_evaluated(node.value, after), _evaluated(node.slice, after))
        return [item for owner, key in pairs if (item := _item(owner, key)) is not None]
    if isinstance(node, ast.Tuple):
        parts = product(*(_evaluated(part, after) for part in node.elts))
        return [Value("tuple", items=items) for items in parts]
    return []


def _parsed(texts: Iterable[str]) -> list[Value]:
    """The structure of each distinct text that is a value."""
    spelled = (canonical(value) for value in dict.fromkeys(texts))
    values = [parse(value) for value in spelled if isinstance(value, str)]
    return [value for value in values if not isinstance(value, Malformed)]


def _is_data(value: Value) -> bool:
    """Whether REval shows a value: functions, modules, iterators and generators are left out."""
    return value.kind != "opaque" or _HIDDEN.match(value.atom) is None


def _item(owner: Value, key: Value) -> Value | None:
    """The item of a container under a key; None if it has none."""
    if owner.kind == "object" and owner.items:  # a subclass of a container
        return _item(owner.items[0], key)
    if owner.kind == "dict":
        pairs = zip(owner.items[::2], owner.items[1::2], strict=True)
        return next((value for own, value in pairs if own == key), None)
    if key.kind not in ("int", "bool"):
        return None
    at = int(key.atom, 0) if key.kind == "int" else key.atom == "True"
    if owner.kind == "str":
        letters = unquote(owner.atom)
        return _parsed([repr(letters[at])])[0] if letters and -len(letters) <= at < len(letters) else None
    if owner.kind not in ("list", "tuple", "deque") or not -len(owner.items) <= at < len(owner.items):
        return None
    return owner.items[at]

"""The conditions of a recorded path: at each deciding step, the test and whether it held.

The next line of the frame shows the outcome; for a one-line decision, what follows does. Undecidable tests are left
out: nothing is evaluated or guessed. A test that raised has no condition, nor has the last one of a cut trace. Only
Python is supported.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from worldline.analyze.flow.conditions.decisions import ByLine, Decision, decisions, is_silent, lines_of
from worldline.analyze.flow.control import syntax
from worldline.analyze.flow.operations import METHODS
from worldline.core.events import CHANGELESS, EVENTS
from worldline.core.program import Program
from worldline.core.trace import Trace


@dataclass(frozen=True)
class Condition:
    """What was decided at a step: the test's source text and line, whether it held (`taken`), and its kind.

    Kinds: `if`, `while` and `ternary` (the text is the test), `for` (`for x in xs`: held where there is a next),
    `assert`, `case` (`case [x, y] if x`), `except` (`except KeyError`) and `filter`, the `if` of a comprehension.
    """

    step: int
    line: int
    text: str
    taken: bool
    kind: str = "if"

    @property
    def answer(self) -> str:
        """Whether the condition held, in words that fit its kind."""
        return answer(self.kind, self.taken)

    @property
    def said(self) -> str:
        """The condition and its answer: `n % 2 == 0: false`, `for x in xs: a next`."""
        return f"{self.text}: {self.answer}"


_ANSWERS = {
    "for": ("a next", "over"),
    "case": ("matches", "does not match"),
    "except": ("takes it", "does not take it"),
}


def answer(kind: str, taken: bool) -> str:
    """Return the words for a test of a kind that held or did not hold."""
    return _ANSWERS.get(kind, ("true", "false"))[not taken]


@dataclass(frozen=True)
class PathView:
    """A run as conditions are read off it: each step's event, line and frame, what it changed, what it carries.

    `codes` are the frames: the name of the function, its file and the number of its caller (-1: none). `raised`: the
    run ended with an exception.
    """

    events: Sequence[str]
    lines: Sequence[int]
    frames: Sequence[int]
    codes: Mapping[int, tuple[str, str, int]]
    delta: Callable[[int], Mapping[str, str]]
    arg: Callable[[int], str | None]
    raised: bool = False


def conditions(trace: Trace) -> tuple[Condition, ...]:
    """Find the tests that decided the path of a trace, and whether they held.

    Args:
        trace: The trace.

    Returns:
        The conditions, in the order of the steps; none for a program that is not Python.
    """
    columns = trace.columns
    path = PathView(
        [EVENTS[event] for event in columns.event],
        columns.line,
        columns.frame,
        {frame.serial: (frame.name, frame.file, frame.parent) for frame in trace.frames},
        lambda i: trace[i].delta,
        lambda i: trace[i].arg,
        trace.outcome.kind == "raised",
    )
    return path_conditions(trace.program, path)


def by_step(conditions: Iterable[Condition]) -> dict[int, list[str]]:
    """Group the texts of conditions by step."""
    texts: dict[int, list[str]] = {}
    for condition in conditions:
        texts.setdefault(condition.step, []).append(condition.said)
    return texts


def names_of(condition: Condition) -> list[str]:
    """Return the names that a condition reads, in order; for a `case`, only those of its guard."""
    text = (
        condition.text.rpartition(" if ")[2]
        if condition.kind == "case" and " if " in condition.text
        else condition.text
    )
    if condition.kind == "except" or (condition.kind == "case" and text == condition.text):
        return []
    tree = syntax(f"{text}: pass" if condition.kind == "for" else f"({text})")
    parts = ast.walk(tree) if tree is not None else ()
    loads = [part for part in parts if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)]
    return list(dict.fromkeys(part.id for part in sorted(loads, key=lambda part: part.col_offset)))


def path_conditions(program: Program, path: PathView) -> tuple[Condition, ...]:
    """Return the conditions of a run of a program, whatever the source of the run."""
    if not program.lang.has_syntax_tree:
        return ()
    own: dict[int, list[int]] = {}
    for i, (event, frame) in enumerate(zip(path.events, path.frames, strict=True)):
        if event not in CHANGELESS:
            own.setdefault(frame, []).append(i)
    sources, conditions = {program.name: program.source, **dict(program.files)}, list[Condition]()
    for frame, steps in own.items():
        by_line = _decisions(path, path.codes[frame], steps[0], sources)
        if by_line:
            conditions += _Frame(path, steps).conditions(by_line)
    return tuple(sorted(conditions, key=lambda condition: condition.step))


def _decisions(path: PathView, code: tuple[str, str, int], first: int, sources: dict[str, str]) -> ByLine:
    """Return the decisions of a frame's code object by line; its name and call line identify it."""
    by_code, name = decisions(sources.get(code[1], "")), code[0].rpartition(".")[2]
    if name == "<module>":
        return by_code.get(("<module>", 0), {})
    return by_code.get((name, path.lines[first]), {}) if path.events[first] == "call" else {}


class _Frame:
    """The steps of one frame, and what they show about its decisions."""

    def __init__(self, path: PathView, own: list[int]) -> None:
        self.path = path
        self.own = own
        self.events = [path.events[i] for i in own]
        self.lines = [path.lines[i] for i in own]

    def conditions(self, by_line: ByLine) -> Iterator[Condition]:
        """Yield the conditions that the frame's steps show."""
        for at, (event, line) in enumerate(zip(self.events, self.lines, strict=True)):
            for decision in by_line.get(line, ()) if event == "line" else ():
                taken = self._inline(decision, at) if decision.is_inline else self._by_lines(decision, at)
                if taken is not None:
                    yield Condition(self.own[at], decision.line, decision.text, taken, decision.kind)

    def _next(self, at: int, lines: frozenset[int]) -> int:
        """Return the frame's next step, skipping steps in which a test on these lines only waits."""
        at += 1
        while at < len(self.own) and self.events[at] in ("yield", "resume") and self.lines[at] in lines:
            at += 1
        return at

    def _by_lines(self, decision: Decision, at: int) -> bool | None:
        previous = self.lines[at - 1] if at else 0
        if previous in decision.never or (decision.before and previous not in decision.before):
            return None
        after = self._next(at, decision.lines)
        if after == len(self.own):
            return False if decision.kind == "except" and self._unwound() else None
        event, line = self.events[after], self.lines[after]
        if event == "line":
            return None if decision.spans and line in decision.lines else self._by_line(decision, after)
        if event == "return" and decision.missed is None and decision.kind != "except":
            return decision.kind == "assert"
        if event == "raise" and isinstance(decision.node, ast.Assert):
            return False if self._fails(decision.node, at, after) else None
        return None

    def _by_line(self, decision: Decision, after: int) -> bool | None:
        """Return what the line after a test shows; skip the line of the jump itself."""
        jumped = after
        while jumped < len(self.own) and self.lines[jumped] in decision.jump and self.events[jumped] == "line":
            jumped += 1
        line = self.lines[after]
        if jumped > after:
            if jumped == len(self.own) or self.events[jumped] == "raise":
                return None
            is_line = self.events[jumped] == "line"
            if decision.missed is not None and is_line and self.lines[jumped] in decision.missed:
                return False
            line = line if line in decision.held else self.lines[jumped]
        if line in decision.held:
            return True
        if decision.missed is None:
            return decision.kind == "assert"
        return False if line in decision.missed else None

    def _unwound(self) -> bool:
        """Return whether an exception left the frame for good: it reached the caller or ended the run."""
        path, last = self.path, self.own[-1]
        parent = path.codes[path.frames[last]][2]
        for i in range(last + 1, len(path.events)):
            if path.frames[i] == parent and path.events[i] not in CHANGELESS:
                return path.events[i] == "raise"
        return parent < 0 and path.raised

    def _fails(self, node: ast.Assert, at: int, after: int) -> bool:
        """Return whether the assertion itself raised the error, and not its test or message."""
        path, before = self.path, self.own[after] - 1
        raised = path.arg(self.own[after]) or ""
        arrives = path.events[before] == "raise" and path.frames[before] != path.frames[self.own[at]]
        return raised.startswith("AssertionError(") and not arrives and _calls_known(node)

    def _inline(self, decision: Decision, at: int) -> bool | None:
        """Decide a one-line decision from what follows; None if that shows nothing."""
        after = self._next(at, frozenset())
        if after == len(self.own) or self.events[after] == "raise":
            return None
        event, again = self.events[after], self.lines[after] in decision.lines
        match decision.node:
            case ast.GeneratorExp():
                return {"yield": True, "line": False}.get(event)
            case ast.Assign(value=ast.IfExp() as value, targets=[ast.Name(id=name)]):
                return _arm(value, self.path.delta(self.own[at]).get(name))
            case ast.Return(value=ast.IfExp() as value) if event == "return":
                return _arm(value, self.path.arg(self.own[after]))
            case ast.While():
                return True if event == "line" and again else None
            case ast.For(body=body) | ast.AsyncFor(body=body):
                return True if event == "line" and again else None if _jumps(body) else False
            case ast.If():
                return self._inline_if(decision.node, at, after)
        return None

    def _inline_if(self, node: ast.If, at: int, after: int) -> bool | None:
        body, event, step = node.body[0], self.events[after], self.own[at]
        if not is_silent(node.orelse):  # without a word of the other way, this one was gone
            return event != "line" or self.lines[after] not in lines_of(node.orelse)
        if len(node.body) > 1 or node.orelse:
            return None
        if isinstance(body, ast.Return):
            is_some = event == "return" and self.path.arg(self.own[after]) not in (None, "None")
            return True if is_some else False if event == "line" else None
        if isinstance(body, ast.Expr) and isinstance(body.value, ast.Yield):
            return event == "yield"
        if isinstance(body, (ast.Assign, ast.AugAssign)) and self.own[after] == step + 1:
            targets = body.targets if isinstance(body, ast.Assign) else [body.target]
            names = {target.id for target in targets if isinstance(target, ast.Name)}
            return True if names & self.path.delta(step).keys() and not _acts(node.test) else None
        return None


def _arm(node: ast.IfExp, value: str | None) -> bool | None:
    """Return whether a value is the first of two literals; None if that is ambiguous."""
    arms = [repr(arm.value) if isinstance(arm, ast.Constant) else "" for arm in (node.body, node.orelse)]
    return value == arms[0] if value in arms and arms[0] != arms[1] else None


def _jumps(body: Sequence[ast.stmt]) -> bool:
    jumps = (ast.Break, ast.Return, ast.Raise)
    return any(isinstance(part, jumps) for node in body for part in ast.walk(node))


def _acts(test: ast.expr) -> bool:
    """Return whether a test may itself change a name or a value."""
    return any(isinstance(part, (ast.Call, ast.NamedExpr, ast.Await)) for part in ast.walk(test))


def _calls_known(node: ast.Assert) -> bool:
    """Return whether an assertion calls only built-in methods, which raise no AssertionError, or plain names."""
    calls = (part.func for part in ast.walk(node) if isinstance(part, ast.Call))
    return all(
        isinstance(function, ast.Name) or (isinstance(function, ast.Attribute) and function.attr in METHODS)
        for function in calls
    )

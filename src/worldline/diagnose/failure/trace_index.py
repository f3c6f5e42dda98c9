"""A trace by its frames: the steps, writes and calls of each, and the syntax of their files. Built once per trace."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from worldline.analyze.flow.control import syntax
from worldline.analyze.flow.names import bound_names
from worldline.core.events import CHANGELESS
from worldline.core.language import source_lines
from worldline.core.trace import Frame, Step, Trace
from worldline.diagnose.failure.explanation import SourcePlace
from worldline.diagnose.failure.value_keys import part_of

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
#: Compound statements: only the lines before their first inner statement are their own.
_BODIES = ("body", "orelse", "handlers", "finalbody", "cases")


@dataclass(frozen=True)
class NameChange:
    """A step that gave a name of a frame another value, or another value to the part that matters."""

    step: int
    frame: int
    name: str
    before: str | None
    after: str


@dataclass
class _FrameSteps:
    """The steps of a frame, the values that its names had, and the frames that it called."""

    steps: list[int] = field(default_factory=list)
    writes: dict[str, list[tuple[int, str | None]]] = field(default_factory=dict)
    called: list[int] = field(default_factory=list)


class TraceIndex:
    """The steps of a trace by frame and name."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.frames: tuple[Frame, ...] = tuple(trace.frames)
        self._frames = [_FrameSteps() for _ in self.frames]
        self._texts = {trace.program.name: trace.program.source, **dict(trace.program.files)}
        self._lines: dict[str, list[str]] = {}
        self._trees: dict[str, ast.Module | None] = {}
        self._functions: dict[tuple[str, str, int], FunctionNode | None] = {}
        self._statements: dict[tuple[str, int], ast.stmt | None] = {}
        self._locals: dict[tuple[str, int], set[str]] = {}
        for step in trace.steps:
            if step.event not in CHANGELESS:
                self._add(step)

    def _add(self, step: Step) -> None:
        known = self._frames[step.frame]
        parent = self.frames[step.frame].parent
        if not known.steps and parent >= 0:
            self._frames[parent].called.append(step.frame)
        known.steps.append(step.i)
        for name in step.gone:
            known.writes.setdefault(name, []).append((step.i, None))
        for name, text in step.delta.items():
            if not name.startswith("@"):  # what pytest's rewritten assertions bind
                known.writes.setdefault(name, []).append((step.i, text))

    # steps

    def steps(self, frame: int) -> list[int]:
        """Return the steps of a frame that are not input or output."""
        return self._frames[frame].steps

    def first(self, frame: int) -> int:
        """Return the first step of a frame."""
        return self._frames[frame].steps[0]

    def last(self, frame: int) -> int:
        """Return the last step of a frame."""
        return self._frames[frame].steps[-1]

    def before(self, frame: int, step: int) -> int | None:
        """Return the newest step of a frame before a step."""
        steps = self._frames[frame].steps
        at = bisect_left(steps, step)
        return steps[at - 1] if at else None

    def after(self, frame: int, step: int) -> int:
        """Return the next step of a frame after a step, or the length of the trace."""
        steps = self._frames[frame].steps
        at = bisect_left(steps, step + 1)
        return steps[at] if at < len(steps) else len(self.trace)

    def called(self, frame: int, start: int, end: int) -> list[int]:
        """Return the frames that a frame called from step `start` on and before `end`, in order."""
        return [child for child in self._frames[frame].called if start <= self.first(child) < end]

    def inside(self, frame: int, start: int, end: int) -> list[int]:
        """Return the other frames that have a step after `start` and before `end`, in order."""
        return [other for other in dict.fromkeys(self.trace.columns.frame[start + 1 : end]) if other != frame]

    def last_yield(self, frame: int, start: int, end: int) -> int | None:
        """Return the step that yielded to a frame last, between its step `start` and its next one, `end`.

        None if the last of the steps between them is not a yield of a frame that this one resumed.
        """
        between = range(end - 1, start, -1)
        step = next((at for at in between if self.trace[at].event not in CHANGELESS), None)
        if step is None or self.trace[step].event != "yield" or self.trace.columns.frame[step] == frame:
            return None
        return step

    @cached_property
    def roots(self) -> tuple[int, ...]:
        """The frames that no recorded frame called."""
        return tuple(frame.serial for frame in self.frames if frame.parent < 0 and self._frames[frame.serial].steps)

    # values

    def value(self, frame: int, name: str, at: int) -> str | None:
        """Return the value of a name before step `at`; of a global, the newest that any frame of the file saw."""
        owner = self.owner(frame, name, at)
        past = [] if owner is None else self._past(owner, name, at)
        return past[-1][1] if past else None

    def _past(self, frame: int, name: str, at: int) -> list[tuple[int, str | None]]:
        writes = self._frames[frame].writes.get(name, [])
        return writes[: bisect_left(writes, at, key=lambda write: write[0])]

    def owner(self, frame: int, name: str, at: int) -> int | None:
        """Return the frame whose writes of a name are those that a frame sees: itself, or for a global the newest."""
        if self._past(frame, name, at) or self.is_local(frame, name):
            return frame
        file = self.frames[frame].file
        sharing = [
            other.serial
            for other in self.frames
            if other.file == file and self._past(other.serial, name, at) and not self.is_local(other.serial, name)
        ]
        return max(sharing, key=lambda other: self._past(other, name, at)[-1][0], default=None)

    def is_local(self, frame: int, name: str) -> bool:
        """Tell whether a name belongs to a frame's own function."""
        info, node = self.frames[frame], self.function(frame)
        key = info.file, 0 if node is None else node.lineno
        if key not in self._locals:
            own = set() if node is None else {part.arg for part in ast.walk(node.args) if isinstance(part, ast.arg)}
            declared = (part for part in ast.walk(node or ast.Pass()) if isinstance(part, ast.Global | ast.Nonlocal))
            bound = set() if node is None else set(bound_names(node))
            self._locals[key] = own | (bound - {name for part in declared for name in part.names})
        return name in self._locals[key]

    def changes(self, frame: int, name: str, at: int, keys: tuple[str, ...] = ()) -> Iterator[NameChange]:
        """Yield the changes of a name, or of a part of its value, before step `at`; newest first."""
        past = self._past(frame, name, at)
        for number in range(len(past) - 1, -1, -1):
            step, after = past[number]
            before = past[number - 1][1] if number else None
            if after is None:
                return
            if before is None or part_of(before, keys) != part_of(after, keys) or self._is_bound_at(step, name):
                yield NameChange(step, frame, name, before, after)

    def _is_bound_at(self, step: int, name: str) -> bool:
        """Whether the statement of a step binds a name, and does not only change its object."""
        frame = self.trace.columns.frame[step]
        node = self.statement(self.frames[frame].file, self.trace.columns.line[step])
        return node is not None and name in targets_of(node)

    def names(self, frame: int) -> list[str]:
        """Return the names that a frame ever had."""
        return list(self._frames[frame].writes)

    # source

    def place(self, step: int) -> SourcePlace:
        """Return where a step is."""
        frame = self.frames[self.trace.columns.frame[step]]
        line = self.trace.columns.line[step]
        return SourcePlace(
            step=step, file=frame.file, line=line, function=frame.name, source=self.line(frame.file, line)
        )

    def line(self, file: str, number: int) -> str:
        """Return a line of a file without its indent."""
        if file not in self._lines:
            self._lines[file] = source_lines(self._texts.get(file, ""), "python")
        lines = self._lines[file]
        return lines[number - 1].strip() if 0 < number <= len(lines) else ""

    def tree(self, file: str) -> ast.Module | None:
        """Return the syntax of a file; None if it cannot be parsed."""
        if file not in self._trees:
            parsed = syntax(self._texts.get(file, ""))
            self._trees[file] = parsed if isinstance(parsed, ast.Module) else None
        return self._trees[file]

    def source(self, file: str, node: ast.AST) -> str:
        """Return the source of a node."""
        return ast.get_source_segment(self._texts.get(file, ""), node) or ""

    def statement(self, file: str, line: int) -> ast.stmt | None:
        """Return the innermost statement whose own lines include a line."""
        if (file, line) not in self._statements:
            self._statements[file, line] = self._statement(file, line)
        return self._statements[file, line]

    def _statement(self, file: str, line: int) -> ast.stmt | None:
        tree = self.tree(file)
        innermost: ast.stmt | None = None
        pending: list[ast.AST] = [] if tree is None else [tree]
        while pending:
            node = pending.pop()
            if isinstance(node, ast.stmt) and node.lineno <= line <= own_end(node):
                innermost = node
            for child in ast.iter_child_nodes(node):
                start, end = getattr(child, "lineno", 0), getattr(child, "end_lineno", None)
                # A module has no line; decorators stand above the line of their function.
                has_decorators = bool(getattr(child, "decorator_list", None))
                if end is None or start <= line <= end or has_decorators:
                    pending.append(child)
        return innermost

    def span(self, step: int) -> tuple[int, int, ast.stmt | None]:
        """Return the first step of a step's statement, the step after it, and the statement."""
        frame, line = self.trace.columns.frame[step], self.trace.columns.line[step]
        node = self.statement(self.frames[frame].file, line)
        start, end = step, self.after(frame, step)
        if node is None:
            return start, end, node
        while (before := self.before(frame, start)) is not None and self._is_in(before, node):
            start = before
        return start, end, node

    def _is_in(self, step: int, node: ast.stmt) -> bool:
        columns = self.trace.columns
        return node.lineno <= columns.line[step] <= own_end(node) and self.trace[step].event == "line"

    def function(self, frame: int) -> FunctionNode | None:
        """Return the syntax of a frame's function."""
        info = self.frames[frame]
        name = info.name.rpartition(".")[2]
        line = self.trace.columns.line[self.first(frame)]
        key = info.file, name, line
        if key not in self._functions:
            self._functions[key] = next(self._defined(*key), None)
        return self._functions[key]

    def _defined(self, file: str, name: str, line: int) -> Iterator[FunctionNode]:
        tree = self.tree(file)
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name:
                first = min([node.lineno, *(part.lineno for part in node.decorator_list)])
                if first <= line <= (node.end_lineno or node.lineno):
                    yield node


def own_end(node: ast.stmt) -> int:
    """Return the last line of a statement that does not belong to a statement inside it."""
    inner = [part.lineno for name in _BODIES for part in getattr(node, name, ()) if hasattr(part, "lineno")]
    end = node.end_lineno or node.lineno
    return max(node.lineno, min(end, *(line - 1 for line in inner))) if inner else end


def targets_of(node: ast.AST) -> set[str]:
    """Return the names that a statement binds itself."""
    if isinstance(node, ast.For | ast.AsyncFor):
        roots: list[ast.AST] = [node.target]
    elif isinstance(node, ast.With | ast.AsyncWith):
        roots = list(node.items)
    elif isinstance(node, ast.If | ast.While):
        roots = [node.test]
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {node.name}
    else:
        roots = [node]
    return {
        part.id
        for root in roots
        for part in ast.walk(root)
        if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load)
    }

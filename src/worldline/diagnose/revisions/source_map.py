"""Places of one revision in the other: lines, functions that moved, and the functions that a change touches."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from worldline.core.language import source_lines
from worldline.core.repository.source_change import LinePairs, SourceChange

Place = tuple[str, int]  # a file and a line
FunctionKey = tuple[str, str]  # a file after the change, and the qualified name of a function
MODULE = "<module>"


@dataclass(frozen=True)
class FunctionSpan:
    """The lines of one function, decorators included."""

    name: str
    first: int
    last: int


@dataclass(frozen=True)
class SourceMap:
    """Where lines and functions of the revision before are after the change.

    Attributes:
        renamed: The path after by the path before, of renamed files.
        forward: The place after by the place before, in files that changed.
        images: The places after that have a place before, in files that changed.
        old_files: The files that changed, as named before.
        new_files: The same after.
        changed_before: The places before that the change removed or rewrote.
        changed_after: The places after that it added or rewrote.
        moved: By function before, the file after in which it now is.
        touched: The functions with a changed line on either side.
        touched_files: The files after whose code outside functions changed.
    """

    renamed: Mapping[str, str] = field(default_factory=dict)
    forward: Mapping[Place, Place] = field(default_factory=dict)
    images: frozenset[Place] = frozenset()
    old_files: frozenset[str] = frozenset()
    new_files: frozenset[str] = frozenset()
    changed_before: frozenset[Place] = frozenset()
    changed_after: frozenset[Place] = frozenset()
    moved: Mapping[FunctionKey, str] = field(default_factory=dict)
    touched: frozenset[FunctionKey] = frozenset()
    touched_files: frozenset[str] = frozenset()

    @classmethod
    def of(cls, change: SourceChange) -> SourceMap:
        """Read a change. A source that does not parse has lines but no functions."""
        return _Building(change).result()

    def after(self, file: str, line: int) -> Place | None:
        """Return where a line before is after the change; None if it is not there any more."""
        if file not in self.old_files:
            return file, line
        return self.forward.get((file, line))

    def has_image(self, file: str, line: int) -> bool:
        """Tell whether a line after was there before the change."""
        return file not in self.new_files or (file, line) in self.images

    def key(self, file: str, name: str, *, is_before: bool) -> FunctionKey:
        """Return what both revisions of a function share."""
        if is_before:
            file = self.moved.get((file, name)) or self.renamed.get(file, file)
        return file, name

    def is_changed(self, file: str, line: int, *, is_before: bool) -> bool:
        """Tell whether a line was changed."""
        return (file, line) in (self.changed_before if is_before else self.changed_after)

    def is_touched(self, key: FunctionKey) -> bool:
        """Tell whether a function, or the one around it, has a changed line."""
        file, name = key
        while True:
            if (file, name) in self.touched:
                return True
            outer, mark, _ = name.rpartition(".<locals>.")
            if not mark:
                return False
            name = outer


def function_spans(source: str) -> list[FunctionSpan]:
    """Return the functions of a source, also nested ones; none if it does not parse."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    return list(_spans(tree, ""))


def statement_starts(source: str) -> dict[int, int]:
    """Return the first line of each simple statement by each of its further lines; empty if it does not parse."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    starts: dict[int, int] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and not hasattr(node, "body") and not isinstance(node, ast.Match):
            starts.update(dict.fromkeys(range(node.lineno + 1, (node.end_lineno or node.lineno) + 1), node.lineno))
    return starts


def _spans(node: ast.AST, prefix: str) -> Iterator[FunctionSpan]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([child.lineno, *(decorator.lineno for decorator in child.decorator_list)])
            yield FunctionSpan(prefix + child.name, first, child.end_lineno or child.lineno)
            yield from _spans(child, f"{prefix}{child.name}.<locals>.")
        elif isinstance(child, ast.ClassDef):
            yield from _spans(child, f"{prefix}{child.name}.")
        else:
            yield from _spans(child, prefix)


def _outside_functions(source: str) -> frozenset[int]:
    """The lines of statements of modules and classes, without imports, strings and definitions."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()
    lines, waiting = set[int](), list[ast.stmt](tree.body)
    while waiting:
        statement = waiting.pop()
        if isinstance(statement, ast.ClassDef):
            waiting += statement.body
            lines.update(range(statement.lineno, statement.body[0].lineno))
        elif not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.Import | ast.ImportFrom):
            is_text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
            lines.update(() if is_text else range(statement.lineno, (statement.end_lineno or statement.lineno) + 1))
    return frozenset(lines)


class _Building:
    """The parts of a source map, file by file."""

    def __init__(self, change: SourceChange) -> None:
        self.change = change
        self.forward: dict[Place, Place] = {}
        self.before, self.after = set[Place](), set[Place]()
        self.touched, self.files = set[FunctionKey](), set[str]()
        self.moved: dict[FunctionKey, str] = {}

    def result(self) -> SourceMap:
        for file in self.change.files:
            pairs = file.lines
            self.forward.update({(file.old_path, i): (file.path, j) for i, j in pairs.forward.items()})
            self.before.update((file.old_path, i) for i in pairs.changed_before)
            self.after.update((file.path, j) for j in pairs.changed_after)
        self._move()
        for file in self.change.files:
            self._touch(file.old_path, file.path or file.old_path, file.before, self.before)
            self._touch(file.path, file.path, file.after, self.after)
        files = self.change.files
        return SourceMap(
            renamed={file.old_path: file.path for file in files if file.path and file.old_path},
            forward=self.forward,
            images=frozenset(self.forward.values()),
            old_files=frozenset(file.old_path for file in files if file.old_path),
            new_files=frozenset(file.path for file in files if file.path),
            changed_before=frozenset(self.before),
            changed_after=frozenset(self.after),
            moved=self.moved,
            touched=frozenset(self.touched),
            touched_files=frozenset(self.files),
        )

    def _touch(self, path: str, key_path: str, source: str, changed: set[Place]) -> None:
        """Note the functions of one file that have a changed line, and whether code outside them has."""
        lines = {line for file, line in changed if file == path} if path else set()
        for span in function_spans(source) if lines else ():
            if any(line in lines for line in range(span.first, span.last + 1)):
                self.touched.add((self.moved.get((path, span.name), key_path), span.name))
        if lines & _outside_functions(source):
            self.files.add(key_path)

    def _move(self) -> None:
        """Pair the lines of functions that a change removed here and added there, under the same name."""
        added: dict[str, tuple[str, FunctionSpan, str]] = {}
        images = set(self.forward.values())
        for file in self.change.files:
            for span in function_spans(file.after):
                if (file.path, span.first) not in images:
                    added.setdefault(span.name, (file.path, span, file.after))
        for file in self.change.files:
            for span in function_spans(file.before):
                if span.name in added and (file.old_path, span.first) not in self.forward:
                    self._pair((file.old_path, span, file.before), added[span.name])

    def _pair(self, old: tuple[str, FunctionSpan, str], new: tuple[str, FunctionSpan, str]) -> None:
        pairs = LinePairs.of(_text(*old[1:]), _text(*new[1:]), first=(old[1].first, new[1].first))
        if len(pairs.forward) * 2 < old[1].last - old[1].first + 1:
            return  # another function of the same name
        for i in range(old[1].first, old[1].last + 1):
            self.forward.pop((old[0], i), None)
        self.forward.update({(old[0], i): (new[0], j) for i, j in pairs.forward.items()})
        self.before -= {(old[0], i) for i in pairs.forward if i not in pairs.changed_before}
        self.after -= {(new[0], j) for j in pairs.forward.values() if j not in pairs.changed_after}
        if old[0] != new[0]:
            self.moved[old[0], old[1].name] = new[0]


def _text(span: FunctionSpan, source: str) -> str:
    return "\n".join(source_lines(source, "python")[span.first - 1 : span.last])

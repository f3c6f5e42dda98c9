"""A second opinion on conditions: the program itself, rewritten so that it prints the truth of each of its tests.

The rewriting keeps every line: a test `t` becomes `[_v := (t), print('@@', SITE, not not _v)][0]`, and the body of a
`for`, a `case` or an `except` says first that it was entered. What it prints stands in the trace of the rewritten
program as output of the step that tested, so the truth is known step by step, and nothing of `flow` is used.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace

from worldline.core.events import CHANGELESS
from worldline.core.program import Program
from worldline.core.trace import Trace

MARK = "@@"
Place = tuple[int, int, int, str]
"""A frame, which of its own steps, the line of a test, and its kind."""


@dataclass(frozen=True)
class Site:
    """A test that is logged: its kind, its line, and how many lines it has."""

    kind: str
    line: int
    lines: int


class Instrumented:
    """A program that says what it decides, and which sites it says it of."""

    def __init__(self, program: Program) -> None:
        self.sites: list[Site] = []
        self._edits: list[tuple[int, int, int, str]] = []
        self._tree = ast.parse(program.source)
        for node in ast.walk(self._tree):
            self._visit(node)
        self.program = replace(program, source=self._spliced(program.source))

    def _visit(self, node: ast.AST) -> None:
        match node:
            case ast.If() | ast.While() | ast.Assert() | ast.IfExp() if not isinstance(node.test, ast.Constant):
                kind = "ternary" if isinstance(node, ast.IfExp) else type(node).__name__.lower()
                self._test(kind, node.test)
            case ast.For() | ast.AsyncFor():
                self._entered("for", node.lineno, node.body)
            case ast.match_case():
                self._entered("case", node.pattern.lineno, node.body)
            case ast.ExceptHandler() if node.type is not None:
                self._entered("except", node.lineno, node.body)
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                if len(node.generators) == 1 and len(node.generators[0].ifs) == 1:
                    self._test("filter", node.generators[0].ifs[0])

    def _test(self, kind: str, test: ast.expr) -> None:
        site = self._site(kind, test.lineno, (test.end_lineno or 0) - test.lineno + 1)
        self._edits.append((test.lineno, test.col_offset, 1, "[_v := ("))
        end = f"), print('{MARK}', {site}, not not _v)][0]"
        self._edits.append((test.end_lineno or 0, test.end_col_offset or 0, 0, end))

    def _entered(self, kind: str, line: int, body: list[ast.stmt]) -> None:
        match body[0]:
            case ast.If(test=first) | ast.While(test=first) | ast.For(iter=first) | ast.Match(subject=first):
                if not isinstance(first, (ast.Constant, ast.Tuple)):
                    site = self._site(kind, line)
                    self._edits.append((first.lineno, first.col_offset, 1, f"[print('{MARK}', {site}, True), ("))
                    self._edits.append((first.end_lineno or 0, first.end_col_offset or 0, 0, ")][1]"))
            case ast.Try() | ast.With() | ast.FunctionDef() | ast.ClassDef():
                pass
            case simple:
                site = self._site(kind, line)
                self._edits.append((simple.lineno, simple.col_offset, 1, f"print('{MARK}', {site}, True); "))

    def _site(self, kind: str, line: int, lines: int = 1) -> int:
        self.sites.append(Site(kind, line, lines))
        return len(self.sites) - 1

    def _spliced(self, source: str) -> str:
        lines = [line.encode() for line in source.split("\n")]
        # From the end on; at one place what ends there comes before what begins there, an inner end before an outer.
        order = sorted(range(len(self._edits)), key=lambda i: (*self._edits[i][:3], i if self._edits[i][2] else -i))
        for i in reversed(order):
            line, column, _, text = self._edits[i]
            row = lines[line - 1]
            lines[line - 1] = row[:column] + text.encode() + row[column:]
        return b"\n".join(lines).decode()

    def truths(self, trace: Trace) -> dict[Place, list[bool]]:
        """What the trace of the rewritten program says: of each own step of a frame the truths it printed."""
        found: dict[Place, list[bool]] = {}
        for frame, at, text in _said(trace):
            for line in text.splitlines():
                if line.startswith(MARK):
                    _, number, truth = line.split()
                    site = self.sites[int(number)]
                    found.setdefault((frame, at, site.line, site.kind), []).append(truth == "True")
        return found


def _said(trace: Trace) -> Iterator[tuple[int, int, str]]:
    """Each output with its frame and the own step of it that wrote."""
    at = [-1] * len(trace.frames)
    for step in trace.steps:
        if step.event == "output":
            yield step.frame, at[step.frame], ast.literal_eval(step.arg or "''")
        elif step.event not in CHANGELESS:
            at[step.frame] += 1


def own(trace: Trace) -> list[list[tuple[str, int]]]:
    """Of each frame its own steps, by event and line."""
    found: list[list[tuple[str, int]]] = [[] for _ in trace.frames]
    for step in trace.steps:
        if step.event not in CHANGELESS:
            found[step.frame].append((step.event, step.line))
    return found

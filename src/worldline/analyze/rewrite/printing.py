"""A rewritten tree as source: statements of the old tree by their old text, new ones by `ast.unparse`, with a line map.

Comments and blank lines before an old statement are kept where it stands as deep as it stood.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field

from worldline.analyze.rewrite.flatten import changed
from worldline.analyze.rewrite.names import begin
from worldline.analyze.rewrite.tree import walk

INDENT = "    "


@dataclass
class Printer:
    """The lines of a new source, and the old line of each (0 for none)."""

    source: list[str]  # the old source's lines
    kept: set[int]  # the ids of the old tree's statements
    unit: str = INDENT
    lines: list[str] = field(default_factory=list)
    origin: list[int] = field(default_factory=list)
    read: int = 0  # the old lines that were copied or passed

    def put(self, text: str, origin: int) -> None:
        """Add text of one or more lines."""
        for line in text.split("\n"):
            self.lines.append(line)
            self.origin.append(origin)

    def block(self, body: Sequence[ast.stmt], indent: str) -> None:
        """Add a block's statements."""
        for node in body:
            self.statement(node, indent)

    def statement(self, node: ast.stmt, indent: str) -> None:
        """Add a statement: verbatim if it is an old one, else printed anew."""
        if not getattr(node, "lineno", 0):
            self._new(node, indent)
            return
        start = begin(node)
        if self._stood(node, start, indent):
            self._gap(start)
        if id(node) in self.kept and self._stands_alone(node, start, indent):
            for number in range(start, (node.end_lineno or start) + 1):
                self.put(self.source[number - 1], number)
        else:
            self._anew(node, indent)
        self.read = max(self.read, node.end_lineno or 0)

    def _new(self, node: ast.stmt, indent: str) -> None:
        """Add a statement that has no old counterpart."""
        for line in ast.unparse(node).split("\n"):
            self.put(indent + line.replace(INDENT, self.unit), 0)
        self.put("", 0)

    def _stood(self, node: ast.stmt, start: int, indent: str) -> bool:
        text = self.source[start - 1]
        return start > self.read and text.startswith(indent) and not text[len(indent) : len(indent) + 1].isspace()

    def _gap(self, start: int) -> None:
        """Add the comments and blank lines since the last statement."""
        for number in range(self.read + 1, start):
            text = self.source[number - 1]
            if not text.strip() or text.lstrip().startswith("#"):
                self.put(text.rstrip(), number)
        self.read = start - 1

    def _stands_alone(self, node: ast.stmt, start: int, indent: str) -> bool:
        """Return whether an old statement shares its lines with no other and keeps its indentation."""
        first, last = self.source[start - 1], self.source[(node.end_lineno or start) - 1]
        at = len(first.encode()[: node.col_offset].decode()) if start == node.lineno else len(indent)
        after = last.encode()[node.end_col_offset or 0 :].decode().strip()
        whole = not after or after.startswith("#")
        return first[:at] == indent and whole and not first.startswith("elif", at)

    def _anew(self, node: ast.stmt, indent: str) -> None:
        at = node.lineno
        match node:
            case ast.If():
                self._if(node, indent, "if")
            case ast.Try() | ast.TryStar():
                self._try(node, indent)
            case ast.Match():
                self.put(f"{indent}match {ast.unparse(node.subject)}:", at)
                for case in node.cases:
                    self._headed(case, case.body, indent + self.unit, case.pattern.lineno)
            case ast.For() | ast.While() | ast.AsyncFor():
                self._headed(changed(node, orelse=[]), node.body, indent, at)
                self._else(node.orelse, indent)
            case ast.With() | ast.AsyncWith() | ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                self._headed(node, node.body, indent, at)
            case _:
                self.put(indent + ast.unparse(node), at)

    def _headed(self, node: ast.AST, body: Sequence[ast.stmt], indent: str, at: int) -> None:
        """Print a statement's head anew, and its block."""
        head = ast.unparse(changed(node, body=[ast.Pass()])).strip("\n").removesuffix("\n    pass")
        for number, line in enumerate(head.split("\n")):
            self.put(indent + line, (begin(node) if isinstance(node, ast.stmt) else at) + number)
        self.read = max(self.read, at)
        self.block(body, indent + self.unit)

    def _if(self, node: ast.If, indent: str, word: str) -> None:
        self.put(f"{indent}{word} {ast.unparse(node.test)}:", node.lineno)
        self.read = max(self.read, node.lineno)
        self.block(node.body, indent + self.unit)
        match node.orelse:
            case [ast.If() as other] if not (id(other) in self.kept and self._is_nested(other)):
                self._if(other, indent, "elif")
            case _:
                self._else(node.orelse, indent)

    def _is_nested(self, node: ast.If) -> bool:
        """Return whether an old `if` alone in an `else` was written as such."""
        return not self.source[node.lineno - 1].lstrip().startswith("elif")

    def _else(self, body: Sequence[ast.stmt], indent: str) -> None:
        if body:
            self.put(f"{indent}else:", body[0].lineno)
            self.block(body, indent + self.unit)

    def _try(self, node: ast.Try | ast.TryStar, indent: str) -> None:
        self.put(f"{indent}try:", node.lineno)
        self.block(node.body, indent + self.unit)
        star = "*" if isinstance(node, ast.TryStar) else ""
        for handler in node.handlers:
            caught = f" {ast.unparse(handler.type)}" if handler.type else ""
            name = f" as {handler.name}" if handler.name else ""
            self.put(f"{indent}except{star}{caught}{name}:", handler.lineno)
            self.block(handler.body, indent + self.unit)
        self._else(node.orelse, indent)
        if node.finalbody:
            self.put(f"{indent}finally:", node.finalbody[0].lineno)
            self.block(node.finalbody, indent + self.unit)


def printed(body: Sequence[ast.stmt], tree: ast.Module, source: str) -> tuple[str, tuple[int, ...]]:
    """Print a rewritten module.

    Returns:
        Its source and the old line of each new line.
    """
    statements = {id(node) for node in walk(tree) if isinstance(node, ast.stmt)}
    printer = Printer(source.split("\n"), statements, _unit(tree))
    printer.block(body, "")
    return "\n".join([*printer.lines, ""]), (*printer.origin, 0)


def _unit(tree: ast.Module) -> str:
    """Return the indentation of the source's blocks, taken from its first function."""
    for node in walk(tree):
        if isinstance(node, ast.FunctionDef) and node.col_offset == 0 and node.body[0].lineno > node.lineno:
            return " " * max(1, node.body[0].col_offset)
    return INDENT

"""Translates expressions of a small Python program into text with types."""

from __future__ import annotations

import ast

from worldline.programs.languages.spelling import Speaker, SpelledExpression, UntranslatableError
from worldline.programs.languages.types import NameTypes, is_natural

_BINARY: dict[type[ast.operator], str] = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul"}
_COMPARED: dict[type[ast.cmpop], str] = {
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
}
_MAPS = ("map", "charmap")


def kind_of(node: ast.expr | None) -> str:
    """Return the type of a literal.

    Raises:
        UntranslatableError: The node is not a literal of a plain type.
    """
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return kind_of(node.operand)
    if isinstance(node, ast.Constant):
        if isinstance(node.value, bool):
            return "bool"
        if isinstance(node.value, int):
            return "int"
        if isinstance(node.value, str) and node.value.isascii() and node.value.replace(" ", "a").isalnum():
            return "char" if len(node.value) == 1 else "str"
    if isinstance(node, ast.List) and all(kind_of(item) == "int" for item in node.elts):
        return "list"
    raise UntranslatableError("a literal of an unsupported type")


class Expressions:
    """Translates expressions, using the types of the names seen so far."""

    def __init__(
        self,
        speaker: Speaker,
        records: dict[str, list[str]],
        gives: dict[str, str],
        scope: NameTypes,
        features: set[str],
    ) -> None:
        self.speaker, self.records, self.gives, self.scope, self.features = (speaker, records, gives, scope, features)
        self.types: list[dict[str, str]] = [dict(scope.params)]

    def visible(self, name: str) -> str:
        """Return the type of a name in the enclosing blocks; empty if the name is unknown."""
        return next((types[name] for types in reversed(self.types) if name in types), "")

    def __call__(self, node: ast.expr) -> SpelledExpression:
        """Translate an expression."""
        if isinstance(node, ast.Constant):
            return self._constant(node)
        if isinstance(node, ast.Name):
            if not (kind := self.visible(node.id)):
                raise UntranslatableError(f"{node.id} is not known here")
            return SpelledExpression(node.id, 9, kind)
        act = getattr(self, f"_{type(node).__name__.lower()}", None)
        if act is None:
            raise UntranslatableError(type(node).__name__)
        piece: SpelledExpression = act(node)
        return piece

    def joined(self, nodes: list[ast.expr]) -> str:
        """Translate several expressions, separated by commas."""
        return ", ".join(self(node).text for node in nodes)

    def arguments(self, nodes: list[ast.expr]) -> str:
        """Translate the arguments of a call."""
        parts = []
        for node in nodes:
            piece = self(node)
            is_own = isinstance(node, ast.Name) and node.id in self.scope.params
            kind = "str" if piece.type == "str" and isinstance(node, ast.Name) else piece.type
            kind = f"{kind} param" if is_own and self.speaker.can(f"argument {kind} param") else kind
            is_spelled = self.speaker.can(f"argument {kind}") and isinstance(node, ast.Name)
            parts.append(self.speaker.text(f"argument {kind}", piece.text) if is_spelled else piece.text)
        return ", ".join(parts)

    def _constant(self, node: ast.Constant) -> SpelledExpression:
        kind = kind_of(node)
        if kind == "bool":
            self.features.add("bool")
            return self.speaker.expression("true" if node.value else "false", type="bool")
        self.features.add(kind)
        return self.speaker.expression(kind, str(node.value), type=kind)

    def _binop(self, node: ast.BinOp) -> SpelledExpression:
        left, right = self(node.left), self(node.right)
        if left.type == right.type == "bool" and isinstance(node.op, ast.BitXor):
            return self.speaker.expression("ne", left, right, type="bool")
        if {left.type, right.type} <= {"str", "char"} and isinstance(node.op, ast.Add):
            if "str" not in (left.type, right.type):
                raise UntranslatableError("the sum of two letters")
            return self.speaker.expression("concat", self.as_text(left), self.as_text(right), type="str")
        if left.type != "int" or right.type != "int":
            raise UntranslatableError("arithmetic on values that are not ints")
        natural = is_natural(node.left, self.scope.natural)
        if isinstance(node.op, ast.Mod):
            return self.speaker.expression("mod" if natural else "wrap", left, right)
        if isinstance(node.op, ast.FloorDiv):
            if not natural:
                raise UntranslatableError("a division that may round differently")
            return self.speaker.expression("div", left, right)
        if type(node.op) not in _BINARY:
            raise UntranslatableError(type(node.op).__name__)
        return self.speaker.expression(_BINARY[type(node.op)], left, right)

    def as_text(self, piece: SpelledExpression) -> SpelledExpression:
        """Return a text, or a letter as a text where the language does not join letters to texts."""
        is_spelled = piece.type == "char" and self.speaker.can("letter")
        return self.speaker.expression("letter", piece, type="str") if is_spelled else piece

    def _unaryop(self, node: ast.UnaryOp) -> SpelledExpression:
        inner = self(node.operand)
        if isinstance(node.op, ast.Not) and inner.type == "bool":
            return self.speaker.expression("not", inner, type="bool")
        if isinstance(node.op, ast.USub) and inner.type == "int":
            return self.speaker.expression("neg", inner)
        raise UntranslatableError("an unsupported unary operation")

    def _boolop(self, node: ast.BoolOp) -> SpelledExpression:
        name = "and" if isinstance(node.op, ast.And) else "or"
        parts = [self(value) for value in node.values]
        if any(part.type != "bool" for part in parts):
            raise UntranslatableError("the truth value of a non-boolean")
        whole = parts[0]
        for part in parts[1:]:
            whole = self.speaker.expression(name, whole, part, type="bool")
        return whole

    def _compare(self, node: ast.Compare) -> SpelledExpression:
        if len(node.ops) != 1:
            raise UntranslatableError("a chained comparison")
        op, other = node.ops[0], node.comparators[0]
        if isinstance(op, ast.In | ast.NotIn):
            container, key = self(other), self(node.left)
            if container.type not in _MAPS:
                raise UntranslatableError("`in` on a value that is not a dict")
            contains = self.speaker.expression("has", container, key, kind=container.type, type="bool")
            return self.speaker.expression("not", contains, type="bool") if isinstance(op, ast.NotIn) else contains
        left, right = self(node.left), self(other)
        if left.type != right.type or left.type not in ("int", "bool", "char") or type(op) not in _COMPARED:
            raise UntranslatableError("an unsupported comparison")
        return self.speaker.expression(_COMPARED[type(op)], left, right, type="bool")

    def _ifexp(self, node: ast.IfExp) -> SpelledExpression:
        test, yes, no = self(node.test), self(node.body), self(node.orelse)
        if test.type != "bool" or yes.type != no.type:
            raise UntranslatableError("a conditional of two types")
        return self.speaker.expression("choose", test, yes, no, kind=yes.type, type=yes.type)

    def _subscript(self, node: ast.Subscript) -> SpelledExpression:
        container, key = self(node.value), self(node.slice)
        if container.type in ("list", "stack"):
            if not is_natural(node.slice, self.scope.natural) and not _is_back(node.slice):
                raise UntranslatableError("an index from the end")
            return self.speaker.expression("at", container, key, kind=container.type)
        if container.type == "str":
            return self.speaker.expression("charat", container, key, type="char")
        if container.type in _MAPS:
            return self.speaker.expression("get", container, key, kind=container.type)
        raise UntranslatableError("an item of a value without items")

    def _attribute(self, node: ast.Attribute) -> SpelledExpression:
        return self.speaker.expression("field", self(node.value), node.attr)

    def _tuple(self, node: ast.Tuple) -> SpelledExpression:
        parts = [self(item) for item in node.elts]
        kinds = {part.type for part in parts}
        if len(kinds) != 1 or not kinds <= {"int", "bool", "char"}:
            raise UntranslatableError("a tuple of several types")
        (kind,) = kinds
        self.features.add(kind)
        typed = self.speaker.text("type", kind=kind) if self.speaker.can(f"type {kind}") else ""
        whole = self.speaker.expression("several", ", ".join(part.text for part in parts), typed)
        return SpelledExpression(whole.text, whole.level, "several:" + ",".join(part.type for part in parts))

    def _call(self, node: ast.Call) -> SpelledExpression:
        if isinstance(node.func, ast.Attribute):
            container = self(node.func.value)
            if node.func.attr == "get" and container.type in _MAPS and ast.unparse(node.args[1]) == "0":
                return self.speaker.expression("getor", container, self(node.args[0]), kind=container.type)
            raise UntranslatableError(f"a method {node.func.attr}")
        assert isinstance(node.func, ast.Name)
        name = node.func.id
        if name in self.gives:
            inner = self.arguments(node.args)
            return self.speaker.expression("call", name, inner, type=self.gives[name])
        parts = [self(argument) for argument in node.args]
        if name == "len" and parts[0].type in ("list", "stack", "str", *_MAPS):
            op = {"str": "size", "map": "count", "charmap": "count"}.get(parts[0].type, "len")
            self.features.add(op)
            return self.speaker.expression(op, *parts, kind=parts[0].type)
        if name in ("max", "min", "abs", "ord") and len(parts) == (1 if name in ("abs", "ord") else 2):
            self.features.add("max" if name == "min" else name)
            return self.speaker.expression(name, *parts)
        raise UntranslatableError(f"a call of {name}")


def _is_back(node: ast.expr) -> bool:
    """Return whether an index is an offset such as `i - 1`, which the program keeps inside the list."""
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub | ast.Add)

"""The built-in types that expressions are proved to have, and expressions that can neither fail nor be noticed.

Proof is by the code alone: parameters and annotations prove nothing. A name of a function has a kind when everything
it is ever bound to there has. Kinds are exact types, so that a method found on one is the built-in's own.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from worldline.analyze.rewrite.names import COMPREHENSIONS, Facts, FunctionNode, own, parameters, sure, targets
from worldline.analyze.rewrite.tree import walk

TYPES: dict[str, type] = {
    "int": int,
    "bool": bool,
    "float": float,
    "str": str,
    "bytes": bytes,
    "list": list,
    "tuple": tuple,
    "dict": dict,
    "set": set,
}
_CALLS = {
    "len": "int",
    "ord": "int",
    "int": "int",
    "float": "float",
    "bool": "bool",
    "list": "list",
    "tuple": "tuple",
    "dict": "dict",
    "set": "set",
    "sorted": "list",
    "chr": "str",
    "hex": "str",
    "bin": "str",
    "oct": "str",
    "isinstance": "bool",
    "callable": "bool",
    "any": "bool",
    "all": "bool",
    "input": "str",
    "repr": "str",
    "str": "str",
    "ascii": "str",
}
_TEXTS = """
capitalize casefold center expandtabs join ljust lower lstrip removeprefix removesuffix replace rjust rstrip strip
swapcase title translate upper zfill
"""
_TRUTHS = """
endswith isalnum isalpha isascii isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle isupper
startswith
"""
_METHODS = {
    **dict.fromkeys(_TEXTS.split(), "str"),
    **dict.fromkeys(_TRUTHS.split(), "bool"),
    **dict.fromkeys(("split", "rsplit", "splitlines"), "list"),
    **dict.fromkeys(("count", "find", "index", "rfind", "rindex"), "int"),
    **dict.fromkeys(("partition", "rpartition"), "tuple"),
}
"""What the methods of `str` give."""

UNKNOWN, UNSEEN = "?", "-"
_NUMBERS = ("int", "bool")
_ORDERED = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


@dataclass
class Kinds:
    """The kinds of one scope's names."""

    facts: Facts
    names: dict[str, str] = field(default_factory=dict)

    def kind(self, node: ast.expr) -> str:
        """Return the exact built-in type of an expression's value; UNKNOWN if it is not proved."""
        match node:
            case ast.Constant():
                name = type(node.value).__name__
                return name if name in TYPES else UNKNOWN
            case ast.Name():
                return self.names.get(node.id, UNKNOWN)
            case ast.JoinedStr():
                return "str"
            case ast.List() | ast.ListComp():
                return "list"
            case ast.Tuple():
                return "tuple"
            case ast.Dict() | ast.DictComp():
                return "dict"
            case ast.Set() | ast.SetComp():
                return "set"
            case ast.UnaryOp():
                return "bool" if isinstance(node.op, ast.Not) else self._number(node.operand)
            case ast.BinOp():
                return self._operation(node)
            case ast.Compare():
                return self._comparison(node)
            case ast.IfExp():
                return joined(self.kind(node.body), self.kind(node.orelse))
            case ast.BoolOp():
                return joined(*map(self.kind, node.values))
            case ast.NamedExpr():
                return self.kind(node.value)
            case ast.Subscript():
                return self._part(node)
            case ast.Call():
                return self._call(node)
        return UNKNOWN

    def _number(self, node: ast.expr) -> str:
        kind = self.kind(node)
        return "int" if kind == "bool" else kind if kind in ("int", "float", UNSEEN) else UNKNOWN

    def _operation(self, node: ast.BinOp) -> str:
        left, right = self.kind(node.left), self.kind(node.right)
        if UNSEEN in (left, right):
            return UNSEEN if UNKNOWN not in (left, right) else UNKNOWN
        if left in _NUMBERS and right in _NUMBERS:
            if isinstance(node.op, ast.Add | ast.Sub | ast.Mult | ast.FloorDiv | ast.Mod | ast.LShift | ast.RShift):
                return "int"
            if isinstance(node.op, ast.Div):
                return "float"
        if isinstance(node.op, ast.Add) and left == right and left in ("str", "list", "tuple", "float", "bytes"):
            return left
        if isinstance(node.op, ast.Mult) and {left, right} & {"str", "list", "tuple"} and right in ("int", left):
            return left if right == "int" else UNKNOWN
        return UNKNOWN

    def _comparison(self, node: ast.Compare) -> str:
        kinds = [self.kind(operand) for operand in (node.left, *node.comparators)]
        known = all(kind in (*_NUMBERS, "float", "str") for kind in kinds)
        identity = all(isinstance(op, ast.Is | ast.IsNot | ast.In | ast.NotIn) for op in node.ops)
        if UNSEEN in kinds and UNKNOWN not in kinds:
            return UNSEEN
        return "bool" if known or identity else UNKNOWN

    def _part(self, node: ast.Subscript) -> str:
        kind = self.kind(node.value)
        if kind in ("str", UNSEEN):
            return kind
        return kind if isinstance(node.slice, ast.Slice) and kind in ("list", "tuple", "bytes") else UNKNOWN

    def _call(self, node: ast.Call) -> str:
        if isinstance(node.func, ast.Name) and node.func.id in self.facts.plain:
            kind = _CALLS.get(node.func.id, UNKNOWN)
            # What a class derived from str returns from __str__ is no exact str.
            return UNKNOWN if kind == "str" and {"__str__", "__repr__"} & self.facts.defined else kind
        if isinstance(node.func, ast.Attribute):
            kind = self.kind(node.func.value)
            if kind in ("str", UNSEEN):
                return _METHODS.get(node.func.attr, UNKNOWN) if kind == "str" else UNSEEN
        return UNKNOWN

    def element(self, node: ast.expr) -> str:
        """Return the kind of the elements of an expression."""
        kind = self.kind(node)
        if kind in ("str", UNSEEN):
            return kind
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in self.facts.plain:
            if node.func.id == "range":
                return "int"
            if node.func.id in ("reversed", "sorted", "list", "set", "tuple") and len(node.args) == 1:
                return self.element(node.args[0])
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.keywords:
            texts = self.kind(node.func.value) == "str"
            return "str" if texts and node.func.attr in ("split", "rsplit", "splitlines") else UNKNOWN
        if isinstance(node, ast.List | ast.Tuple | ast.Set) and node.elts:
            return joined(*map(self.kind, node.elts))
        return UNKNOWN

    def calm(self, node: ast.expr) -> bool:
        """Return whether evaluating an expression cannot fail, change anything, or differ later."""
        match node:
            case ast.Constant():
                return True
            case ast.Name():
                return sure(node)
            case ast.UnaryOp():
                known = self.kind(node.operand) in _NUMBERS or isinstance(node.op, ast.Not)
                return known and self.kind(node.operand) in TYPES and self.calm(node.operand)
            case ast.BinOp():
                kinds = [self.kind(node.left), self.kind(node.right)]
                total = isinstance(node.op, ast.Add | ast.Sub | ast.Mult) and all(k in _NUMBERS for k in kinds)
                texts = isinstance(node.op, ast.Add) and kinds == ["str", "str"]
                return (total or texts) and self.calm(node.left) and self.calm(node.right)
            case ast.Compare():
                parts = [node.left, *node.comparators]
                kinds = [self.kind(part) for part in parts]
                identity = all(isinstance(op, ast.Is | ast.IsNot) for op in node.ops)
                alike = all(k in _NUMBERS for k in kinds) or all(k == "str" for k in kinds)
                ordered = all(isinstance(op, (*_ORDERED, ast.Eq, ast.NotEq)) for op in node.ops)
                return (identity or (alike and ordered)) and all(self.calm(part) for part in parts)
            case ast.List() | ast.Tuple():
                return all(self.calm(element) for element in node.elts)
            case ast.Lambda():
                return not (node.args.defaults or any(node.args.kw_defaults))
            case ast.Call(func=ast.Name(id="len"), args=[only], keywords=[]):
                return "len" in self.facts.plain and self.kind(only) in TYPES and self.calm(only)
        return False

    def has(self, node: ast.expr, method: str) -> bool:
        """Return whether an expression's value certainly has a built-in method."""
        kind = self.kind(node)
        return kind in TYPES and hasattr(TYPES[kind], method)


def joined(*kinds: str) -> str:
    """Return the common kind of several kinds."""
    seen = {kind for kind in kinds if kind != UNSEEN}
    return UNSEEN if not seen else seen.pop() if len(seen) == 1 else UNKNOWN


def of_scope(scope: ast.AST, facts: Facts) -> Kinds:
    """Return the kinds of a function's or the module's names, from everything that is bound to them."""
    kinds = Kinds(facts)
    if {"str", "int", "list", "dict", "tuple", "float", "bool", "set"} - facts.plain:
        return kinds
    bound = _bound(scope, facts)
    fixed = set(parameters(scope.args)) if isinstance(scope, FunctionNode) else set()
    for node in walk(scope):
        if isinstance(node, ast.Global | ast.Nonlocal):
            fixed.update(node.names)
        elif isinstance(node, COMPREHENSIONS):  # inside, the name is another one
            fixed.update(name for generator in node.generators for name in targets(generator.target))
    counts = facts.bindings(scope)
    names = {name: UNSEEN for name in counts if name not in fixed and counts[name] == len(bound.get(name, ()))}
    kinds.names = names
    changed = True
    while changed:
        changed = False
        for name in names:
            kind = joined(*(_kind_of(kinds, how, value) for how, value in bound[name]))
            changed |= kind != names[name]
            names[name] = kind
    return kinds


def _kind_of(kinds: Kinds, how: str, value: ast.expr) -> str:
    return kinds.kind(value) if how == "is" else kinds.element(value) if how == "each" else how


def _bound(scope: ast.AST, facts: Facts) -> dict[str, list[tuple[str, ast.expr]]]:
    """Return what each name is bound to, as far as it is understood: a value, each element of one, or a kind."""
    bindings: dict[str, list[tuple[str, ast.expr]]] = {}

    def add(target: ast.expr, how: str, value: ast.expr) -> None:
        if isinstance(target, ast.Name):
            bindings.setdefault(target.id, []).append((how, value))

    for node in own(scope):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                add(target, "is", node.value)
                if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                    starred = any(isinstance(e, ast.Starred) for e in (*target.elts, *node.value.elts))
                    if len(target.elts) == len(node.value.elts) and not starred:
                        for element, value in zip(target.elts, node.value.elts, strict=True):
                            add(element, "is", value)
        elif isinstance(node, ast.AnnAssign | ast.NamedExpr):
            if node.value:
                add(node.target, "is", node.value)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            left = ast.Name(node.target.id, ast.Load())
            add(node.target, "is", ast.BinOp(left, node.op, node.value))
        elif isinstance(node, ast.For):
            add(node.target, "each", node.iter)
            match node:
                case ast.For(
                    target=ast.Tuple(elts=[first, second]),
                    iter=ast.Call(func=ast.Name(id="enumerate"), args=[only], keywords=[]),
                ) if "enumerate" in facts.plain:
                    add(first, "int", only)
                    add(second, "each", only)
    return bindings

"""The type of an expression as its text shows it; the type of a name needs a trace, so it is `$name`.

`$name[]` is an element of the name's value, `$name.field` an attribute. Only coverage uses this: a wrong guess puts
a count into the wrong row.
"""

from __future__ import annotations

import ast
import builtins

UNKNOWN = "?"
_LITERALS: dict[type[ast.AST], str] = {
    ast.JoinedStr: "str",
    ast.List: "list",
    ast.ListComp: "list",
    ast.Dict: "dict",
    ast.DictComp: "dict",
    ast.Set: "set",
    ast.SetComp: "set",
    ast.Tuple: "tuple",
    ast.Compare: "bool",
    ast.GeneratorExp: "generator",
}
_MAKERS = {
    "str": "str", "list": "list", "sorted": "list", "dict": "dict", "set": "set", "tuple": "tuple",
    "int": "int", "len": "int", "sum": "int", "ord": "int", "float": "float", "round": "float",
    "bytes": "bytes", "bytearray": "bytearray", "chr": "str", "repr": "str", "ascii": "str", "input": "str",
    "bin": "str", "hex": "str", "oct": "str", "format": "str", "frozenset": "frozenset", "bool": "bool",
    "complex": "complex", "range": "range",
}  # fmt: skip
_LISTS = {"split", "rsplit", "splitlines"}
_PAIRS = {"partition", "rpartition"}
_COUNTS = {"count", "find", "index", "rfind", "rindex", "bit_length", "bit_count"}
_BOOLS = {"startswith", "endswith", "isdisjoint", "issubset", "issuperset", "is_integer"}
_ELEMENTS = {"get", "pop", "setdefault"}
_KEEPING = {  # methods whose result has the type of what they are called on
    "capitalize", "center", "expandtabs", "join", "ljust", "lower", "lstrip", "removeprefix", "removesuffix",
    "replace", "rjust", "rstrip", "strip", "swapcase", "title", "translate", "upper", "zfill", "casefold", "format",
    "format_map", "copy", "difference", "intersection", "symmetric_difference", "union", "conjugate",
}  # fmt: skip
_WHOLES = {"str", "bytes", "list", "tuple", "set", "dict", "float"}
_CONSTANTS = {str: "str", bytes: "bytes", bool: "bool", int: "int", float: "float", complex: "complex"}


class Types:
    """What a source shows about types: the builtins that it does not shadow."""

    def __init__(self, tree: ast.Module) -> None:
        bound = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
        bound |= {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        self.builtins = frozenset(dir(builtins)) - bound

    def receiver(self, node: ast.expr) -> str:
        """Return the type that a method is called on; for `str.upper`, that is `str` itself."""
        if isinstance(node, ast.Name) and node.id in _MAKERS and node.id in self.builtins:
            return node.id
        return self.of(node)

    def of(self, node: ast.expr) -> str:
        """Return the type of an expression."""
        if isinstance(node, ast.Constant):
            return _CONSTANTS.get(type(node.value), UNKNOWN)
        if isinstance(node, ast.Call):
            return self._of_call(node)
        if isinstance(node, ast.Name):
            return f"${node.id}"
        if isinstance(node, ast.Attribute):
            return f"{whole}.{node.attr}" if (whole := self.of(node.value)).startswith("$") else UNKNOWN
        if isinstance(node, ast.Subscript):
            whole = self.of(node.value)
            return whole if isinstance(node.slice, ast.Slice) else _element(whole)
        if isinstance(node, ast.BinOp):
            return "float" if isinstance(node.op, ast.Div) else self._of_sides(node)
        if isinstance(node, ast.IfExp):
            return self.of(node.body)
        return _LITERALS.get(type(node), UNKNOWN)

    def _of_sides(self, node: ast.BinOp) -> str:
        """Return the type of a binary operation: `2 * 'ab'` is a str, `n + 1` has the type of n."""
        sides = self.of(node.left), self.of(node.right)
        ranked = [*(kind for kind in sides if kind in _WHOLES), *(kind for kind in sides if kind != UNKNOWN)]
        return ranked[0] if ranked else UNKNOWN

    def _of_call(self, node: ast.Call) -> str:
        if isinstance(node.func, ast.Name):
            return _MAKERS.get(node.func.id, UNKNOWN) if node.func.id in self.builtins else UNKNOWN
        if not isinstance(node.func, ast.Attribute):
            return UNKNOWN
        name, whole = node.func.attr, self.of(node.func.value)
        if name == "join" and whole == UNKNOWN:
            return "str"
        fixed = {
            "encode": "bytes",
            "decode": "str",
            "hex": "str",
            "fromhex": "bytes",
            "to_bytes": "bytes",
            "from_bytes": "int",
        }
        if name in fixed:
            return fixed[name]
        for names, kind in ((_LISTS, "list"), (_PAIRS, "tuple"), (_COUNTS, "int"), (_BOOLS, "bool")):
            if name in names:
                return kind
        if name.startswith("is"):
            return "bool"
        if name in _ELEMENTS:
            return _element(whole)
        if whole == UNKNOWN:
            return "str" if name in dir(str) and name not in dir(list) else UNKNOWN
        return whole if name in _KEEPING else UNKNOWN


def _element(whole: str) -> str:
    """Return the element type of a type."""
    return f"{whole}[]" if whole.startswith("$") else {"str": "str", "bytes": "int"}.get(whole, UNKNOWN)

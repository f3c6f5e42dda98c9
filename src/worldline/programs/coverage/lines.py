"""The coverage entries of each line of a source: `for`, `op //`, `method str.upper`, `slice [i:]`, ...

An entry belongs to the line that a step names; the entries of a function's own form belong to its call. What a
module executes before the recorded call counts at its use: a class at calls of its methods, an import at the lines
that use it. A method of a name is `method $name.method`: only a trace shows the name's type (see `receivers`).
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator

from worldline.programs.coverage.types import Types

_OPERATORS = {
    "Add": "+", "Sub": "-", "Mult": "*", "Div": "/", "FloorDiv": "//", "Mod": "%", "Pow": "**",
    "LShift": "<<", "RShift": ">>", "BitOr": "|", "BitXor": "^", "BitAnd": "&", "MatMult": "@",
    "Invert": "~", "Not": "not", "UAdd": "+x", "USub": "-x", "And": "and", "Or": "or", "Eq": "==",
    "NotEq": "!=", "Lt": "<", "LtE": "<=", "Gt": ">", "GtE": ">=", "Is": "is", "IsNot": "is not",
    "In": "in", "NotIn": "not in",
}  # fmt: skip
_STATEMENTS: dict[type[ast.AST], str] = {
    ast.If: "if", ast.For: "for", ast.While: "while", ast.Return: "return", ast.Assign: "assign",
    ast.AnnAssign: "annotated assign", ast.AugAssign: "augmented assign", ast.Raise: "raise",
    ast.Try: "try", ast.With: "with", ast.Assert: "assert", ast.Delete: "del", ast.Pass: "pass",
    ast.Break: "break", ast.Continue: "continue", ast.Expr: "expression statement", ast.Match: "match",
    ast.Import: "import", ast.ImportFrom: "from import", ast.FunctionDef: "def", ast.ClassDef: "class",
    ast.AsyncFunctionDef: "async def", ast.AsyncFor: "async for", ast.AsyncWith: "async with", ast.Await: "await",
    ast.TryStar: "try star",
    ast.ExceptHandler: "except", ast.Lambda: "lambda", ast.IfExp: "conditional", ast.NamedExpr: ":=",
    ast.Yield: "yield", ast.YieldFrom: "yield from", ast.ListComp: "list comprehension",
    ast.SetComp: "set comprehension", ast.DictComp: "dict comprehension",
    ast.GeneratorExp: "generator expression", ast.JoinedStr: "f-string", ast.Starred: "starred",
}  # fmt: skip
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_SPEC = re.compile(r"(?:(.)?([<>=^]))?([-+ ])?(#)?(0)?(\d+)?([,_])?(\.\d+)?([a-zA-Z%])?")
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_SCOPES: dict[type[ast.AST], str] = {  # what has frames of its own beside functions, and how those are called
    ast.Lambda: "<lambda>",
    ast.ListComp: "<listcomp>",
    ast.SetComp: "<setcomp>",
    ast.DictComp: "<dictcomp>",
    ast.GeneratorExp: "<genexpr>",
}
SCOPES = frozenset(_SCOPES.values())
CALLED = "()"
Entries = dict[tuple[int, str], tuple[str, ...]]


def entries(source: str, tree: ast.Module) -> Entries:
    """Return the entries of every line and scope.

    The scope is "" for functions, `<lambda>` and the like for other frames, and `()` for a function's call.
    """
    collected: dict[tuple[int, str], list[str]] = {}
    types, imported = Types(tree), _imported(tree)
    for node, scope in _scoped(tree):
        line = getattr(node, "lineno", None)
        if line is not None:
            collected.setdefault((line, scope), []).extend(_of_node(node, types))
        if isinstance(node, ast.Name) and node.id in imported:
            collected.setdefault((node.lineno, scope), []).append(imported[node.id])
        elif isinstance(node, _FUNCTIONS):
            collected.setdefault(_called(node), []).extend(_of_function(node, types))
        elif isinstance(node, ast.ClassDef):
            for method in node.body:
                if isinstance(method, _FUNCTIONS):
                    collected.setdefault(_called(method), []).append("class")
    for line, entry in spellings(source):
        collected.setdefault((line, ""), []).append(entry)
    return {place: tuple(texts) for place, texts in collected.items()}


def _called(node: ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[int, str]:
    """Return the place of a function's call: its first line, decorators included."""
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)]), CALLED


def _imported(tree: ast.Module) -> dict[str, str]:
    """Map the names that imports bind to the form of the import."""
    return {
        (part.asname or part.name).partition(".")[0]: _STATEMENTS[type(node)]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for part in node.names
    }


def _scoped(tree: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """Yield every node with the kind of frame that runs it; the first iterable of a comprehension runs outside."""
    waiting: list[tuple[ast.AST, str]] = [(tree, "")]
    while waiting:
        node, scope = waiting.pop()
        yield node, scope
        inner = "" if isinstance(node, _FUNCTIONS) else _SCOPES.get(type(node), scope)
        outside = node.generators[0].iter if isinstance(node, _COMPREHENSIONS) else None
        for part in ast.iter_child_nodes(node):
            if outside is not None and isinstance(part, ast.comprehension) and part.iter is outside:
                waiting.append((outside, scope))
                waiting += [(node_inside, inner) for node_inside in (part.target, *part.ifs)]
            else:
                waiting.append((part, inner))


def _of_node(node: ast.AST, types: Types) -> Iterator[str]:
    if (word := _STATEMENTS.get(type(node))) is not None:
        yield word
    if isinstance(node, ast.For | ast.While) and node.orelse:
        yield f"{_STATEMENTS[type(node)]} else"
    elif isinstance(node, ast.If) and node.orelse:
        yield "elif" if isinstance(node.orelse[0], ast.If) else "if else"
    elif isinstance(node, ast.Try):
        yield from (word for word, part in (("try else", node.orelse), ("finally", node.finalbody)) if part)
    elif isinstance(node, ast.Assign | ast.For):
        yield from _targets(node)
    elif isinstance(node, ast.BinOp | ast.UnaryOp | ast.BoolOp | ast.AugAssign):
        mark = _OPERATORS[type(node.op).__name__]
        yield f"op {mark}=" if isinstance(node, ast.AugAssign) else f"op {mark}"
    elif isinstance(node, ast.Compare):
        yield from (f"op {_OPERATORS[type(op).__name__]}" for op in node.ops)
        yield from ["chained comparison"] * (len(node.ops) > 1)
    elif isinstance(node, ast.Call):
        yield from _of_call(node, types)
    elif isinstance(node, ast.Subscript):
        yield _subscript(node)
    elif isinstance(node, _COMPREHENSIONS):
        yield from ["comprehension if"] * any(part.ifs for part in node.generators)
        yield from ["comprehension nested"] * (len(node.generators) > 1)
    elif isinstance(node, ast.FormattedValue):
        yield from _formatted(node)
    elif isinstance(node, ast.pattern):
        yield f"pattern {type(node).__name__.removeprefix('Match').lower()}"


def _targets(node: ast.Assign | ast.For) -> Iterator[str]:
    several = node.targets if isinstance(node, ast.Assign) else [node.target]
    if len(several) > 1:
        yield "chained assign"
    for target in several:
        if isinstance(target, ast.Tuple | ast.List):
            yield "unpacking"
            if any(isinstance(part, ast.Starred) for part in target.elts):
                yield "starred unpacking"
        elif isinstance(target, ast.Subscript):
            yield "slice assign" if isinstance(target.slice, ast.Slice) else "item assign"
        elif isinstance(target, ast.Attribute):
            yield "attribute assign"


def _of_call(node: ast.Call, types: Types) -> Iterator[str]:
    if isinstance(node.func, ast.Name):
        if node.func.id in types.builtins:
            yield f"builtin {node.func.id}"
    elif isinstance(node.func, ast.Attribute):
        yield f"method {types.receiver(node.func.value)}.{node.func.attr}"
    if any(keyword.arg for keyword in node.keywords):
        yield "keyword argument"
    if any(keyword.arg is None for keyword in node.keywords):
        yield "double-starred argument"
    if any(isinstance(part, ast.Starred) for part in node.args):
        yield "starred argument"


def _subscript(node: ast.Subscript) -> str:
    """Return the shape of a subscript: which bounds a slice has, and which are negative."""
    if not isinstance(node.slice, ast.Slice):
        return "index [-i]" if _is_negative(node.slice) else "index [i]"
    part = node.slice
    shape = _bound(part.lower, "i") + ":" + _bound(part.upper, "j")
    return f"slice [{shape}{':' + _bound(part.step, 'k') if part.step is not None else ''}]"


def _bound(node: ast.expr | None, letter: str) -> str:
    return "" if node is None else f"-{letter}" if _is_negative(node) else letter


def _is_negative(node: ast.expr) -> bool:
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)


def _formatted(node: ast.FormattedValue) -> Iterator[str]:
    if node.conversion > 0:
        yield f"f-string !{chr(node.conversion)}"
    if isinstance(node.format_spec, ast.JoinedStr):
        parts = [part.value for part in node.format_spec.values if isinstance(part, ast.Constant)]
        if len(parts) < len(node.format_spec.values):
            yield "format nested"
        yield from _of_spec("".join(str(part) for part in parts))


def _of_spec(text: str) -> Iterator[str]:
    match = _SPEC.fullmatch(text)
    if match is None:
        return
    _, align, sign, alternate, zero, width, group, precision, form = match.groups()
    if align:
        yield f"format {align}"
    if sign:
        yield "format sign"
    yield from (f"format {word}" for word, part in (("#", alternate), ("0", zero), ("width", width)) if part)
    yield from (f"format {word}" for word, part in (("group", group), ("precision", precision)) if part)
    if form:
        yield f"format {form}"


def _of_function(node: ast.FunctionDef | ast.AsyncFunctionDef, types: Types) -> Iterator[str]:
    yield "call"
    names = [part.id for part in node.decorator_list if isinstance(part, ast.Name)]
    yield from (f"builtin {name}" for name in names if name in types.builtins)
    arguments = node.args
    shapes = {
        "default argument": arguments.defaults,
        "*args": arguments.vararg,
        "**kwargs": arguments.kwarg,
        "keyword-only argument": arguments.kwonlyargs,
        "positional-only argument": arguments.posonlyargs,
        "annotations": node.returns or [a for a in arguments.args if a.annotation],
        "decorator": node.decorator_list,
    }
    yield from (word for word, part in shapes.items() if part)
    for part in ast.walk(node):
        if isinstance(part, ast.Global | ast.Nonlocal):
            yield type(part).__name__.lower()
        elif isinstance(part, _FUNCTIONS) and part is not node:
            yield "nested def"
        elif isinstance(part, ast.Call) and isinstance(part.func, ast.Name) and part.func.id == node.name:
            yield "recursion"


def spellings(source: str) -> Iterator[tuple[int, str]]:
    """Yield how literals are written, with their lines."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    except (tokenize.TokenError, SyntaxError):
        return
    for token in tokens:
        if token.type == tokenize.STRING:
            yield from ((token.start[0], f"literal {word}") for word in _string(token.string))
        elif token.type == tokenize.NUMBER:
            yield token.start[0], f"literal {_number(token.string.lower())}"


def _string(text: str) -> Iterator[str]:
    prefix = text[: min(text.find(quote) for quote in "'\"" if quote in text)].lower()
    quotes = text[len(prefix) :]
    if quotes[:3] in ("'''", '"""'):
        yield "triple-quoted"
    else:
        yield "single-quoted" if quotes[0] == "'" else "double-quoted"
    if "r" in prefix:
        yield "raw"
    elif "\\" in text:
        yield "escape"
    if "b" in prefix:
        yield "bytes"
    if not text.isascii():
        yield "unicode"


def _number(text: str) -> str:
    if text[:2] in ("0x", "0o", "0b"):
        return {"x": "hex", "o": "octal", "b": "binary"}[text[1]]
    if text.endswith("j"):
        return "complex"
    if "e" in text:
        return "exponent"
    if "." in text:
        return "float"
    return "underscored int" if "_" in text else "int"

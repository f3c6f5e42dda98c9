"""Guess the kinds of a function's arguments from annotations, defaults, their use in the code, and names.

A guess is a weight for each kind of value that `inputs` can draw. A wrong guess only costs a try.
"""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import dataclass

VALUE_KINDS = (
    "int", "float", "bool", "none", "str", "bytes", "ints", "strs", "floats", "items", "rows", "pairs",
    "tuple", "counts", "texts", "groups", "set", "function", "predicate", "binary",
)  # fmt: skip
_CONSTANTS: dict[type, str] = {bool: "bool", int: "int", float: "float", str: "str", bytes: "bytes"}
_STR = """
capitalize casefold center encode endswith expandtabs find format isalnum isalpha isdigit isidentifier
islower isspace istitle isupper join ljust lower lstrip partition removeprefix removesuffix replace rfind
rindex rjust rpartition rsplit rstrip split splitlines startswith strip swapcase title translate upper
zfill isnumeric isdecimal isascii
"""
_WIDTHS = {"center", "ljust", "rjust", "zfill", "expandtabs"}
_LIST = "append extend insert pop remove reverse sort"
_DICT = "items keys values get setdefault update popitem"
_SET = "add discard union intersection difference issubset issuperset"
_METHODS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(_STR.split(), ("str",)),
    **dict.fromkeys(_LIST.split(), ("ints", "strs", "items")),
    **dict.fromkeys(_DICT.split(), ("counts", "texts", "groups")),
    **dict.fromkeys(_SET.split(), ("set",)),
    "decode": ("bytes",),
    "hex": ("bytes", "float"),
    "bit_length": ("int",),
    "index": ("str", "ints", "strs"),
    "count": ("str", "ints", "strs"),
    "copy": ("ints", "counts"),
}
_CALLS: dict[str, tuple[str, ...]] = {
    "range": ("int",), "chr": ("int",), "bin": ("int",), "oct": ("int",), "ord": ("str",),
    "int": ("str", "int", "float"), "float": ("str", "float", "int"), "sum": ("ints", "floats"),
    "len": ("str", "ints", "strs"), "sorted": ("ints", "strs"), "enumerate": ("strs", "ints", "str"),
    "zip": ("ints", "strs"), "reversed": ("ints", "str"), "iter": ("ints", "strs"), "set": ("ints", "strs"),
    "list": ("ints", "str"), "tuple": ("ints",), "dict": ("counts", "pairs"), "abs": ("int", "float"),
    "round": ("float",), "divmod": ("int",), "min": ("ints", "int"), "max": ("ints", "int"),
    "map": ("ints", "strs"), "match": ("str",), "search": ("str",), "sub": ("str",), "findall": ("str",),
    "finditer": ("str",), "escape": ("str",), "fullmatch": ("str",), "sqrt": ("float", "int"),
    "floor": ("float",), "ceil": ("float",), "log": ("float",), "gcd": ("int",), "islice": ("ints", "strs"),
    "chain": ("rows",), "Counter": ("strs", "str"), "deque": ("ints",), "next": (),
    "callable": ("function",), "any": ("ints",), "all": ("ints",), "groupby": ("ints", "strs"),
}  # fmt: skip
_TYPES: dict[str, tuple[str, ...]] = {
    "int": ("int",), "float": ("float", "int"), "bool": ("bool",), "str": ("str",), "bytes": ("bytes",),
    "None": ("none",), "list": ("ints", "strs", "items", "rows"), "List": ("ints", "strs", "items", "rows"),
    "tuple": ("tuple",), "Tuple": ("tuple", "pairs"), "Sequence": ("ints", "strs", "str", "tuple"),
    "Iterable": ("ints", "strs", "items", "pairs"), "Iterator": ("ints", "strs"),
    "Collection": ("ints", "strs"), "dict": ("counts", "texts", "groups"),
    "Dict": ("counts", "texts", "groups"), "Mapping": ("counts", "texts", "groups"), "set": ("set",),
    "Set": ("set",), "frozenset": ("set",), "Callable": ("function", "predicate", "binary"),
    "Any": ("int", "str", "ints", "counts"), "object": ("int", "str", "ints"), "Number": ("int", "float"),
    "Real": ("int", "float"), "SupportsFloat": ("float", "int"), "Decimal": ("int",), "Text": ("str",),
    "AnyStr": ("str",), "Pattern": ("str",), "Match": (), "Union": (), "Optional": (),
}  # fmt: skip
_ELEMENTS = {
    "int": "ints",
    "str": "strs",
    "float": "floats",
    "list": "rows",
    "List": "rows",
    "tuple": "pairs",
    "Tuple": "pairs",
}
# Kinds, and the names that suggest them; `*` matches any ending. The first matching row counts.
_NAMES = """
strs: strings words lines names tokens parts keys paths strs headers columns labels
ints strs items: nums numbers ints arr array values xs ys seq sequence iterable items lst list data args elements it
rows: matrix grid rows table iterables lists board
pairs: pairs edges
counts texts groups: d dic dict mapping dct obj config options params context env graph
function binary: func fn function f callback op transform keyfunc
predicate: pred predicate cond condition test filter
bool: is_* has_* flag strict reverse verbose ignore* allow* use_* case*
str: s t st string str text word name line path prefix suffix sep char c ch msg message url filename key pattern
str: delim* label title value content src source html token phrase sentence tag string1 string2 s1 s2 left right other
bytes str: b bytes buf buffer raw blob
int: n i j k m num number count size length width height index idx pos start stop end step depth level limit maxlen
int: max* min* year month day hour base bits offset indent a p q r lo hi total digits precision code
float int: x y z val ratio rate factor alpha beta theta angle seconds amount price weight tolerance eps h l v
"""
_NAME_ROWS = [(kinds.split(), names.split()) for kinds, _, names in (row.partition(": ") for row in _NAMES.split("\n"))]


@dataclass(frozen=True)
class Parameter:
    """One argument: its name, the weight of each kind, and whether it is optional."""

    name: str
    weights: dict[str, float]
    optional: bool = False


@dataclass(frozen=True)
class GuessedSignature:
    """Parameters of a call, whether it takes more, and literals of the code, which make telling inputs."""

    parameters: tuple[Parameter, ...]
    variadic: bool
    texts: tuple[str, ...]
    numbers: tuple[int, ...]
    yields: bool


def guess_signature(node: ast.FunctionDef, source: str, *, method: bool = False) -> GuessedSignature:
    """Guess a function's parameters (without `self` for a method)."""
    arguments = [*node.args.posonlyargs, *node.args.args]
    defaults: list[ast.expr | None] = [None] * (len(arguments) - len(node.args.defaults)) + list(node.args.defaults)
    pairs = list(zip(arguments, defaults, strict=True))[int(method) :]
    evidence = count_uses(node)
    parameters = tuple(
        Parameter(argument.arg, _weigh_kinds(argument, default, evidence), default is not None)
        for argument, default in pairs
    )
    texts, numbers = _literals(source)
    return GuessedSignature(parameters, node.args.vararg is not None, texts, numbers, yields(node))


def _weigh_kinds(argument: ast.arg, default: ast.expr | None, evidence: dict[str, Counter[str]]) -> dict[str, float]:
    weights: Counter[str] = Counter()
    if argument.annotation is not None:
        for kind in _kinds_by_annotation(argument.annotation):
            weights[kind] += 6
    if isinstance(default, ast.Constant) and (literal := _CONSTANTS.get(type(default.value))):
        weights[literal] += 6
    elif isinstance(default, ast.Tuple | ast.List):
        weights["items"] += 3
    for kind, count in evidence.get(argument.arg, Counter()).items():
        weights[kind] += min(count, 4)
    weights.update(_kinds_by_name(argument.arg.strip("_").lower()))
    if not weights:
        weights.update({"int": 2, "str": 2, "ints": 1, "strs": 1})
    return dict(weights)


def _kinds_by_name(name: str) -> list[str]:
    """Kinds that a name suggests."""
    for kinds, names in _NAME_ROWS:
        if any(name.startswith(known[:-1]) if known[-1] == "*" else name == known for known in names):
            return kinds
    return []


def _kinds_by_annotation(node: ast.expr) -> list[str]:
    """Kinds that an annotation allows."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            return _kinds_by_annotation(ast.parse(node.value, mode="eval").body)
        except SyntaxError:
            return []
    if isinstance(node, ast.Constant) and node.value is None:
        return ["none"]
    if isinstance(node, ast.BinOp):
        return _kinds_by_annotation(node.left) + _kinds_by_annotation(node.right)
    if isinstance(node, ast.Attribute):
        return list(_TYPES.get(node.attr, ()))
    if isinstance(node, ast.Name):
        return list(_TYPES.get(node.id, ()))
    if isinstance(node, ast.Subscript):
        return _kinds_by_subscript(node)
    return []


def _kinds_by_subscript(node: ast.Subscript) -> list[str]:
    outer = node.value.attr if isinstance(node.value, ast.Attribute) else getattr(node.value, "id", "")
    inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if outer in ("Union", "Optional"):
        return [kind for part in inner for kind in _kinds_by_annotation(part)] + ["none"] * (outer == "Optional")
    first = inner[0] if inner else node.slice
    name = first.value if isinstance(first, ast.Subscript) else first
    element = _ELEMENTS.get(getattr(name, "id", getattr(name, "attr", "")))
    kinds = list(_TYPES.get(outer, ()))
    return [element] if element and set(kinds) & {"ints", "strs"} else kinds


def count_uses(node: ast.FunctionDef) -> dict[str, Counter[str]]:
    """Count, for each name, the kinds that the code treats it as."""
    counts: dict[str, Counter[str]] = {}

    def note(part: ast.AST | None, *kinds: str) -> None:
        if isinstance(part, ast.Name):
            counts.setdefault(part.id, Counter()).update(kinds)

    for part in ast.walk(node):
        match part:
            case ast.Attribute(value=ast.Name() as name, attr=attr):
                note(name, *_METHODS.get(attr, ()))
            case ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name() as name, kind]):
                types = kind.elts if isinstance(kind, ast.Tuple) else [kind]
                note(name, *(k for argument in types for k in _kinds_by_annotation(argument)))
            case ast.Call(func=called, args=args):
                note(called, "function", "predicate")
                label = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
                for argument in args:
                    note(argument, *_CALLS.get(label, ()))
                _note_arguments(note, called, args)
            case ast.For(iter=iterable) | ast.comprehension(iter=iterable):
                note(iterable, "ints", "strs", "str")
            case ast.Subscript(value=ast.Name() as name, slice=index):
                _note_subscript(note, name, index)
            case ast.BinOp(left=left, op=op, right=right):
                _note_operator(note, left, op, right)
            case ast.AugAssign(value=value):
                note(value, "int")
            case ast.Compare(left=left, comparators=[right], ops=[op]):
                _note_comparison(note, left, op, right)
    return counts


def _note_arguments(note: object, called: ast.expr, args: list[ast.expr]) -> None:
    """Arguments of string methods: text, or a width."""
    assert callable(note)
    if not isinstance(called, ast.Attribute) or called.attr not in _STR.split():
        return
    for place, argument in enumerate(args):
        if called.attr == "join":
            note(argument, "strs", "strs", "str")
        elif called.attr in _WIDTHS and place == 0:
            note(argument, "int", "int")
        elif called.attr not in ("format", "encode", "translate"):
            note(argument, "str", "str")


def _note_subscript(note: object, name: ast.Name, index: ast.expr) -> None:
    assert callable(note)
    if isinstance(index, ast.Slice):
        note(name, "str", "ints", "strs")
        note(index.lower, "int")
        note(index.upper, "int")
    elif isinstance(index, ast.Constant) and isinstance(index.value, str):
        note(name, "counts", "texts")
    else:
        note(name, "str", "ints", "strs")
        note(index, "int", "str")


def _note_operator(note: object, left: ast.expr, op: ast.operator, right: ast.expr) -> None:
    assert callable(note)
    for operand, other_operand in ((left, right), (right, left)):
        value = getattr(other_operand, "value", None) if isinstance(other_operand, ast.Constant) else None
        if isinstance(value, str):
            note(operand, "str" if isinstance(op, ast.Add) else "int")
        elif isinstance(op, ast.FloorDiv | ast.Mod | ast.LShift | ast.RShift | ast.BitAnd | ast.BitOr | ast.BitXor):
            note(operand, "int", "int")
        elif isinstance(value, float):
            note(operand, "float", "float", "int")
        else:
            note(operand, "int", "float")


def _note_comparison(note: object, left: ast.expr, op: ast.cmpop, right: ast.expr) -> None:
    assert callable(note)
    if isinstance(op, ast.In | ast.NotIn):
        note(right, "strs", "counts", "set", "str", "ints")
        if isinstance(right, ast.Constant) and isinstance(right.value, str):
            note(left, "str", "str")
        return
    for operand, other_operand in ((left, right), (right, left)):
        if isinstance(other_operand, ast.Constant):
            kind = _CONSTANTS.get(type(other_operand.value))
            note(operand, *([kind] if kind else []))
    if isinstance(op, ast.Lt | ast.Gt | ast.LtE | ast.GtE):
        note(left, "int")
        note(right, "int")


def _literals(source: str) -> tuple[tuple[str, ...], tuple[int, ...]]:
    texts: dict[str, None] = {}
    numbers: dict[int, None] = {}
    for part in ast.walk(ast.parse(source)):
        if isinstance(part, ast.Constant):
            if isinstance(part.value, str) and 0 < len(part.value) <= 12:
                texts[part.value] = None
            elif type(part.value) is int and abs(part.value) < 10_000:
                numbers[part.value] = None
    return tuple(texts), tuple(numbers)


def yields(node: ast.FunctionDef) -> bool:
    """Return whether a function is a generator."""
    waiting: list[ast.AST] = list(node.body)
    while waiting:
        part = waiting.pop()
        if isinstance(part, ast.Yield | ast.YieldFrom):
            return True
        if not isinstance(part, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            waiting += ast.iter_child_nodes(part)
    return False

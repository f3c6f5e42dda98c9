"""Methods that can be looked up twice: nothing notices the look-up, and it gives the same method both times.

A method call is flattened as `text.ljust`, `t1 = len(a)`, `text.ljust(t1)`: the first line fails where the original
look-up fails, before the arguments are evaluated. That needs receivers without look-ups of their own, and attributes
that nobody sets in between. The proof covers the whole program: classes, functions and modules can have attributes
set as well. Code that could set one by a name that is not written out, or code of an unknown module, refutes it.
"""

from __future__ import annotations

import ast
import re
from collections import ChainMap, Counter, OrderedDict, defaultdict, deque
from collections.abc import Iterator

from worldline.analyze.rewrite.names import FunctionNode
from worldline.analyze.rewrite.tree import walk

_RECEIVERS: tuple[type, ...] = (
    *(str, bytes, bytearray, list, tuple, dict, set, frozenset, int, float, complex, range, memoryview),
    *(deque, Counter, OrderedDict, defaultdict, ChainMap, re.Pattern, re.Match),
)
_OTHER_METHODS = "write writelines choice choices randint shuffle sample uniform strftime quantize limit_denominator"
METHODS = frozenset(_OTHER_METHODS.split()) | frozenset(
    name for kind in _RECEIVERS for name in dir(kind) if name[0] != "_" and callable(getattr(kind, name))
)
# Their objects set no attribute that a program did not name, and notice no look-up.
_MODULES = """
__future__ abc array bisect calendar cmath collections copy dataclasses datetime decimal enum fractions functools
hashlib heapq io itertools json math numbers operator random re statistics string sys textwrap time typing unicodedata
"""
# They define look-ups, or set attributes by another way than `x.name = value`. Texts and comments count.
_WORDS = """
__getattr__ __getattribute__ __get__ __set__ __delete__ __setattr__ __delattr__ __dict__ __class__ __set_name__
__reduce__ __reduce_ex__ __setstate__ __getstate__ __prepare__ __import__ __builtins__ setattr delattr vars globals
locals exec eval compile attrgetter methodcaller update_wrapper assigned updated make_dataclass modules importlib
abstractproperty DynamicClassAttribute metaclass
"""
_KNOWN_MODULES, _REFUTING_WORDS = frozenset(_MODULES.split()), frozenset(_WORDS.split())
_PROPERTIES = frozenset(["property", "cached_property"])


def repeatable_methods(trees: list[ast.Module], words: frozenset[str], defined: frozenset[str]) -> frozenset[str]:
    """Return the methods whose look-up can be repeated on any receiver; empty if the code could notice it.

    Args:
        trees: The program and its call.
        words: Every identifier in their texts.
        defined: Methods that classes of the program define.
    """
    if words & _REFUTING_WORDS:
        return frozenset()
    nodes = [node for tree in trees for node in walk(tree)]
    benign = {id(part) for node in nodes for part in _benign(node)}
    if any(_refutes(node) and id(node) not in benign for node in nodes):
        return frozenset()
    methods = METHODS | frozenset(name for name in (*defined, *_functions(nodes)) if not name.startswith("__"))
    return methods - frozenset(name for node in nodes for name in _set_by(node))


def _functions(nodes: list[ast.AST]) -> Iterator[str]:
    """Yield what a program looks up in the modules that it imports; `sys` changes its attributes by itself."""
    imported = [alias for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    modules = {alias.asname or alias.name for alias in imported if alias.name != "sys"}
    for node in nodes:
        match node:
            case ast.Attribute(value=ast.Name(id=name)) if name in modules:
                yield node.attr


def _benign(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what would refute the proof elsewhere, but does not where it stands in this node."""
    match node:
        case ast.FunctionDef():
            yield from (part for part in node.decorator_list if _is_property(part))
            if node.name == "__init__" and node.args.args:
                yield from _base_initialisers(node, node.args.args[0].arg)
        case ast.Call(func=ast.Name(id="type"), args=[_], keywords=[]):
            yield node.func
        case ast.Call(func=ast.Name(id="getattr"), args=[_, ast.Constant(value=str()), *_]):
            yield node.func
        case ast.alias(name=name) if name in _PROPERTIES and not node.asname:
            yield node


def _base_initialisers(node: ast.FunctionDef, self: str) -> Iterator[ast.AST]:
    """Yield the `__init__` of bases that an object calls on itself, in statements of its own `__init__`."""
    if any(isinstance(part, ast.Name) and part.id == self and isinstance(part.ctx, ast.Store) for part in walk(node)):
        return
    for statement in node.body:
        match statement:
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="super"), args=[])) as func)
            ):
                yield func
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name()) as func, args=[ast.Name(id=first), *_])):
                yield from [func] * (first == self)


def _is_property(node: ast.expr) -> bool:
    name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    return name in _PROPERTIES


def _refutes(node: ast.AST) -> bool:
    """Return whether a node could bring in other look-ups, or set attributes that are not written out."""
    match node:
        case ast.Import():
            return any(alias.name.partition(".")[0] not in _KNOWN_MODULES for alias in node.names)
        case ast.ImportFrom():
            return bool(node.level) or (node.module or "").partition(".")[0] not in _KNOWN_MODULES
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name):
            return name in ("type", "getattr", "__init__") or name in _PROPERTIES
    return False


def _set_by(node: ast.AST) -> Iterator[str]:
    """Yield the attributes that a node sets, deletes or computes; in a class body, those that are not methods."""
    match node:
        case ast.Attribute(ctx=ast.Store() | ast.Del()):
            yield node.attr
        case ast.FunctionDef() if any(_is_property(part) for part in node.decorator_list):
            yield node.name
        case ast.ClassDef():
            for part in walk(ast.Module([s for s in node.body if not isinstance(s, FunctionNode)], [])):
                if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                    yield part.id

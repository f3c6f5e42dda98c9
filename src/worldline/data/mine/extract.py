"""Extract functions from source files, each made self-contained with the definitions it needs.

A function is taken if everything it names is a builtin, comes from a pure module of the standard library,
or is defined in the same package and small enough to bring along. It keeps its place in the file, some
with uncalled neighbours. Long docstrings are dropped, imports that puzzle sites imply are added, and
`xrange` becomes `range`. Nothing is imported or run here.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from random import Random

# A document of 4 KB then has room for the steps.
MAX_SOURCE_BYTES = 2_600
MAX_LINES = 80
MAX_DEFINITIONS = 10
MAX_FILE_BYTES = 1 << 20
# Share of functions that get neighbours.
NEIGHBOUR_SHARE = 0.35
MAX_NEIGHBOURS = 4
_PURE_MODULES = """
abc base64 binascii bisect calendar collections collections.abc colorsys copy dataclasses datetime decimal
difflib enum fractions functools heapq html itertools json keyword math numbers operator re statistics
string struct textwrap types typing unicodedata __future__
"""
PURE_MODULES = frozenset(_PURE_MODULES.split())
# Imports that submitted solutions leave out.
_IMPLIED_NAMES = """
collections: Counter OrderedDict defaultdict deque namedtuple
functools: cache cmp_to_key lru_cache partial reduce
heapq: heapify heappop heappush heappushpop heapreplace nlargest nsmallest
itertools: accumulate chain combinations count cycle groupby islice pairwise permutations product zip_longest
bisect: bisect_left bisect_right insort insort_left
math: ceil comb factorial floor gcd inf isqrt log2 sqrt
typing: Dict List Optional Set Tuple
string: ascii_lowercase ascii_uppercase
"""
_IMPLIED = {
    name: f"from {module} import {name}\n"
    for module, _, names in (row.partition(": ") for row in _IMPLIED_NAMES.strip().split("\n"))
    for name in names.split()
} | {
    name: f"import {name}\n"
    for name in "bisect collections functools heapq itertools math operator re string".split()  # noqa: SIM905
}
_DENIED_NAMES = """
open exec eval compile input globals locals vars __import__ breakpoint exit quit id hash memoryview help
__file__ __name__ __doc__ __package__ __spec__ super
"""
_DENIED = frozenset(_DENIED_NAMES.split())
_ALLOWED_DECORATORS = {"lru_cache", "cache", "total_ordering", "staticmethod", "classmethod", "property", "dataclass"}
_BUILTINS = frozenset(dir(builtins))
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_XRANGE = re.compile(r"\bxrange\b")
_FUTURE = "from __future__ import annotations\n"


@dataclass(frozen=True)
class ExtractedFunction:
    """A self-contained source and the function or class in it to call.

    Attributes:
        source: The source.
        node: The function or class.
        origin: Where it comes from.
        methods: Methods of a class that can be called on an instance.
        alone: The source without neighbours, if it has any.
    """

    source: str
    node: ast.FunctionDef | ast.ClassDef
    origin: str
    methods: tuple[ast.FunctionDef, ...] = ()
    alone: str = ""

    @property
    def core(self) -> str:
        """What is called and what it needs; it decides the split and duplicates."""
        return self.alone or self.source

    def without_neighbours(self) -> ExtractedFunction:
        """Return the same function without uncalled neighbours."""
        return replace(self, source=self.core, alone="")


@dataclass
class _Module:
    """A parsed file: its top-level definitions by name, and which names are imported from where."""

    path: Path
    lines: list[str]
    tree: ast.Module
    definitions: dict[str, ast.stmt] = field(default_factory=dict)
    imports: dict[str, tuple[ast.stmt, ast.alias]] = field(default_factory=dict)


@dataclass
class _Draft:
    """A source being assembled: definitions by file and name with their lines, and imports by name."""

    parts: dict[str, tuple[Path, int, str]] = field(default_factory=dict)
    imports: dict[str, str] = field(default_factory=dict)

    def text(self, module: _Module) -> str:
        """The assembled text: other files' definitions as needed, this file's in its order."""
        own = sorted((line, text) for path, line, text in self.parts.values() if path == module.path)
        others = [text for path, _, text in self.parts.values() if path != module.path]
        source = "".join(dict.fromkeys(self.imports.values())) + "\n\n".join([*others, *(text for _, text in own)])
        if len(source) > MAX_SOURCE_BYTES or source.count("\n") > MAX_LINES or len(self.parts) > MAX_DEFINITIONS:
            raise _NotSelfContained
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError):
            raise _NotSelfContained from None
        # Names in annotations are not brought along, so they must not be evaluated.
        return _FUTURE + source if any(_is_annotated(part) for part in ast.walk(tree)) else source


class _NotSelfContained(Exception):
    """The source cannot be made self-contained; never leaves this module."""


def extract_functions(path: Path) -> Iterator[ExtractedFunction]:
    """Yield every function and small class of a file that can stand alone."""
    module = _load(path)
    if module is None:
        return
    for name, node in module.definitions.items():
        if isinstance(node, ast.FunctionDef) and is_candidate(node):
            yield from _extract(module, node, _origin(path, name))
        elif isinstance(node, ast.ClassDef):
            yield from _extract_class(module, node, _origin(path, name))


def _origin(path: Path, name: str) -> str:
    """Readable name without the installation path."""
    return f"{'/'.join(path.parts[-2:])}:{name}"


def is_candidate(node: ast.FunctionDef) -> bool:
    """Return whether a function seems to compute something from its arguments."""
    if node.name.startswith(("test", "__", "main")) or any(not _is_allowed_decorator(d) for d in node.decorator_list):
        return False
    arguments = node.args
    count = len(arguments.posonlyargs) + len(arguments.args)
    if count - len(arguments.defaults) > 5 or not (count or arguments.vararg):
        return False
    if None in arguments.kw_defaults:
        return False
    body = [statement for statement in node.body if not _is_docstring(statement)]
    if len(body) == 1 and isinstance(body[0], ast.Pass | ast.Raise):
        return False
    return not any(isinstance(part, ast.Global | ast.Await | ast.AsyncFor) for part in ast.walk(node))


def _extract(module: _Module, node: ast.FunctionDef | ast.ClassDef, origin: str) -> Iterator[ExtractedFunction]:
    try:
        source, alone = _assemble(module, node.name)
        yield ExtractedFunction(source, node, origin, alone=alone)
    except (_NotSelfContained, RecursionError):
        return


def _extract_class(module: _Module, node: ast.ClassDef, origin: str) -> Iterator[ExtractedFunction]:
    """A small class with its methods; and methods of any class that do not use their instance."""
    methods = [part for part in node.body if isinstance(part, ast.FunctionDef)]
    public = [m for m in methods if not m.name.startswith("_") and not m.decorator_list and _takes_self(m)]
    if public and not node.keywords:
        with contextlib.suppress(_NotSelfContained, RecursionError):
            source, alone = _assemble(module, node.name)
            yield ExtractedFunction(source, node, origin, tuple(public), alone)
    for method in methods:
        if plain := _to_function(method):
            text = ast.unparse(plain) + "\n"
            try:
                source, alone = _assemble(module, node.name, instead=(plain, text))
            except (_NotSelfContained, RecursionError):
                continue
            yield ExtractedFunction(source, plain, f"{origin}.{method.name}", alone=alone)


def _takes_self(method: ast.FunctionDef) -> bool:
    return bool(method.args.args) and method.args.args[0].arg == "self"


def _to_function(method: ast.FunctionDef) -> ast.FunctionDef | None:
    """A static method, or one that does not use its instance, as a function."""
    static = [d for d in method.decorator_list if isinstance(d, ast.Name) and d.id == "staticmethod"]
    if method.decorator_list and not static:
        return None
    plain = ast.parse(ast.unparse(method)).body[0]
    assert isinstance(plain, ast.FunctionDef)
    plain.decorator_list = []
    if not static:
        if not _takes_self(method) or any(isinstance(n, ast.Name) and n.id == "self" for n in ast.walk(method)):
            return None
        plain.args.args = plain.args.args[1:]
    if plain.body and _is_docstring(plain.body[0]) and len(plain.body) > 1:
        plain.body = plain.body[1:]
    return plain if is_candidate(plain) else None


def _assemble(module: _Module, name: str, instead: tuple[ast.FunctionDef, str] | None = None) -> tuple[str, str]:
    """The text of a definition and its needs; and that text alone if neighbours were added."""
    draft = _Draft()
    _gather(module, name, draft, instead)
    alone = draft.text(module)
    called = instead[0].name if instead else name
    rng = Random(f"{module.path.name}/{called}/{len(alone)}")
    if rng.random() >= NEIGHBOUR_SHARE:
        return alone, ""
    source = _add_neighbours(module, name, called, draft, rng)
    return (source, alone) if source else (alone, "")


def _add_neighbours(module: _Module, name: str, called: str, draft: _Draft, rng: Random) -> str:
    """The text with some of the nearest functions, as far as there is room; empty if there is none."""
    line = module.definitions[name].lineno
    others = [
        other for other, node in module.definitions.items() if isinstance(node, ast.FunctionDef) and other != called
    ]
    others.sort(key=lambda other: abs(module.definitions[other].lineno - line))
    source, added, limit = "", 0, rng.randint(1, MAX_NEIGHBOURS)
    for other in others[: 2 * MAX_NEIGHBOURS]:
        if added == limit:
            break
        wider = _Draft(dict(draft.parts), dict(draft.imports))
        with contextlib.suppress(_NotSelfContained, RecursionError):
            _gather(module, other, wider)
            if len(wider.parts) > len(draft.parts):
                source, draft, added = wider.text(module), wider, added + 1
    return source


def _is_annotated(node: ast.AST) -> bool:
    return getattr(node, "annotation", None) is not None or getattr(node, "returns", None) is not None


def _gather(module: _Module, name: str, draft: _Draft, instead: tuple[ast.FunctionDef, str] | None = None) -> None:
    """Add a definition after those it needs."""
    parts, label = draft.parts, f"{module.path}:{name}"
    if label in parts or name in draft.imports:
        return
    if any(other.rpartition(":")[2] == name for other in parts) or len(parts) > MAX_DEFINITIONS:
        raise _NotSelfContained
    node: ast.stmt | None = instead[0] if instead else module.definitions.get(name)
    if node is None:
        _gather_import(module, name, draft)
        return
    text = instead[1] if instead else _definition_text(module, node)
    if len(text) > MAX_SOURCE_BYTES:
        raise _NotSelfContained
    line = module.definitions[name].lineno
    # A placeholder, so that mutual recursion ends.
    parts[label] = (module.path, line, "")
    for needed in sorted(_free_names(node)):
        if needed != name:
            _gather(module, needed, draft)
    del parts[label]
    parts[label] = (module.path, line, text)


def _gather_import(module: _Module, name: str, draft: _Draft) -> None:
    if name in _DENIED:
        raise _NotSelfContained
    if name not in module.imports:
        if name in _BUILTINS:
            return
        if name not in _IMPLIED:
            raise _NotSelfContained
        draft.imports[name] = _IMPLIED[name]
        return
    statement, alias = module.imports[name]
    if isinstance(statement, ast.Import):
        if alias.name not in PURE_MODULES:
            raise _NotSelfContained
        draft.imports[name] = f"import {alias.name}{f' as {alias.asname}' if alias.asname else ''}\n"
    elif isinstance(statement, ast.ImportFrom) and not statement.level and statement.module in PURE_MODULES:
        label = f" as {alias.asname}" if alias.asname else ""
        draft.imports[name] = f"from {statement.module} import {alias.name}{label}\n"
    elif isinstance(statement, ast.ImportFrom) and alias.asname in (None, alias.name):
        other = _load(_sibling(module.path, statement))
        if other is None:
            raise _NotSelfContained
        _gather(other, alias.name, draft)
    else:
        raise _NotSelfContained


def _sibling(path: Path, statement: ast.ImportFrom) -> Path:
    """The file that an import of the same package names."""
    names = (statement.module or "").split(".") if statement.module else []
    folder = path.parent
    if statement.level:
        for _ in range(statement.level - 1):
            folder = folder.parent
    else:
        tops = [parent for parent in path.parents if parent.name == names[0]]
        if not tops:
            raise _NotSelfContained
        folder, names = tops[-1], names[1:]
    target = folder.joinpath(*names)
    return target / "__init__.py" if target.is_dir() else target.with_suffix(".py")


def _free_names(node: ast.stmt) -> set[str]:
    """Names that a definition takes from outside; annotations are postponed and need none."""
    loaded: set[str] = set()
    bound: set[str] = set()
    waiting: list[ast.AST] = [node]
    while waiting:
        part = waiting.pop()
        if isinstance(part, ast.Name):
            (loaded if isinstance(part.ctx, ast.Load) else bound).add(part.id)
        elif isinstance(part, ast.arg):
            bound.add(part.arg)
            continue
        elif isinstance(part, (*_FUNCTIONS, ast.ClassDef, ast.ExceptHandler)):
            bound.update([part.name] if part.name else [])
        elif isinstance(part, ast.Import | ast.ImportFrom):
            _check_inner_import(part)
            bound.update((alias.asname or alias.name).split(".")[0] for alias in part.names)
        for label, value in ast.iter_fields(part):
            if label in ("annotation", "returns"):
                continue
            children = value if isinstance(value, list) else [value]
            waiting += [child for child in children if isinstance(child, ast.AST)]
    if isinstance(node, ast.Assign | ast.AnnAssign):
        return loaded
    return loaded - bound


def _check_inner_import(node: ast.Import | ast.ImportFrom) -> None:
    modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
    if any(module not in PURE_MODULES for module in modules) or (isinstance(node, ast.ImportFrom) and node.level):
        raise _NotSelfContained


def _definition_text(module: _Module, node: ast.stmt) -> str:
    """Lines of a definition without long docstrings."""
    first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
    dropped: set[int] = set()
    for part in ast.walk(node):
        if isinstance(part, (*_FUNCTIONS, ast.ClassDef)) and len(part.body) > 1 and _is_docstring(part.body[0]):
            text = part.body[0]
            if text.end_lineno != text.lineno and text.lineno > part.lineno:
                dropped.update(range(text.lineno, (text.end_lineno or text.lineno) + 1))
    line_numbers = [n for n in range(first, (node.end_lineno or first) + 1) if n not in dropped]
    return "".join(module.lines[n - 1].rstrip() + "\n" for n in line_numbers)


def _is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _is_allowed_decorator(decorator: ast.expr) -> bool:
    if isinstance(decorator, ast.Call):
        decorator = decorator.func
    name = decorator.attr if isinstance(decorator, ast.Attribute) else getattr(decorator, "id", "")
    return name in _ALLOWED_DECORATORS


@lru_cache(maxsize=128)
def _load(path: Path) -> _Module | None:
    try:
        if not path.is_file() or path.stat().st_size > MAX_FILE_BYTES:
            return None
        text = _XRANGE.sub("range", path.read_text("utf-8"))
        tree = ast.parse(text)
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    lines = text.splitlines()
    if len(lines) != text.count("\n") + (not text.endswith("\n")):
        # Another line separator: line numbers would not match.
        return None
    module = _Module(path, lines, tree)
    for node in _top_level(tree.body):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            module.definitions[node.name] = node
        elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            module.definitions[node.targets[0].id] = node
        elif isinstance(node, ast.AnnAssign) and node.value and isinstance(node.target, ast.Name):
            module.definitions[node.target.id] = node
        elif isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                module.imports[alias.asname or alias.name.split(".")[0]] = (node, alias)
    return module


def _top_level(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements of a module, and imports that it tries."""
    for node in body:
        if isinstance(node, ast.Try):
            yield from (part for part in node.body if isinstance(part, ast.Import | ast.ImportFrom))
        else:
            yield node

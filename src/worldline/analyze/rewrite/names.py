"""What a program's names may be relied on for: fresh ones, and loads that can be moved without being noticed.

A load is `sure` when it cannot fail and gives the same object wherever between its old place and the end of its
statement it stands. Every doubt is decided against it. Attributes and items are never sure. Nothing is rewritten here.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from worldline.analyze.rewrite.tree import children, walk

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
BUILTINS = frozenset(dir(builtins))

_WORD = re.compile(r"[^\W\d]\w*")
_SURE = "_worldline_sure"


def words(*texts: str) -> frozenset[str]:
    """Return every identifier in texts of code, in strings and comments too."""
    return frozenset(word for text in texts for word in _WORD.findall(text))


@dataclass
class Fresh:
    """New unused names; temporaries are numbered per function."""

    taken: set[str]
    prefix: str = field(init=False)
    count: int = 0

    def __post_init__(self) -> None:
        prefixes = (*"tv", "tmp", "temp", *("t" + "_" * n for n in range(1, 100)))
        numbered = [word.rstrip("0123456789") for word in self.taken if word[-1].isdigit()]
        self.prefix = next(prefix for prefix in prefixes if prefix not in numbered)

    def temporary(self) -> str:
        """Return the next temporary of the function."""
        self.count += 1
        return f"{self.prefix}{self.count}"

    def new(self, name: str) -> str:
        """Return an unused name: this one, or a similar one."""
        if name in self.taken:
            return self.like(name)
        self.taken.add(name)
        return name

    def like(self, name: str) -> str:
        """Return an unused name similar to another one."""
        number = 2
        while f"{name}_{number}" in self.taken:
            number += 1
        self.taken.add(f"{name}_{number}")
        return f"{name}_{number}"


def own(node: ast.AST) -> list[ast.AST]:
    """Return the nodes of a scope's own code in order, without nested functions, lambdas and classes."""
    nodes: list[ast.AST] = []
    open_ = children(node)[::-1]
    while open_:
        current = open_.pop()
        nodes.append(current)
        open_ += (_outside(current) if isinstance(current, SCOPES) else children(current))[::-1]
    return nodes


def _outside(node: ast.AST) -> list[ast.AST]:
    """Return the parts of a definition that are evaluated outside it."""
    parts: list[ast.AST] = []
    if isinstance(node, FunctionNode | ast.Lambda):
        parts += [*node.args.defaults, *(default for default in node.args.kw_defaults if default)]
    if isinstance(node, FunctionNode | ast.ClassDef):
        parts += node.decorator_list
    if isinstance(node, ast.ClassDef):
        parts += [*node.bases, *node.keywords]
    return parts


def _header(node: ast.AST) -> list[ast.AST]:
    """Return all nodes of a definition that are evaluated outside it."""
    return [inner for part in _outside(node) for inner in (part, *own(part))]


def targets(node: ast.AST) -> Iterator[str]:
    """Yield the names that a target, or a statement's head, binds."""
    for part in walk(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            yield part.id
        elif isinstance(part, ast.MatchAs | ast.MatchStar) and part.name:
            yield part.name
        elif isinstance(part, ast.MatchMapping) and part.rest:
            yield part.rest


def bindings(scope: ast.AST) -> Counter[str]:
    """Count how often a scope's own code binds each name; comprehension variables are excluded."""
    counts: Counter[str] = Counter()
    if isinstance(scope, FunctionNode | ast.Lambda):
        counts.update(parameters(scope.args))
    nodes = own(scope)
    comprehended = [comprehension for comprehension in nodes if isinstance(comprehension, COMPREHENSIONS)]
    inner = {
        id(node)
        for comprehension in comprehended
        for generator in comprehension.generators
        for node in walk(generator.target)
    }
    for node in nodes:
        if isinstance(node, FunctionNode | ast.ClassDef):
            counts[node.name] += 1
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load) and id(node) not in inner:
            counts[node.id] += 1
        elif isinstance(node, ast.alias):
            counts[(node.asname or node.name).split(".")[0]] += 1
        elif isinstance(node, ast.ExceptHandler) and node.name:
            counts[node.name] += 2  # it is bound, and unbound at the end
        elif isinstance(node, ast.MatchAs | ast.MatchStar | ast.MatchMapping):
            name = node.rest if isinstance(node, ast.MatchMapping) else node.name
            counts.update([name] if name else [])
    return counts


def parameters(args: ast.arguments) -> list[str]:
    """Return the names of a function's parameters."""
    several = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
    return [parameter.arg for parameter in several if parameter]


def mark(node: ast.AST) -> None:
    """Mark a load as sure."""
    setattr(node, _SURE, True)


def sure(node: ast.AST) -> bool:
    """Return whether a load is sure."""
    return getattr(node, _SURE, False)


def temporary(name: str) -> ast.Name:
    """Return a load of a temporary, which is sure."""
    node = ast.Name(name, ast.Load())
    mark(node)
    return node


@dataclass(frozen=True)
class Facts:
    """What is known about a whole program."""

    words: frozenset[str]
    plain: frozenset[str]  # builtins that are bound nowhere
    steady: frozenset[str]  # module names that are bound once, before any function of the program can run
    modules: frozenset[str]  # those of them that are imported modules
    defined: frozenset[str]  # methods that classes of the program define
    bound: dict[int, Counter[str]] = field(default_factory=dict)  # `bindings` of the program's scopes, by id
    only: frozenset[int] | None = None  # first lines of the statements to be rewritten; None for all
    repeatable: frozenset[str] = frozenset()  # methods that can be looked up twice without being noticed

    def bindings(self, scope: ast.AST) -> Counter[str]:
        """Count how often a scope's own code binds each name."""
        return self.bound[id(scope)] if id(scope) in self.bound else bindings(scope)

    def is_chosen(self, node: ast.stmt) -> bool:
        """Return whether a statement is to be rewritten; its blocks are decided separately."""
        return self.only is None or begin(node) in self.only


def begin(node: ast.stmt) -> int:
    """Return a statement's first line, decorators included."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def facts(tree: ast.Module, known: frozenset[str], only: frozenset[int] | None = None) -> Facts:
    """Collect what is known about a program whose source and call have these words."""
    everywhere: Counter[str] = Counter()
    forced: set[str] = set()
    bound: dict[int, Counter[str]] = {}
    nodes = walk(tree)
    for node in nodes:
        if isinstance(node, (ast.Module, *SCOPES)):
            everywhere.update(bound.setdefault(id(node), bindings(node)))
        if isinstance(node, COMPREHENSIONS):
            everywhere.update(name for part in node.generators for name in targets(part.target))
        if isinstance(node, ast.Global):
            forced.update(node.names)
    starred = any(isinstance(node, ast.alias) and node.name == "*" for node in nodes)
    once = {name for name, count in bound[id(tree)].items() if count == 1} - forced
    steady = frozenset() if starred else frozenset(_early(tree, set(everywhere)) & once)
    imported = {
        (alias.asname or alias.name).split(".")[0]
        for node in tree.body
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
    methods = {part.name for definition in classes for part in definition.body if isinstance(part, FunctionNode)}
    plain = frozenset() if starred else BUILTINS - set(everywhere) - forced
    return Facts(known, plain, steady, steady & imported, frozenset(methods), bound, only)


def _early(tree: ast.Module, bound: set[str]) -> set[str]:
    """Return the module's names that are bound before any code could call a function of the program."""
    names: set[str] = set()
    defined: set[str] = set()
    for statement in tree.body:
        if isinstance(statement, FunctionNode | ast.ClassDef):
            names.add(statement.name)
            defined.add(statement.name)
            evaluated = [*_header(statement), *(own(statement) if isinstance(statement, ast.ClassDef) else ())]
        elif isinstance(statement, ast.Import | ast.ImportFrom):
            names.update((alias.asname or alias.name).split(".")[0] for alias in statement.names)
            continue
        elif isinstance(statement, ast.Assign | ast.AnnAssign):
            names.update(name for name in targets(statement))
            evaluated = list(own(statement))
        else:
            evaluated = list(own(statement))
        if not all(_harmless(node, bound, defined) for node in evaluated):
            break
    return names


def _harmless(node: ast.AST, bound: set[str], defined: set[str]) -> bool:
    """Return whether a node that the module evaluates cannot run a function of the program."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in defined:
        return False
    if isinstance(node, ast.Call):
        root: ast.AST = node.func
        while isinstance(root, ast.Attribute):
            root = root.value
        return isinstance(root, ast.Name) and root.id not in defined
    return True


def mark_loads(tree: ast.Module, known: Facts) -> None:
    """Mark every sure load of a program's functions and of its module code."""
    _Marker(known, frozenset()).scope(tree, tree.body, set())


@dataclass
class _Marker:
    """Marks the loads of one scope: names that are bound on every way to them and rebound by nobody else."""

    facts: Facts
    outer: frozenset[str]  # names of enclosing functions that never change
    local: frozenset[str] = frozenset()
    shaky: frozenset[str] = frozenset()
    once: frozenset[str] = frozenset()
    constant: frozenset[str] = frozenset()

    def scope(self, scope: ast.AST, body: list[ast.stmt], have: set[str]) -> None:
        """Mark the loads of a function's or the module's body."""
        counts = self.facts.bindings(scope)
        self.local = frozenset(counts)
        self.once = frozenset(name for name, count in counts.items() if count == 1)
        self.shaky = frozenset(_shaky(scope))
        self.constant = (self.once & have) - self.shaky
        self.block(body, have - self.shaky)

    def block(self, body: Iterable[ast.stmt], have: set[str] | None) -> set[str] | None:
        """Mark a block entered with these names bound; those bound at its end, None where that is not reached."""
        for statement in body:
            have = self.statement(statement, set() if have is None else have)
        return have

    def statement(self, node: ast.stmt, have: set[str]) -> set[str] | None:
        self.expressions(node, have)
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name) and node.target.id in have:
            mark(node.target)
        after = have | self._walruses(node)
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self.function(node, itself=not node.decorator_list and node.name in self.once - self.shaky)
                return after | self._bound({node.name})
            case ast.ClassDef():
                for member in node.body:
                    if isinstance(member, FunctionNode):
                        self.function(member)
                return after | self._bound({node.name})
            case ast.Return() | ast.Raise() | ast.Break() | ast.Continue():
                return None
            case ast.If():
                return _both(self.block(node.body, after), self.block(node.orelse, after))
            case ast.For() | ast.AsyncFor():
                self.block(node.body, after | self._bound(targets(node.target)))
                self.block(node.orelse, have)
                return have
            case ast.While():
                self.block(node.body, after)
                self.block(node.orelse, after)
                return after
            case ast.With() | ast.AsyncWith():
                own_names = {name for item in node.items if item.optional_vars for name in targets(item.optional_vars)}
                self.block(node.body, have | self._bound(own_names))
                return have
            case ast.Try() | ast.TryStar():
                done = self.block(node.body, have)
                done = self.block(node.orelse, done) if done is not None else None
                for handler in node.handlers:
                    done = _both(done, self.block(handler.body, have))
                last = self.block(node.finalbody, have)
                return None if done is None or last is None else done | last
            case ast.Match():
                for case in node.cases:
                    self.block(case.body, after | self._bound(targets(case.pattern)))
                return after
            case ast.Assign() | ast.AnnAssign() | ast.AugAssign():
                return after | self._bound(targets(node))
            case ast.Import() | ast.ImportFrom():
                return after | self._bound((alias.asname or alias.name).split(".")[0] for alias in node.names)
        return after

    def function(self, node: FunctionNode, *, itself: bool = False) -> None:
        """Mark the loads inside of a function; one that runs is bound to its own name, if `itself`."""
        outer = self.outer | self.constant | ({node.name} if itself else set())
        inner = _Marker(self.facts, outer - frozenset(self.facts.bindings(node)))
        inner.scope(node, node.body, set(parameters(node.args)))

    def expressions(self, node: ast.stmt, have: set[str]) -> None:
        """Mark the loads in a statement's own expressions."""
        rebound = self._walruses(node, every=True)
        for head in _heads(node):
            self.expression(head, have - rebound)

    def expression(self, node: ast.AST, have: set[str]) -> None:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            if self._is_sure(node.id, have):
                mark(node)
            return
        if isinstance(node, ast.Lambda | ast.GeneratorExp):
            have = have - set(targets(node)) if isinstance(node, ast.GeneratorExp) else set()
        if isinstance(node, COMPREHENSIONS):
            loop_names: set[str] = set()
            for number, generator in enumerate(node.generators):
                self.expression(generator.iter, (have | loop_names) if number else have)
                loop_names |= set(targets(generator.target))
                for test in generator.ifs:
                    self.expression(test, have | loop_names)
            parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
            for part in parts:
                self.expression(part, have | loop_names)
            return
        for child in children(node):
            self.expression(child, have)

    def _is_sure(self, name: str, have: set[str]) -> bool:
        if name in have:
            return True
        if name in self.local or name in self.shaky:
            return False
        return name in self.outer or name in self.facts.plain or name in self.facts.steady

    def _bound(self, names: Iterable[str]) -> set[str]:
        return set(names) - self.shaky

    def _walruses(self, node: ast.stmt, *, every: bool = False) -> set[str]:
        """Names that a statement's own expressions bind: on every way, or at all."""
        names: set[str] = set()
        for head in _heads(node):
            for part in walk(head) if every else _always(head):
                if isinstance(part, ast.NamedExpr):
                    names.add(part.target.id)
        return names if every else names - self.shaky


def _always(node: ast.AST) -> Iterator[ast.AST]:
    """Return the nodes that are evaluated whenever the whole is."""
    yield node
    if isinstance(node, ast.BoolOp):
        yield from _always(node.values[0])
    elif isinstance(node, ast.IfExp):
        yield from _always(node.test)
    elif not isinstance(node, (*COMPREHENSIONS, *SCOPES)) and not (isinstance(node, ast.Compare) and len(node.ops) > 1):
        for child in children(node):
            yield from _always(child)


def _heads(node: ast.stmt) -> Iterator[ast.AST]:
    """Yield a statement's own expressions, without those of nested statements."""
    for name, value in ast.iter_fields(node):
        if name in ("body", "orelse", "finalbody", "handlers", "decorator_list", "args", "cases"):
            continue
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, ast.AST):
                yield item


def _shaky(scope: ast.AST) -> Iterator[str]:
    """Return the names of a scope that others may rebind, or that may become unbound."""
    for node in own(scope):
        if isinstance(node, ast.Global | ast.Nonlocal):
            yield from node.names
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Del):
            yield node.id
        elif isinstance(node, ast.ExceptHandler) and node.name:
            yield node.name
    kind = ast.Global if isinstance(scope, ast.Module) else ast.Nonlocal
    for node in walk(scope):
        if isinstance(node, kind):
            yield from node.names


def _both(left: set[str] | None, right: set[str] | None) -> set[str] | None:
    if left is None or right is None:
        return right if left is None else left
    return left & right

"""One evaluation of a statement: the values of its expressions as the trace knows them, and what each call started.

Nothing is executed: a value is what a name held, what a call of the repository returned, or a literal.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Sequence

from worldline.core.value import canonical, kind
from worldline.diagnose.failure.trace_index import TraceIndex
from worldline.diagnose.failure.value_keys import is_known_key, literal, part_of, size_of

COMPREHENSION_NAMES = {
    "<listcomp>": ast.ListComp,
    "<setcomp>": ast.SetComp,
    "<dictcomp>": ast.DictComp,
    "<genexpr>": ast.GeneratorExp,
}
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_LITERAL = (
    *(ast.Constant, ast.List, ast.Tuple, ast.Dict, ast.Set, ast.UnaryOp, ast.unaryop),
    *(ast.expr_context, ast.BinOp, ast.Add, ast.Sub),
)
_CONSTRUCTORS = ("__init__", "__new__", "__post_init__")
BUILTINS = frozenset(dir(builtins))
#: Built-in functions whose result has the parts of their argument.
COPIERS = frozenset({"list", "tuple", "dict", "copy", "deepcopy"})


class Evaluation:
    """A statement as one frame evaluated it, up to a step."""

    def __init__(self, index: TraceIndex, step: int) -> None:
        self.index, self.step = index, step
        self.frame: int = index.trace.columns.frame[step]
        self.file = index.frames[self.frame].file
        self.start, self.end, self.node = index.span(step)
        # Names are read before the statement changes them. A return or a raise is after its own line.
        self.at = self.start if index.trace[step].event == "line" else step
        self.children = index.called(self.frame, self.start, self.end)
        self.calls: dict[ast.AST, int] = {}
        if self.node is not None:
            self._match(own_expressions(self.node))

    def _match(self, roots: list[ast.AST]) -> None:
        """Find the expression that started each called frame: by its name, else by order."""
        nodes = [node for root in roots for node in _in_order(root)]
        methods = {node.func for node in nodes if isinstance(node, ast.Call)}
        nodes = [node for node in nodes if node not in methods]
        unmatched = []
        for child in self.children:
            name = self.index.frames[child].name
            node = next((node for node in nodes if node not in self.calls and _starts(node, name)), None)
            is_operator = name.endswith("__") and not name.endswith("__call__")
            if node is None:
                unmatched += [] if is_operator else [child]
            else:
                self.calls[node] = child
        free = [
            node
            for node in nodes
            if isinstance(node, ast.Call) and node not in self.calls and called_name(node) not in BUILTINS
        ]
        if len(free) == len(unmatched):
            self.calls.update(zip(free, unmatched, strict=True))

    def call_of(self, child: int) -> ast.AST | None:
        """Return the expression that started a frame; None if code that is not recorded did."""
        return next((node for node, started in self.calls.items() if started == child), None)

    def value(self, node: ast.AST) -> str | None:
        """Return the value of an expression; None if the trace does not know it."""
        if node in self.calls:
            return self._result(self.calls[node])
        match node:
            case ast.Name():
                return self.index.value(self.frame, node.id, self.at)
            case ast.Attribute():
                return part_of(self.value(node.value), ("." + node.attr,))
            case ast.Subscript():
                key = self.key(node)
                return None if key is None else part_of(self.value(node.value), (key,))
            case ast.Await() | ast.NamedExpr():
                return self.value(node.value)
            case ast.Call(func=ast.Name(id="len"), args=[argument]):
                return size_of(self.value(argument))
            case ast.Call(func=ast.Name(id="list" | "sorted" | "set" | "tuple"), args=[argument], keywords=[]):
                return self._listed(node, argument)
            case ast.List() | ast.Tuple():
                return self._display([self.value(item) for item in node.elts], is_list=isinstance(node, ast.List))
        return literal(ast.unparse(node)) if all(isinstance(part, _LITERAL) for part in ast.walk(node)) else None

    def stored(self, node: ast.Attribute) -> int | None:
        """Return the newest step that stored into an attribute of an object whose value is not recorded.

        It is found by the source: a statement of the same class that assigns the attribute of the same name.
        """
        if not isinstance(node.value, ast.Name) or is_known_key(self.value(node.value), "." + node.attr):
            return None
        if kind(self.value(node.value) or "") not in ("malformed", "cut"):
            return None
        owner = self.index.frames[self.frame].name.rpartition(".")[0]
        columns = self.index.trace.columns
        for step in range(self.at - 1, -1, -1):
            frame = self.index.frames[columns.frame[step]]
            if frame.file == self.file and frame.name.rpartition(".")[0] == owner:
                statement = self.index.statement(frame.file, columns.line[step])
                is_line = self.index.trace[step].event == "line"
                if is_line and statement is not None and _stores(statement, node.value.id, node.attr):
                    return step
        return None

    def key(self, node: ast.Subscript) -> str | None:
        """Return the key of a subscript that is known, such as `['a']`."""
        text = self.value(node.slice)
        if text is None:
            return None
        if text.startswith("-") and text[1:].isdecimal():
            size = size_of(self.value(node.value))
            text = str(int(size) + int(text)) if size is not None else text
        return f"[{text}]" if is_known_key(self.value(node.value), f"[{text}]") else None

    def _listed(self, node: ast.Call, argument: ast.expr) -> str | None:
        """What `list` makes of a list, or of what a recorded generator yields."""
        if called_name(node) != "list":
            return None
        if argument not in self.calls:
            value = self.value(argument)
            return value if value is not None and kind(value) == "list" else None
        child = self.calls[argument]
        events = [self.index.trace[step] for step in self.index.steps(child)]
        yielded = [event.arg for event in events if event.event == "yield"]
        return self._display(yielded, is_list=True) if yielded else self._result(child)

    def _display(self, items: Sequence[str | None], *, is_list: bool) -> str | None:
        if any(item is None for item in items):
            return None
        inner = ", ".join(str(item) for item in items)
        text = f"[{inner}]" if is_list else f"({inner},)" if len(items) == 1 else f"({inner})"
        value = canonical(text)
        return value if isinstance(value, str) else None

    def _result(self, child: int) -> str | None:
        """What a call returned; for a constructor the object."""
        last = self.index.trace[self.index.last(child)]
        name = self.index.frames[child].name.rpartition(".")[2]
        if name == "__init__":
            return self.index.value(child, "self", last.i + 1)
        return last.arg if last.event == "return" else None


def own_expressions(node: ast.stmt) -> list[ast.AST]:
    """Return the expressions that a statement evaluates itself, without the statements inside it."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return list(node.decorator_list)
    return [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr | ast.withitem)]


def _in_order(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the calls, attributes and comprehensions of an expression in the order of their evaluation."""
    if not isinstance(node, ast.Lambda):
        for child in ast.iter_child_nodes(node):
            # The first iterable of a comprehension is evaluated around it.
            yield from _in_order(child)
    if isinstance(node, (ast.Call, ast.Attribute, *COMPREHENSIONS)):
        yield node


def called_name(node: ast.Call) -> str:
    """Return the last word of what is called; empty if it has none."""
    func = node.func
    return func.id if isinstance(func, ast.Name) else func.attr if isinstance(func, ast.Attribute) else ""


def _starts(node: ast.AST, name: str) -> bool:
    """Whether an expression may have started a frame of this name."""
    owner, _, last = name.rpartition(".")
    if last in COMPREHENSION_NAMES:
        return isinstance(node, COMPREHENSION_NAMES[last])
    if isinstance(node, ast.Attribute):
        return node.attr == last
    if not isinstance(node, ast.Call):
        return False
    wanted = owner.rpartition(".")[2] if last in _CONSTRUCTORS else last
    return called_name(node) == wanted


def _stores(statement: ast.stmt, name: str, attribute: str) -> bool:
    """Whether a statement assigns an attribute of a name, or a part of it."""
    if not isinstance(statement, ast.Assign | ast.AugAssign | ast.AnnAssign):
        return False
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    for target in targets:
        for node in ast.walk(target):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                names = node.value.id, node.attr
                if names == (name, attribute):
                    return True
    return False

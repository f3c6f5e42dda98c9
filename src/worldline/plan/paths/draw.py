"""Random calls of a function: arguments of the annotated types, or of the kinds that mining guesses.

Values are source text. Constants of the source are used too, and a value may be repeated in one call, so that
comparisons are sometimes equal. Every argument has its annotated type: behaviour on other types is not a path.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from random import Random

from worldline.analyze.flow.control import syntax
from worldline.data.mine.inputs import draw_value
from worldline.data.mine.types import GuessedSignature, Parameter
from worldline.plan.paths.target import Target

REPEAT_PROBABILITY = 0.25  # of a plain value that the call already has
OMIT_PROBABILITY = 0.3  # of an argument with a default
LENGTHS = (0, 1, 1, 2, 2, 3, 3, 4, 5, 6, 8)
MAX_DEPTH = 4
_PLAIN = {"int": "int", "float": "float", "complex": "float", "bool": "bool", "str": "str", "bytes": "bytes"}
_PLAIN |= {"None": "none", "Text": "str", "AnyStr": "str", "Callable": "function"}
_PLAIN |= {"Number": "int", "Real": "float"}
_LISTS = ("list", "List", "Sequence", "MutableSequence", "Iterable", "Collection", "Container", "deque")
_DICTS = ("dict", "Dict", "Mapping", "MutableMapping", "defaultdict", "DefaultDict", "OrderedDict", "Counter")
_SETS = ("set", "Set", "frozenset", "FrozenSet", "AbstractSet", "MutableSet")
_TUPLES = ("tuple", "Tuple")
_CHOICES = ("Union", "Optional")
_WRAPPERS = ("Annotated", "Final", "Required", "NotRequired", "Type")
_ANY = ("int", "str", "float", "bool")


class UnknownType(Exception):
    """An annotation whose values cannot be drawn; the type is then guessed by use."""


class Drawer:
    """Draws calls of one function."""

    def __init__(self, target: Target) -> None:
        self.target, self.given = target, target.signature
        tree = syntax(target.program.source)
        assert tree is not None  # find_target parsed it
        self._defined = {getattr(node, "name", ""): node for node in tree.body if isinstance(node, ast.ClassDef)}
        self._aliases = {
            node.targets[0].id: node.value
            for node in tree.body
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        }
        self._drawn: dict[str, list[str]] = {}

    def call(self, rng: Random) -> str:
        """Draw one call."""
        self._drawn = {}
        return f"{self.target.name}({', '.join(self._arguments(rng, self.target.node, self.given))})"

    def _arguments(
        self, rng: Random, node: ast.FunctionDef, signature: GuessedSignature, method: bool = False
    ) -> list[str]:
        placed = [*node.args.posonlyargs, *node.args.args][int(method) :]
        weights = {guess.name: guess for guess in signature.parameters}
        arguments: list[str] = []
        for place, parameter in enumerate(placed):
            optional = place >= len(placed) - len(node.args.defaults)
            if optional and rng.random() < OMIT_PROBABILITY:
                break
            arguments.append(self._argument(rng, parameter, weights.get(parameter.arg)))
        if node.args.vararg is not None and len(arguments) == len(placed):
            arguments += [self._argument(rng, node.args.vararg, None) for _ in range(rng.choice(LENGTHS))]
        for parameter, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True):
            if default is None or rng.random() >= OMIT_PROBABILITY:
                arguments.append(f"{parameter.arg}={self._argument(rng, parameter, None)}")
        return arguments

    def _argument(self, rng: Random, parameter: ast.arg, guess: Parameter | None) -> str:
        if parameter.annotation is not None:
            try:
                return self.of_type(rng, parameter.annotation)
            except UnknownType:
                pass
        if guess is None:
            return self.of_kind(rng, rng.choice(_ANY))
        highest = max(guess.weights.values())
        likely = {kind: weight for kind, weight in guess.weights.items() if 2 * weight >= highest}
        return self.of_kind(rng, rng.choices(list(likely), list(likely.values()))[0])

    def of_kind(self, rng: Random, kind: str) -> str:
        """Draw a plain value; sometimes one that this call already has."""
        before = self._drawn.setdefault(kind, [])
        if before and rng.random() < REPEAT_PROBABILITY:
            return rng.choice(before)
        text = draw_value(rng, kind, self.given)
        before.append(text)
        return text

    def of_type(self, rng: Random, node: ast.expr, depth: int = 0) -> str:
        """Draw a value of an annotated type; UnknownType if that is not possible."""
        node = self._resolve(node)
        if isinstance(node, ast.Constant) and node.value is None:
            return "None"
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return self.of_type(rng, rng.choice((node.left, node.right)), depth)
        outer, inner = _parts(node)
        if outer in _PLAIN:
            return self.of_kind(rng, _PLAIN[outer])
        if outer in ("Any", "object"):
            return self.of_kind(rng, rng.choice(_ANY))
        if outer in _CHOICES:
            choices = [*inner, *([ast.Constant(None)] if outer == "Optional" else [])]
            return self.of_type(rng, rng.choice(choices), depth) if choices else "None"
        if outer in _WRAPPERS and inner:
            return self.of_type(rng, inner[0], depth)
        if outer == "Literal" and inner:
            return ast.unparse(rng.choice(inner))
        if outer in self._defined and depth < MAX_DEPTH:
            return self._instance(rng, self._defined[outer])
        return self._container(rng, outer, inner, depth)

    def _container(self, rng: Random, outer: str, inner: list[ast.expr], depth: int) -> str:
        def several(at: int) -> list[str]:
            node = inner[at] if at < len(inner) else ast.Name(("str", "int")[at] if outer in _DICTS else "int")
            return self._draw_items(rng, lambda: self.of_type(rng, node, depth + 1), depth)

        if outer in _LISTS or outer == "Reversible":
            return f"[{', '.join(several(0))}]"
        if outer in ("Iterator", "Generator"):
            return f"iter([{', '.join(several(0))}])"
        if outer in _SETS:
            items = several(0)
            text = f"{{{', '.join(items)}}}" if items else "set()"
            return f"frozenset({text})" if outer.lower() == "frozenset" else text
        if outer in _DICTS:
            keys = several(0)
            node = inner[1] if len(inner) > 1 else ast.Name("int")
            pairs = (f"{key}: {self.of_type(rng, node, depth + 1)}" for key in keys)
            return f"{{{', '.join(pairs)}}}"
        if outer in _TUPLES:
            endless = not inner or (isinstance(inner[-1], ast.Constant) and inner[-1].value is ...)
            items = several(0) if endless else [self.of_type(rng, element, depth + 1) for element in inner]
            return f"({', '.join(items)}{',' if len(items) == 1 else ''})"
        raise UnknownType(outer)

    def _draw_items(self, rng: Random, draw: Callable[[], str], depth: int) -> list[str]:
        """Draw elements; sometimes one is repeated, or they are sorted."""
        count = rng.choice(LENGTHS) if depth < MAX_DEPTH else 0
        items = [draw() for _ in range(count)]
        if len(items) > 1 and rng.random() < REPEAT_PROBABILITY:
            items[rng.randrange(len(items))] = rng.choice(items)
        if rng.random() < REPEAT_PROBABILITY:
            items.sort(key=_order)
        return items

    def _instance(self, rng: Random, node: ast.ClassDef) -> str:
        """Draw an instance of a class of the source, by its `__init__` or its fields."""
        start = [part for part in node.body if isinstance(part, ast.FunctionDef) and part.name == "__init__"]
        if start:
            return f"{node.name}({', '.join(self._arguments(rng, start[0], self.given, method=True))})"
        fields = [part for part in node.body if isinstance(part, ast.AnnAssign) and part.value is None]
        return f"{node.name}({', '.join(self.of_type(rng, part.annotation, 1) for part in fields)})"

    def _resolve(self, node: ast.expr) -> ast.expr:
        """Resolve an annotation that is text or an alias."""
        for _ in range(MAX_DEPTH):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                text = node.value
                try:
                    node = ast.parse(text, mode="eval").body
                except (SyntaxError, ValueError):
                    raise UnknownType(text) from None
            elif isinstance(node, ast.Name) and node.id in self._aliases:
                node = self._aliases[node.id]
            else:
                return node
        return node


def _parts(node: ast.expr) -> tuple[str, list[ast.expr]]:
    """Split `List[int]` into its name and its arguments."""
    inner: list[ast.expr] = []
    if isinstance(node, ast.Subscript):
        inner = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
        node = node.value
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    return str(name), inner


def _order(text: str) -> tuple[float, str]:
    try:
        return float(text), text
    except ValueError:
        return 0.0, text

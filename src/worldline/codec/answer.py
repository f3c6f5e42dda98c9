"""Whether two answers are the same value. Everything that compares answers uses `same_answer`.

An answer is what a program returns, what a benchmark expects, or what a model or another scorer says. It is compared
without identity: labels, references and the numbers of objects only say which parts are one object, and a Python
literal cannot say that. Types and signs count: `1`, `1.0` and `True` are three answers, and so are `0.0` and `-0.0`;
`nan` is `nan`. The order of sets, dicts and fields does not count. Sharing counts where the states of traces are
compared (`core.value.equal`). Total and without recursion.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from worldline.core.malformed import Malformed
from worldline.core.node import Value
from worldline.core.value import canonical, equal, parse

# How many nodes the repr of a value that contains itself may show.
MAX_SHOWN_NODES = 20_000
_ELLIPSIS = Value("Ellipsis", "Ellipsis")
_Key = tuple[object, ...]


def same_answer(first: str, second: str) -> bool:
    """Tell whether two answers are the same value, without identity.

    Args:
        first: The text of a value, in any spelling that `core.value.canonical` reads.
        second: Another one.

    Returns:
        True if both are the same value. A text that is not a value is only the same as itself.
    """
    if first == second or equal(first, second):
        return True
    nodes = _parsed(first), _parsed(second)
    if nodes[0] is None or nodes[1] is None:
        return False
    table: dict[_Key, int] = {}
    left, right = _Graph(nodes[0], table), _Graph(nodes[1], table)
    numbers = left.numbers[0], right.numbers[0]
    if numbers[0] is not None and numbers[1] is not None:
        return numbers[0] == numbers[1]
    return _same_unfolded(left, right) or _same_repr(left, right)


def _parsed(text: str) -> Value | None:
    spelled = canonical(text)
    value = spelled if isinstance(spelled, Malformed) else parse(spelled)
    return None if isinstance(value, Malformed) else value


class _Graph:
    """The nodes of a value, the first one first, each with its parts; a reference is replaced by its target.

    `numbers` gives equal nodes, of all graphs that share a table, the same number. A node from which a value that
    contains itself can be reached has none.
    """

    def __init__(self, root: Value, table: dict[_Key, int]) -> None:
        targets = {name: node for node in _all_nodes(root) if (name := _reference(node))}
        places: dict[int, int] = {}
        self.nodes: list[Value] = []
        waiting = [_target(root, targets)]
        while waiting:
            node = waiting.pop()
            if id(node) not in places:
                places[id(node)] = len(self.nodes)
                self.nodes.append(node)
                waiting += [_target(part, targets) for part in _parts(node)]
        self.parts = [[places[id(_target(part, targets))] for part in _parts(node)] for node in self.nodes]
        self.numbers: list[int | None] = [None] * len(self.nodes)
        self._number_nodes(table)

    def _number_nodes(self, table: dict[_Key, int]) -> None:
        """Number the nodes from the leaves up. A part that is still open contains the node it is a part of."""
        is_seen = [False] * len(self.nodes)
        stack = [(0, False)]
        while stack:
            at, has_parts = stack.pop()
            if has_parts:
                known = [number for part in self.parts[at] if (number := self.numbers[part]) is not None]
                if len(known) == len(self.parts[at]):
                    self.numbers[at] = table.setdefault(_key(self.nodes[at], known), len(table))
            elif not is_seen[at]:
                is_seen[at] = True
                stack += [(at, True), *((part, False) for part in self.parts[at])]

    def ordered_parts(self, at: int) -> list[int] | None:
        """Return the parts of a node in an order that equal nodes share, or None if there is none."""
        node, parts = self.nodes[at], self.parts[at]
        items, fields = parts[: len(node.items)], parts[len(node.items) :]
        if node.kind in ("set", "frozenset", "dict"):
            width = 2 if node.kind == "dict" else 1
            keyed = [(self.numbers[items[i]], items[i : i + width]) for i in range(0, len(items), width)]
            if any(number is None for number, _ in keyed):
                return None
            items = [part for _, entry in sorted(keyed) for part in entry]
        names = [name for name, _ in node.fields]
        return [*items, *(part for _, part in sorted(zip(names, fields, strict=True)))]


def _all_nodes(value: Value) -> Iterator[Value]:
    waiting = [value]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += _parts(node)


def _parts(node: Value) -> list[Value]:
    return [*node.items, *(item for _, item in node.fields)]


def _reference(node: Value) -> str:
    """The text by which a value refers to this node again."""
    if node.label:
        return f"#{node.label}"
    return f"{node.atom}#{node.number}" if node.number else ""


def _target(node: Value, targets: dict[str, Value]) -> Value:
    return targets.get(node.atom, node) if node.kind == "ref" else node


def _shape(node: Value) -> _Key:
    """What a node is, without its parts. Without its number, an object is spelled like an exception."""
    kind = "object" if node.kind == "exception" else node.kind
    return (kind, node.atom, len(node.items), tuple(sorted(name for name, _ in node.fields)))


def _key(node: Value, parts: Sequence[int]) -> _Key:
    """What makes two nodes the same value, given the numbers of their parts."""
    items: object = tuple(parts[: len(node.items)])
    if node.kind in ("set", "frozenset"):
        items = tuple(sorted(parts))
    elif node.kind == "dict":
        items = tuple(sorted(zip(parts[::2], parts[1::2], strict=True)))
    fields = tuple(sorted(zip((name for name, _ in node.fields), parts[len(node.items) :], strict=True)))
    return (*_shape(node), items, fields)


def _same_unfolded(left: _Graph, right: _Graph) -> bool:
    """Whether two values that contain themselves unfold into the same parts without end.

    Pairs of nodes that must be equal are merged (Hopcroft and Karp): what was merged before is not compared again.
    """
    shift = len(left.nodes)
    merged = list(range(shift + len(right.nodes)))

    def find(at: int) -> int:
        while merged[at] != at:
            merged[at] = at = merged[merged[at]]
        return at

    waiting = [(0, 0)]
    while waiting:
        first, second = waiting.pop()
        left_root, right_root = find(first), find(shift + second)
        if left_root == right_root:
            continue
        parts = left.ordered_parts(first), right.ordered_parts(second)
        if _shape(left.nodes[first]) != _shape(right.nodes[second]) or parts[0] is None or parts[1] is None:
            return False
        merged[left_root] = right_root
        waiting += zip(parts[0], parts[1], strict=True)
    return True


def _same_repr(left: _Graph, right: _Graph) -> bool:
    """Whether two values are the same as Python's repr shows them, with `[...]` for a value inside itself."""
    table: dict[_Key, int] = {}
    numbers = _shown_number(left, table), _shown_number(right, table)
    return numbers[0] is not None and numbers[0] == numbers[1]


def _shown_number(graph: _Graph, table: dict[_Key, int]) -> int | None:
    dots = table.setdefault(_key(_ELLIPSIS, ()), len(table))
    around: set[int] = set()
    done: list[int] = []
    stack: list[tuple[int, bool]] = [(0, False)]
    for _ in range(MAX_SHOWN_NODES):
        if not stack:
            return done[0]
        at, has_parts = stack.pop()
        node, parts = graph.nodes[at], graph.parts[at]
        if has_parts:
            around.discard(at)
            numbers = [done.pop() for _ in parts]
            done.append(table.setdefault(_key(node, numbers), len(table)))
        elif at in around:
            shown = Value("set" if node.kind in ("dict", "set") else "list", items=(_ELLIPSIS,))
            done.append(table.setdefault(_key(shown, (dots,)), len(table)))
        else:
            around.add(at)
            stack += [(at, True), *((part, False) for part in parts)]
    return None

"""Byte-level automata with a stack: nodes, edges, and how the guide builds them.

A node reads one byte by an edge to another node, and may drop or push the node that continues when this level ends.
A `final` node may end its level. Automata are large and a text passes through little of them, so a node may `grow`
its edges on first use. Nothing here knows a grammar.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from threading import RLock
from typing import TypeAlias, Union

HEX = "0123456789abcdef"
DIGITS = frozenset(b"0123456789")
LETTERS = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_")

# Code points beyond ASCII that a canonical str does not escape: docs/reference/format.md, section 1.
BARE = (
    (0xA1, 0xAC), (0xAE, 0x34E), (0x350, 0x61B), (0x61D, 0x167F), (0x1681, 0x180D), (0x180F, 0x1FFF), (0x2010, 0x2027),
    (0x2030, 0x205E), (0x2070, 0x2FFF), (0x3001, 0xD7FF), (0xE000, 0xFEFE), (0xFF00, 0xFFF8), (0xFFFC, 0xDFFFF),
    (0xE0080, 0x10FFFF),
)  # fmt: skip

Tree: TypeAlias = Mapping[str, Union["Tree", None]]
_Ranges: TypeAlias = tuple[tuple[int, int], ...]


# Threads share automata: a node is grown once, and completely.
_GROWING = RLock()


class Node:
    """One state: where each byte leads, and whether its level may end here."""

    __slots__ = ("_edges", "_grow", "_mask", "final")

    def __init__(self, grow: Callable[[Node], object] | None = None, *, final: bool = False) -> None:
        self._edges: dict[int, tuple[Node, Node | None, bool]] = {}
        self._grow = grow
        self.final = final
        self._mask = -1

    @property
    def edges(self) -> dict[int, tuple[Node, Node | None, bool]]:
        """For each byte: the next node, the node that continues when its level ends, whether this level is dropped."""
        if self._grow is not None:
            with _GROWING:
                if self._grow is not None:
                    self._grow(self)
                    self._grow = None
        return self._edges

    @property
    def mask(self) -> int:
        """The bytes that have an edge, as bits."""
        if self._mask < 0:
            self._mask = sum(1 << byte for byte in self.edges)
        return self._mask

    def on(self, data: Iterable[int], target: Node, *, push: Node | None = None, drop: bool = False) -> None:
        """Add edges for some bytes."""
        self._edges.update(dict.fromkeys(data, (target, push, drop)))

    def enter(self, start: Node, then: Node) -> None:
        """Read what `start` reads, one level deeper; `then` continues when that level ends."""
        assert self._grow is None
        self._grow = partial(Node._enter, start=start, then=then)

    def _enter(self, start: Node, then: Node) -> None:
        for byte, (target, push, _) in start.edges.items():
            assert push is None
            self._edges[byte] = (target, then, False)


DONE = Node(final=True)


def later(build: Callable[[], Node], *, final: bool = False) -> Node:
    """Return a node with the edges of the node that `build` returns; it is called on first use."""
    return Node(lambda node: node._edges.update(build().edges), final=final)


def chain(text: bytes, target: Node) -> Node:
    """Return a node that reads exactly this text on its way to `target`."""
    for byte in reversed(text):
        node = Node()
        node.on([byte], target)
        target = node
    return target


def trie(words: Iterable[bytes]) -> Node:
    """Return a node that reads one of these words; the empty word makes it final."""
    root = Node()
    for word in words:
        node = root
        for byte in word:
            edge = node.edges.get(byte)
            if edge is None:
                edge = node.edges[byte] = (Node(), None, False)
            node = edge[0]
        node.final = True
    return root


def spell(tree: Tree, target: Node, node: Node | None = None) -> Node:
    """Return a node that reads the spellings of a tree of character sets, each on its way to `target`."""
    node = node or Node()
    for chars, rest in tree.items():
        node.on(chars.encode(), target if rest is None else spell(rest, target))
    return node


def beyond_ascii(node: Node, target: Node) -> None:
    """Add edges for every character in BARE, as UTF-8, each on its way to `target`."""
    shapes = _shapes()

    def lead(at: int, before: Node) -> None:
        for after, data in shapes[at].items():
            before.on(data, nodes[after])

    nodes = [node, *(Node(partial(lead, at)) for at in range(1, len(shapes))), target]
    lead(0, node)


@cache
def _shapes() -> list[dict[int, list[int]]]:
    """The automaton of BARE: for each node the bytes that lead to another; -1 is the end of the character."""
    shapes: list[dict[int, list[int]]] = [{}]
    known: dict[frozenset[_Ranges], int] = {frozenset({()}): -1}
    pending = [(0, [sequence for low, high in BARE for sequence in _sequences(low, high)])]
    while pending:
        at, sequences = pending.pop()
        tails: dict[int, list[_Ranges]] = {}
        for first, *rest in sequences:
            for byte in range(first[0], first[1] + 1):
                tails.setdefault(byte, []).append(tuple(rest))
        for byte, ranges in tails.items():
            key = frozenset(ranges)
            if key not in known:
                known[key] = len(shapes)
                shapes.append({})
                pending.append((known[key], ranges))
            shapes[at].setdefault(known[key], []).append(byte)
    return shapes


def _sequences(low: int, high: int) -> list[_Ranges]:
    """A range of code points as ranges of bytes."""
    for last in (0x7F, 0x7FF, 0xFFFF):
        if low <= last < high:
            return _sequences(low, last) + _sequences(last + 1, high)
    for shift in (6, 12, 18):
        tail = (1 << shift) - 1
        if low & ~tail != high & ~tail:
            if low & tail:
                return _sequences(low, low | tail) + _sequences((low | tail) + 1, high)
            if high & tail != tail:
                return _sequences(low, (high & ~tail) - 1) + _sequences(high & ~tail, high)
    return [tuple(zip(chr(low).encode(), chr(high).encode(), strict=True))]

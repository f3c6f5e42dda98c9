"""The spelling of canonical numbers as automata: ints of up to 1,024 bits in decimal, floats as Python's repr.

A float that reads back as another text (too many digits, or too large) is accepted: to reject it takes arithmetic.
"""

from __future__ import annotations

from functools import cache, partial

from worldline.codec.compact.guide.nodes import DIGITS, DONE, HEX, Node, chain, spell, trie

_LARGEST = str((1 << 1024) - 1).encode()
# The digits of the smallest int that is not written in decimal.
_HEX_DIGITS = 257
_SIGNIFICANT = 17
# Beyond these digits before the point, or zeros after "0.", repr writes an exponent.
_MAX_WHOLE_DIGITS = 16
_MAX_ZEROS = 3
_NONZERO = DIGITS - {0x30}


class NumberAutomaton:
    """The spellings of numbers; `start` reads the first byte.

    `ints` and `floats` say which of the two are accepted, `units` whether 0 and 1 are, and `colon` is the node
    after a colon that follows a short int without a sign.
    """

    def __init__(
        self, *, ints: bool = True, floats: bool = True, units: bool = True, colon: Node | None = None
    ) -> None:
        self._ints, self._floats, self._units = ints, floats, units
        self._exponent = _exponent()
        self._whole: dict[tuple[int, int, bool, bool], Node] = {}
        self._parts: dict[tuple[int, int, bool, bool], Node] = {}
        self.start, minus = Node(), Node()
        self.start.on(b"-", minus)
        for sign, node in ((False, self.start), (True, minus)):
            node.on(b"0", self._zero(sign, colon))
            for digit in _NONZERO:
                node.on([digit], self._digits(1, _compare(digit, 0, 0), not sign and digit == 0x31, colon, sign))
        if floats:
            minus.on(b"i", chain(b"nf", DONE))

    def _zero(self, sign: bool, colon: Node | None) -> Node:
        node = Node(final=self._ints and self._units and not sign)
        if self._floats:
            node.on(b".", self._below_one(0, 0, False))
        if self._ints:
            node.on(b"x", _hexadecimal())
        if colon is not None and not sign:
            node.on(b":", colon, drop=True)
        return node

    def _digits(self, count: int, order: int, is_one: bool, colon: Node | None, sign: bool) -> Node:
        """`count` digits that are less than (-1), equal to or more than (1) as many digits of the largest int."""
        short = colon is not None and not sign and count <= 9
        key = (count, order, is_one, short)
        if key in self._whole:
            return self._whole[key]
        grow = partial(self._after_digits, count, order, colon if short else None, sign)
        node = self._whole[key] = Node(grow, final=self._ints and (self._units or not is_one))
        return node

    def _after_digits(self, count: int, order: int, colon: Node | None, sign: bool, node: Node) -> None:
        if self._floats and count <= _MAX_WHOLE_DIGITS:
            node.on(b".", self._fraction(count, 0, False))
        if self._floats and count == 1:
            node.on(b"e", self._exponent)
        if colon is not None:
            node.on(b":", colon, drop=True)
        if count < (len(_LARGEST) if self._ints else _MAX_WHOLE_DIGITS):
            for after, digits in _groups(count, order).items():
                if count + 1 < len(_LARGEST) or after <= 0:
                    node.on(digits, self._digits(count + 1, after, False, colon, sign))

    def _fraction(self, whole: int, count: int, idle: bool) -> Node:
        """After the point, with `whole` digits before it. `idle`: the last digit is a zero that needs another."""
        return self._part(whole, count, idle, final=count > 0 and not idle, exponent=whole == 1)

    def _below_one(self, zeros: int, count: int, idle: bool) -> Node:
        """After "0.": `zeros` first, then `count` digits."""
        return self._part(-zeros, count, idle, final=count > 0 and not idle, exponent=False)

    def _part(self, whole: int, count: int, idle: bool, *, final: bool, exponent: bool) -> Node:
        key = (whole, count, idle, exponent)
        if key in self._parts:
            return self._parts[key]
        grow = partial(self._after_part, whole, count, exponent=final and exponent)
        node = self._parts[key] = Node(grow, final=final)
        return node

    def _after_part(self, whole: int, count: int, node: Node, *, exponent: bool) -> None:
        step = self._fraction if whole > 0 else self._below_one
        size, used = abs(whole), max(whole, 0) + count
        if used < _SIGNIFICANT:
            node.on(_NONZERO, step(size, count + 1, False))
        if count and used + 1 < _SIGNIFICANT:
            node.on(b"0", step(size, count + 1, True))
        elif not count and whole > 0:
            node.on(b"0", self._point_zero(step(size, 1, True)))
        elif not count and size < _MAX_ZEROS:
            more = self._below_one(size + 1, 0, True)
            node.on(b"0", more if size else self._point_zero(more))
        if exponent:
            node.on(b"e", self._exponent)

    def _point_zero(self, more: Node) -> Node:
        """The zero of "1.0", which may be the end."""
        node = Node(final=True)
        node.edges.update(more.edges)
        return node


def nan_bits(target: Node) -> Node:
    """Return a node that reads the 16 hexadecimal digits of a nan, and `)`."""
    node = chain(b")", target)
    for _ in range(13):
        before = Node()
        before.on(HEX.encode(), node)
        node = before
    return spell({"7f": None}, chain(b"ff", node))


@cache
def unit_floats() -> Node:
    """Return a node that reads a canonical float from 0 to 1, without 1."""
    less = Node()
    less.on(b"-", trie(b"%02d" % n for n in range(5, 325)))
    start, zero, first = Node(), Node(), Node()
    start.on(b"0", zero)
    zero.on(b".", NumberAutomaton(ints=False)._below_one(0, 0, False))
    start.on(_NONZERO, first)
    first.on(b"e", less)
    after: Node | None = None
    # After the point, from the last digit back: zeros need another digit.
    for _ in range(_SIGNIFICANT - 1):
        digit, idle = Node(), Node()
        digit.on(b"e", less)
        if after is not None:
            for node in (digit, idle):
                node.on(_NONZERO, after.edges[0x31][0])
                node.on(b"0", after.edges[0x30][0])
        after = Node()
        after.on(_NONZERO, digit)
        after.on(b"0", idle)
    assert after is not None
    first.on(b".", after)
    return start


@cache
def _exponent() -> Node:
    def fill(node: Node) -> None:
        node.on(b"+", trie(b"%d" % n for n in range(16, 309)))
        node.on(b"-", trie(b"%02d" % n for n in range(5, 325)))

    return Node(fill)


@cache
def _hexadecimal() -> Node:
    node = Node(final=True)
    node.on(HEX.encode(), node)
    for _ in range(_HEX_DIGITS - 1):
        before = Node()
        before.on(HEX.encode(), node)
        node = before
    return spell({HEX[1:]: None}, node)


def _compare(digit: int, place: int, order: int) -> int:
    """How a number with one more digit compares with the first digits of the largest int."""
    return order or (digit > _LARGEST[place]) - (digit < _LARGEST[place])


def _groups(place: int, order: int) -> dict[int, list[int]]:
    """The digits by how the number compares after adding them."""
    if order:
        return {order: list(DIGITS)}
    groups: dict[int, list[int]] = {}
    for digit in DIGITS:
        groups.setdefault(_compare(digit, place, 0), []).append(digit)
    return groups

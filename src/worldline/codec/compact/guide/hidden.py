"""The hidden inputs of a text that is being written: which may come where, and which values they can have.

A kind names its domain: after `%'below 6'=` only 0 to 5 may stand. In the mode `given` only the next input of the
prompt may come, in `blind` only thread switches. `drawing` reads off the source which lines can draw.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache, partial

from worldline.codec.compact.guide.frames import LiveFrame
from worldline.codec.compact.guide.nodes import DIGITS, DONE, Node, chain, trie
from worldline.codec.compact.guide.numbers import NumberAutomaton, unit_floats
from worldline.codec.compact.guide.state import GuideState, bits
from worldline.codec.compact.guide.values import bytes_literal, counted_bytes, values
from worldline.codec.compact.words import hidden_line, name_text
from worldline.core.hidden import READ, THREAD
from worldline.core.trace import Hidden

_SIZED = ("below", "bits", "urandom")
# The bits of an int that is written in decimal.
_MAX_DECIMAL_BITS = 1024
# The bytes of a literal whose length is counted.
_MAX_COUNTED_BYTES = 4096
_VALUE, _TEXT = bits(b"="), bits(b":")


def kind_node(state: GuideState) -> Node | None:
    """Return what reads the kind of a hidden input that may come now, or None."""
    if not state.frames.may_draw_hidden():
        return None
    if state.options.hidden == "given":
        left = state.prompt_inputs[state.drawn :][:1]
        return _kind(name_text(left[0].kind)) if left else None
    kinds = frozenset(kind for kind in state.guard.kinds if state.options.tells(kind) and _may_come(state, kind))
    return _kinds(kinds) if kinds else None


def _may_come(state: GuideState, kind: str) -> bool:
    frames = state.frames
    if kind == READ:
        return frames.may_do_io()
    return kind == THREAD or not frames.stack or _may_draw(state)


def _may_draw(state: GuideState) -> bool:
    """Whether the running line, a line that may execute next, or a suspended line may draw."""
    frames = [*state.frames.stack[-1:], *state.frames.suspended]
    return any(_draws(state, frame) for frame in frames)


def _draws(state: GuideState, frame: LiveFrame) -> bool:
    drawing = state.guard.files[frame.file].drawing
    if drawing is None or frame.line in drawing:
        return True
    return not drawing.isdisjoint(state.guard.lines(frame.file, frame.flows, frame.event, frame.line))


def mark_mask(state: GuideState) -> int:
    """Return what may follow a kind: a value, or a text that is not a value."""
    if state.options.hidden == "given":
        return _VALUE if _rest(state.prompt_inputs[state.drawn]).startswith("=") else _TEXT
    return _VALUE | (_TEXT if state.word() == READ.encode() else 0)


def value_node(state: GuideState, kind: str, *, is_text: bool) -> Node:
    """Return what reads the value of a hidden input of this kind."""
    if state.options.hidden == "given":
        return _kind(_rest(state.prompt_inputs[state.drawn])[1:])
    return values().text if is_text else domain(kind)


def _rest(hidden: Hidden) -> str:
    """The mark and the value of a hidden input."""
    return hidden_line(hidden)[1 + len(name_text(hidden.kind)) : -1]


@lru_cache(maxsize=256)
def _kind(text: str) -> Node:
    return trie([text.encode()])


@lru_cache(maxsize=64)
def _kinds(words: frozenset[str]) -> Node:
    """A kind by its name: bare, or in quotes if numbers follow its first word."""
    start, opened = trie(word.encode() for word in words - {THREAD, *_SIZED}), Node()
    for word in sorted(words & {THREAD, *_SIZED}):
        _add(opened, word.encode() + b" ", _size(zero=word != "below", several=word == THREAD))
    if words & {THREAD, *_SIZED}:
        start.on(b"'", opened)
    return start


def _add(node: Node, word: bytes, target: Node) -> None:
    """Add a word; no word is a prefix of another."""
    for at, byte in enumerate(word):
        if at == len(word) - 1:
            node.on([byte], target)
            return
        if byte not in node.edges:
            node.on([byte], Node())
        node = node.edges[byte][0]


def _size(*, zero: bool, several: bool) -> Node:
    """A number, or several separated by spaces, and the closing quote."""
    start, more, none = Node(), Node(), Node()
    start.on(DIGITS - {0x30}, more)
    more.on(DIGITS, more)
    if zero:
        start.on(b"0", none)
    for node in (more, none):
        node.on(b"'", DONE)
        if several:
            node.on(b" ", start)
    return start


@lru_cache(maxsize=4096)
def domain(kind: str) -> Node:
    """Return what reads a value of this kind; any value if the kind has no known domain."""
    word, _, rest = kind.partition(" ")
    if word == THREAD:
        return trie(number.encode() for number in rest.split())
    if word in _SIZED and rest.isdecimal():
        return _SIZES[word](int(rest))
    return _PLAIN[word]() if word in _PLAIN else values().value


def _below(limit: int) -> Node:
    """An int from 0 to `limit`, without `limit`."""
    if (limit - 1).bit_length() > _MAX_DECIMAL_BITS:
        return NumberAutomaton(floats=False).start
    return _up_to(str(limit - 1).encode())


def _bits(count: int) -> Node:
    return _below(1 << min(count, _MAX_DECIMAL_BITS + 1))


def _up_to(last: bytes) -> Node:
    """The numbers from 0 to this one."""

    @cache
    def digits(count: int, order: int) -> Node:
        """After `count` digits that are less than (-1), equal to or more than (1) as many digits of `last`."""
        return Node(partial(grow, count, order), final=True)

    def grow(count: int, order: int, node: Node) -> None:
        for digit in DIGITS if count < len(last) else ():
            after = order or (digit > last[count]) - (digit < last[count])
            if count + 1 < len(last) or after <= 0:
                node.on([digit], digits(count + 1, after))

    start = Node()
    start.on(b"0", Node(final=True))
    for digit in DIGITS - {0x30}:
        after = (digit > last[0]) - (digit < last[0])
        if len(last) > 1 or after <= 0:
            start.on([digit], digits(1, after))
    return start


def _urandom(size: int) -> Node:
    """A literal of `size` bytes."""
    if size > _MAX_COUNTED_BYTES:
        return bytes_literal()
    return chain(b"b", counted_bytes(size))


def _int() -> Node:
    return NumberAutomaton(floats=False).start


_SIZES = {"below": _below, "bits": _bits, "urandom": _urandom}
_PLAIN: dict[str, Callable[[], Node]] = {
    "float": unit_floats,
    "clock": _int,
    "id": _int,
    READ: lambda: values().text,
    "uuid": lambda: _urandom(16),
}

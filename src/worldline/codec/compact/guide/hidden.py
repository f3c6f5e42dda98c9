"""The hidden inputs of a text that is being written: which may come where, and what each could have been.

A kind names its domain: after `%'below 6'=` only 0 to 5 may stand. In the mode `given` only the next given one may
come, in `blind` none but who runs. Where a line cannot draw is read off the source (`drawing`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache, partial

from worldline.codec.compact.guide.frames import LiveFrame
from worldline.codec.compact.guide.nodes import DIGITS, DONE, Node, chain, trie
from worldline.codec.compact.guide.numbers import Numbers, unit_floats
from worldline.codec.compact.guide.state import GuideState, bits
from worldline.codec.compact.guide.values import bytes_literal, counted_bytes, values
from worldline.codec.compact.words import hidden_line, name_text
from worldline.core.hidden import READ, THREAD
from worldline.core.trace import Hidden

_SIZED = ("below", "bits", "urandom")
_MOST_BITS = 1024  # of an int that is written in decimal
_MOST_COUNTED = 4096  # bytes of a literal whose length is counted
_VALUE, _TEXT = bits(b"="), bits(b":")


def kind_node(state: GuideState) -> Node | None:
    """What reads the kind of the hidden input that may come now; None where none may."""
    if not state.frames.may_hide():
        return None
    if state.options.hidden == "given":
        left = state.given[state.drawn :][:1]
        return _kind(name_text(left[0].kind)) if left else None
    found = frozenset(
        kind for kind in state.guard.kinds if state.options.tells(kind) and _may_come(state, kind)
    )
    return _kinds(found) if found else None


def _may_come(state: GuideState, kind: str) -> bool:
    frames = state.frames
    if kind == READ:
        return frames.may_speak()
    return kind == THREAD or not frames.stack or _may_draw(state)


def _may_draw(state: GuideState) -> bool:
    """Whether the line that runs, one that may run next, or one that waits to go on leaves room for a draw."""
    frames = [*state.frames.stack[-1:], *state.frames.suspended]
    return any(_draws(state, frame) for frame in frames)


def _draws(state: GuideState, frame: LiveFrame) -> bool:
    drawing = state.guard.files[frame.file].drawing
    if drawing is None or frame.line in drawing:
        return True
    return not drawing.isdisjoint(state.guard.lines(frame.file, frame.flows, frame.event, frame.line))


def mark_mask(state: GuideState) -> int:
    """Behind a kind: whether a value follows, or a text that is none."""
    if state.options.hidden == "given":
        return _VALUE if _rest(state.given[state.drawn]).startswith("=") else _TEXT
    return _VALUE | (_TEXT if state.word() == READ.encode() else 0)


def value_node(state: GuideState, kind: str, *, is_text: bool) -> Node:
    """What reads the value of a hidden input of this kind."""
    if state.options.hidden == "given":
        return _kind(_rest(state.given[state.drawn])[1:])
    return values().text if is_text else domain(kind)


def _rest(hidden: Hidden) -> str:
    """The mark and the value of a hidden input."""
    return hidden_line(hidden)[1 + len(name_text(hidden.kind)) : -1]


@lru_cache(maxsize=256)
def _kind(text: str) -> Node:
    return trie([text.encode()])


@lru_cache(maxsize=64)
def _kinds(words: frozenset[str]) -> Node:
    """A kind by its name: bare, or in quotes where numbers follow its first word."""
    start, opened = trie(word.encode() for word in words - {THREAD, *_SIZED}), Node()
    for word in sorted(words & {THREAD, *_SIZED}):
        _add(opened, word.encode() + b" ", _size(zero=word != "below", several=word == THREAD))
    if words & {THREAD, *_SIZED}:
        start.on(b"'", opened)
    return start


def _add(node: Node, word: bytes, target: Node) -> None:
    """A word beside others, none of which begins another."""
    for at, byte in enumerate(word):
        if at == len(word) - 1:
            node.on([byte], target)
            return
        if byte not in node.edges:
            node.on([byte], Node())
        node = node.edges[byte][0]


def _size(*, zero: bool, several: bool) -> Node:
    """A number, or several with spaces between, and the quote that closes."""
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
    """What reads a value of this kind; of one that says nothing of its domain, any value."""
    word, _, rest = kind.partition(" ")
    if word == THREAD:
        return trie(each.encode() for each in rest.split())
    if word in _SIZED and rest.isdecimal():
        return _SIZES[word](int(rest))
    return _PLAIN[word]() if word in _PLAIN else values().value


def _below(most: int) -> Node:
    """An int from 0 up to, and without, `most`."""
    if (most - 1).bit_length() > _MOST_BITS:
        return Numbers(floats=False).start
    return _up_to(str(most - 1).encode())


def _bits(count: int) -> Node:
    return _below(1 << min(count, _MOST_BITS + 1))


def _up_to(last: bytes) -> Node:
    """The numbers from 0 to this one."""

    @cache
    def digits(count: int, order: int) -> Node:
        """Behind so many digits, which are less than (-1), equal to or more than (1) as many of the last number's."""
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
    """A literal of so many bytes."""
    if size > _MOST_COUNTED:
        return bytes_literal()
    return chain(b"b", counted_bytes(size))


def _int() -> Node:
    return Numbers(floats=False).start


_SIZES = {"below": _below, "bits": _bits, "urandom": _urandom}
_PLAIN: dict[str, Callable[[], Node]] = {
    "float": unit_floats, "clock": _int, "id": _int, READ: lambda: values().text,
    "uuid": lambda: _urandom(16),
}  # fmt: skip

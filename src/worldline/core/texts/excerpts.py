"""How people see large values: cut in the middle with their length, and changes by position. Every front end uses it.

A text that fits stands whole. A longer container shows its first and last items, a longer string its first and last
characters: `[0, 1, 4, …, 35976004, 35988001] (len 6,000)`. A change of a long value shows what changed, and where:
`xs[5000]=-1 (len 6,000)`, `xs+=[7] (len 6,000)`, `del xs[3] (len 5,999)`, `s+='ab' (len 1,390)`. The cost is that of
comparing texts and counting items at the speed of C; no value is parsed as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from worldline.core.malformed import Malformed
from worldline.core.text import first_difference
from worldline.core.texts.value_levels import (
    SEPARATOR,
    Level,
    character_count,
    escape_around,
    is_flat,
    is_literal,
    item_end,
    items,
    key_end,
    length,
    levels,
    outer_level,
)

GAP = "…"
# A text is never cut to less, however narrow the column.
MIN_CHARS = 16
MAX_KEY_CHARS = 40
MAX_EDITS = 3  # changes of one value that are listed
MAX_DEPTH = 12  # of a path
_MAX_ITEMS = 256  # items that are compared, if they are no plain atoms


def excerpt(text: str, max_chars: int) -> str:
    """Shorten a canonical value to about `max_chars`.

    Args:
        text: The value. Any other text is cut in the middle.
        max_chars: A text of at most this many characters stays whole.

    Returns:
        The value, or its first and last items and its length.
    """
    if len(text) <= max_chars:
        return text
    note = _length_note(text)
    return _middle_cut(text, max(max_chars - len(note), MIN_CHARS)) + note


def change_excerpt(name: str, before: str | None, text: str, max_chars: int) -> str:
    """Show the new value of a name: `name=value`, or the position and content of what changed in a long value.

    Args:
        name: The name.
        before: Its value before; None if it had none, or if that is unknown.
        text: Its value now.
        max_chars: If the whole text fits into this many characters, it stays whole.

    Returns:
        The text for people, about that long.
    """
    room = max_chars - len(name) - 1
    if len(text) <= room:
        return f"{name}={text}"
    edit = None if before is None else _edit(name, before, text, max_chars)
    if edit is None:
        return f"{name}={excerpt(text, max(room, MIN_CHARS))}"
    return edit + _length_note(text)


def excerpt_after(name: str, before: str | None, text: str, max_chars: int) -> str:
    """Show a value with its last change: `[0, 1, …, 35988001] (len 6,000), after xs[5000]=-1`.

    Args:
        name: The name that has the value.
        before: The value that the name had before; None if it had none, or if that is unknown.
        text: The value.
        max_chars: A value of at most this many characters stays whole, without its change.

    Returns:
        The text for people, about that long.
    """
    if len(text) <= max_chars:
        return text
    edit = None if before is None else _edit(name, before, text, max_chars // 2)
    if edit is None:
        return excerpt(text, max_chars)
    note = f", after {edit}"
    return excerpt(text, max(max_chars - len(note), 2 * MIN_CHARS)) + note


def room_of_each(sizes: Sequence[int], max_chars: int) -> int:
    """Return how many characters each of several texts in one line may take: short ones leave some to others."""
    rest = max_chars
    for number, size in enumerate(sorted(sizes)):
        share = rest // (len(sizes) - number)
        if size > share:
            return max(share, MIN_CHARS)
        rest -= size
    return max_chars


def _length_note(text: str) -> str:
    known = _changed_texts.get(text)
    count = length(text) if known is None else known.length
    return "" if count is None else f" (len {count:,})"


# ---- whole values


def _middle_cut(text: str, max_chars: int) -> str:
    """The first and the last items, or characters."""
    if len(text) <= max_chars:
        return text
    outer = None if is_literal(text) else outer_level(text)
    if outer is None:
        return _characters(text, max_chars)
    head, tail = text[: outer.start], text[outer.end :]
    room = max(max_chars - len(head) - len(tail) - len(GAP) - 2 * len(SEPARATOR), 4)
    front_end = _front(text, outer.start, outer.end, (room + 1) // 2)
    if front_end == outer.start:
        front_end = min(item_end(text, outer.start), outer.end)
        first = _cut_item(text[outer.start : front_end], outer.kind, room)
        gap = f"{SEPARATOR}{GAP}" if front_end < outer.end else ""
        return f"{head}{first}{gap}{tail}"
    front = text[outer.start : front_end]
    back = _back(text, front_end, outer.end, outer.kind, room - len(front))
    return SEPARATOR.join(part for part in (head + front, GAP, back) if part) + tail


def _characters(text: str, max_chars: int) -> str:
    end = max((max_chars - len(GAP)) // 2, 1)
    return f"{text[: max(max_chars - len(GAP) - end, 1)]}{GAP}{text[-end:]}"


def _front(text: str, start: int, stop: int, room: int) -> int:
    """The end of the first items that fit; `start` if none does."""
    if is_flat(text, start, start + room + len(SEPARATOR)):
        return max(text.rfind(SEPARATOR, start, start + room + len(SEPARATOR)), start)
    end, at = start, start
    while at < stop:
        item = item_end(text, at, start + room + 1)
        if item > start + room:
            break
        end, at = item, item + len(SEPARATOR)
    return end


def _back(text: str, start: int, stop: int, kind: str, room: int) -> str:
    """The last items that fit. A separator counts if only whole items follow it: others are inside of an item."""
    at = text.find(SEPARATOR, max(start + len(SEPARATOR), stop - room - len(SEPARATOR)), stop)
    while at >= 0:
        begin = at + len(SEPARATOR)
        if _are_items(text[begin:stop], kind):
            return text[begin:stop]
        at = text.find(SEPARATOR, begin, stop)
    return ""


def _are_items(text: str, kind: str) -> bool:
    """Whether a text is one or more whole items."""
    from worldline.core.value import scan  # `record` starts faster without it

    if is_flat(text, 0, len(text)):
        return True
    at = 0
    while True:
        end = scan(text, key_end(text, at, kind))
        if isinstance(end, Malformed) or end == len(text):
            return end == len(text)
        if not text.startswith(SEPARATOR, end):
            return False
        at = end + len(SEPARATOR)


def _cut_item(item: str, kind: str, max_chars: int) -> str:
    """One long item: its key, if that is short, and its value cut in the middle."""
    start = key_end(item, 0, kind)
    if start >= max_chars // 2:
        return _characters(item, max_chars)
    return item[:start] + _middle_cut(item[start:], max(max_chars - start, MIN_CHARS))


# ---- changes


@dataclass(frozen=True)
class _Place:
    """One level around a change: the path to it, its kind, and the item at the change."""

    path: str
    kind: str
    index: int
    start: int


@dataclass(frozen=True)
class _ChangedText:
    """What is known of a text whose change was shown, so that the next change is found from there."""

    length: int | None
    levels: Sequence[Level] = ()
    literal_place: tuple[int, int] = (0, 0)  # in the body of a literal: an index, and how many characters are before it


# The latest texts. A program changes few large values at a time.
_changed_texts: dict[str, _ChangedText] = {}
_MAX_CHANGED_TEXTS = 16


def _remember(text: str, facts: _ChangedText) -> None:
    _changed_texts[text] = facts
    for old in list(_changed_texts)[:-_MAX_CHANGED_TEXTS]:
        _changed_texts.pop(old, None)


def _edit(name: str, old: str, new: str, max_chars: int) -> str | None:
    """The change as a few edits with their positions; None if they would not be plain or short."""
    prefix = first_difference(old, new)
    suffix = _common_suffix(old, new, min(len(old), len(new)) - prefix)
    if prefix + suffix < len(new) // 2:
        return None  # another value, not a change of this one
    known = _changed_texts.get(old) or _ChangedText(length(old))
    if is_literal(new):
        return _literal_edit(name, old, new, max_chars, known)
    ends = len(old) - suffix, len(new) - suffix
    around = levels(new, prefix, known.levels)
    for place in reversed(list(_places(name, around, new))):
        old_items = items(old, place.start, ends[0], _MAX_ITEMS)
        new_items = items(new, place.start, ends[1], _MAX_ITEMS)
        if old_items is not None and new_items is not None and old_items[1] == new_items[1]:
            is_outer = place.path == name
            count = known.length
            if count is not None and is_outer:
                count += len(new_items[0]) - len(old_items[0])
            _remember(new, _ChangedText(count, around))
            return _item_edits(place, old_items[0], new_items[0], max_chars, is_last=new_items[1])
    return None


def _common_suffix(old: str, new: str, limit: int) -> int:
    """The length of the common suffix, at most `limit`: slices compare at the speed of C."""
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        if old[len(old) - middle : len(old) - low] == new[len(new) - middle : len(new) - low]:
            low = middle
        else:
            high = middle - 1
    return low


def _places(name: str, around: list[Level], text: str) -> Iterator[_Place]:
    """The levels in which an item can be named, with the path to each; the outermost first."""
    path = name
    for level in around[:MAX_DEPTH]:
        if level.kind == "wrap":
            continue
        index, start = level.index, level.start
        value = key_end(text, start, level.kind)
        yield _Place(path, level.kind, index, start)
        if level.kind in ("list", "tuple"):
            path += f"[{index}]"
        elif value > start:
            path += _step(text[start:value])
        elif level.kind == "brace" or index:
            return  # an element of a set, or an argument without a name


def _step(key: str) -> str:
    """The path to the item of a key (`'a': ` gives `['a']`) or a field (`x=` gives `.x`)."""
    return f".{key[:-1]}" if key.endswith("=") else f"[{_middle_cut(key[:-2], MAX_KEY_CHARS)}]"


def _item_edits(place: _Place, old: list[str], new: list[str], max_chars: int, *, is_last: bool) -> str | None:
    start = first_difference(old, new)
    same = 0
    while same < min(len(old), len(new)) - start and old[-1 - same] == new[-1 - same]:
        same += 1
    old, new = old[start : len(old) - same], new[start : len(new) - same]
    if not old and not new:
        return None  # such text is not canonical
    is_last = is_last and not same
    if place.kind in ("list", "tuple"):
        return _sequence_edit(place.path, place.index + start, old, new, max_chars, is_last=is_last)
    if place.kind == "brace" and not any(key_end(item, 0, "brace") for item in (*old, *new)):
        return _set_edit(place.path, old, new, max_chars)
    return _keyed_edits(place, old, new, max_chars)


def _sequence_edit(path: str, at: int, old: list[str], new: list[str], max_chars: int, *, is_last: bool) -> str:
    if len(old) == len(new):
        changed = [n for n, (left, right) in enumerate(zip(old, new, strict=True)) if left != right]
        if len(changed) <= MAX_EDITS:
            pairs = [(f"{path}[{at + n}]", old[n], new[n]) for n in changed]
            return SEPARATOR.join(_assigned(target, left, right, max_chars) for target, left, right in pairs)
    if not new:
        return f"del {path}[{at}]" if len(old) == 1 else f"del {path}[{at}:{at + len(old)}]"
    target = f"{path}+=" if is_last and not old else f"{path}[{at}:{at + len(old)}]="
    return target + _middle_cut(f"[{SEPARATOR.join(new)}]", max(max_chars - len(target), MIN_CHARS))


def _set_edit(path: str, old: list[str], new: list[str], max_chars: int) -> str | None:
    if old and new:
        return None
    target = f"{path}+=" if new else f"{path}-="
    return target + _middle_cut(f"{{{SEPARATOR.join(new or old)}}}", max(max_chars - len(target), MIN_CHARS))


def _keyed_edits(place: _Place, old: list[str], new: list[str], max_chars: int) -> str | None:
    """Edits of keys or fields."""
    before, after = ({item[: key_end(item, 0, place.kind)]: item for item in part} for part in (old, new))
    if "" in before or "" in after:
        return None
    gone = [key for key in before if key not in after]
    changed = [key for key in after if before.get(key) != after[key]]
    if place.kind == "brace" and not before and len(changed) > 1:
        target = f"{place.path}+="
        return target + _middle_cut(f"{{{SEPARATOR.join(new)}}}", max(max_chars - len(target), MIN_CHARS))
    if len(gone) + len(changed) > MAX_EDITS:
        return None
    edits = [f"del {place.path}{_step(key)}" for key in gone]
    for key in changed:
        left = before[key][len(key) :] if key in before else None
        edits.append(_assigned(place.path + _step(key), left, after[key][len(key) :], max_chars))
    return SEPARATOR.join(edits) or None


def _assigned(target: str, old: str | None, new: str, max_chars: int) -> str:
    """The new value of a part. A part that is a long string shows what changed in it."""
    room = max(max_chars - len(target) - 1, MIN_CHARS)
    if len(new) > room and old is not None and is_literal(new):
        edit = _literal_edit(target, old, new, max_chars, _ChangedText(None))
        if edit is not None:
            return edit
    return f"{target}={_middle_cut(new, room)}"


def _literal_edit(path: str, old: str, new: str, max_chars: int, known: _ChangedText) -> str | None:
    """The change of a str or bytes: the characters that were added or replaced."""
    opening = new[: new.index(new[-1]) + 1]
    if not old.startswith(opening) or len(old) < len(opening) + 1 or len(new) < len(opening) + 1:
        return None
    before, after = old[len(opening) : -1], new[len(opening) : -1]
    start = first_difference(before, after)
    start = min([start, *(escape[0] for body in (before, after) if (escape := escape_around(body, start)))])
    same = _common_suffix(before, after, min(len(before), len(after)) - start)
    for body in (before, after):
        escape = escape_around(body, len(body) - same)
        same = len(body) - escape[1] if escape is not None else same
    stop, end = len(before) - same, len(after) - same
    index, counted = known.literal_place if known.literal_place[0] <= start else (0, 0)
    at = counted + character_count(after[index:start])
    count = character_count(before[start:stop])
    if known.length is not None:
        added = character_count(after[start:end]) - count
        _remember(new, _ChangedText(known.length + added, literal_place=(start, at)))
    place = f"[{at}]" if count == 1 else f"[{at}:{at + count}]"
    if start == end:
        return f"del {path}{place}"
    target = f"{path}+=" if start == stop == len(before) else f"{path}{place}="
    return target + _middle_cut(f"{opening}{after[start:end]}{new[-1]}", max(max_chars - len(target), MIN_CHARS))

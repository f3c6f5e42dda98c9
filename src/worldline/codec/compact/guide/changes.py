"""The changes of a line that is being written: ` n=0 xs[3]=5 -x b&a`. What may follow, and what each byte does."""

from __future__ import annotations

from collections.abc import Callable

from worldline.codec.compact.guide.frames import LiveFrame
from worldline.codec.compact.guide.nodes import DONE, Node
from worldline.codec.compact.guide.state import END, SPACE, GuideState, bits
from worldline.codec.compact.guide.values import values
from worldline.core.events import CHANGELESS

Phase = tuple[Callable[[GuideState], int], Callable[[GuideState, int], None]]


def _frame(state: GuideState) -> LiveFrame:
    assert state.frame is not None
    return state.frame


def tail_mask(state: GuideState) -> int:
    """Return what may follow an action or a change: the end of the line, or another change."""
    unfinished = (state.early and state.changed and not state.open) or bool(_due_names(state) - state.used)
    return (0 if unfinished else END) | (SPACE if _may_continue(state) else 0)


def _due_names(state: GuideState) -> frozenset[bytes]:
    """The names that were assigned since the last reveal, if this line must show them."""
    is_known = state.event == "return" or (state.event == "line" and state.assigned.closed)
    return _frame(state).since if state.adds_assigned and state.open and is_known else frozenset()


def _possible_names(state: GuideState) -> frozenset[bytes] | None:
    """The names that this line can show; None if any."""
    if not state.adds_assigned or not state.open or _frame(state).surprises:
        return None
    if state.event == "line" and state.assigned.closed:
        return _frame(state).since | frozenset(state.assigned.names)
    return _frame(state).since if state.event == "return" else None


def _may_continue(state: GuideState, more: int = 0) -> bool:
    """Whether a name is left to change after `more` names, or another element of the last name."""
    if state.early and (state.changed or more):
        return True
    if _is_closed(state):
        return bool(_owed(state)) or (bool(state.edited) and not more)
    if (possible := _possible_names(state)) is not None:
        return len(possible - state.used) > more
    names, same = _frame(state).names, state.options.same
    is_left = names is None or same or len(names) > len(state.used) + more
    return (state.open or state.early) and (is_left or (bool(state.edited) and not more))


def tail_take(state: GuideState, byte: int) -> None:
    """Start another change, or end the line."""
    if byte == 0x20:
        state.go("item")
    else:
        _finish(state)


def _owed(state: GuideState) -> tuple[bytes, ...]:
    """The names that the statement of this line assigns and that are not written yet."""
    names = _frame(state).owed if state.event == "late" else state.assigned.names
    return tuple(name for name in names if name not in state.used)


def _is_closed(state: GuideState) -> bool:
    """Whether this line can show no other names than those that its statement assigns."""
    return state.shows_assigned and state.event == "line" and state.assigned.closed and not state.options.same


def _finish(state: GuideState) -> None:
    frame, frames = _frame(state), state.frames
    if state.shows_assigned and state.event not in CHANGELESS:
        frame.owed = _owed(state)
    if state.adds_assigned and state.event not in CHANGELESS:
        _add_names(state, frame)
    if state.event == "late":
        frame.changes_written = frames.late = True
        frames.due = frame
        # The next event of the frame follows at once.
        frame.pending = frames.steps - 1
    else:
        frames.step(frame, state.event, state.line, changed=state.changed, exact=state.exact)
    state.begin()


def _add_names(state: GuideState, frame: LiveFrame) -> None:
    """Note which names the next reveal must show, and whether it may show others."""
    is_revealed = state.event == "late" or state.options.reveals(state.frames.steps)
    if is_revealed and (state.changed or state.event in ("call", "late")):
        frame.since, frame.surprises = frozenset(), False
    elif state.event != "line" or not state.assigned.closed:
        frame.surprises = True
    is_pending = state.event == "line" and not is_revealed
    frame.new_names = (state.assigned.names, state.assigned.body) if is_pending else ((), frozenset())


def _item_mask(state: GuideState) -> int:
    mask = bits(b"|") if state.early and state.changed else 0
    mask |= _changeable(state).mask
    if _is_closed(state) and not state.element:
        return mask
    return mask | (bits(b"-") if state.section < 2 and _deletable(state).mask else 0)


def _changeable(state: GuideState) -> Node:
    """The names that a change may start with, except after `-`."""
    names, owed = _frame(state).names, _owed(state)
    if state.section == 0 and (possible := _possible_names(state)) is not None:
        return state.guard.words(possible - state.used)
    if owed and state.section == 0 and _is_closed(state):
        return state.guard.words(frozenset({owed[0], state.edited} - {b""}))
    if state.options.same:
        return state.guard.name(names, state.aliased & state.used if state.section == 0 else state.aliased)
    return state.guard.name(names, state.used - {state.edited}) if state.section == 0 else DONE


def _deletable(state: GuideState) -> Node:
    """The names that may stand after `-`; if only net changes are shown, they were shown before."""
    if not state.exact:
        return state.guard.words(frozenset(_frame(state).known - (state.used - {state.edited})))
    return state.guard.name(_frame(state).names, state.used - {state.edited})


def _item_take(state: GuideState, byte: int) -> None:
    if byte == 0x7C:
        state.begin_own_changes()
    elif byte == 0x2D:
        state.read(_deletable(state), "gone")
    else:
        state.read(_changeable(state), "named", first=True)


def _may_edit(state: GuideState, name: bytes) -> bool:
    fresh = name not in state.used or name == state.edited
    return state.element and state.section == 0 and fresh and name in _frame(state).known


def _named_mask(state: GuideState) -> int:
    name, mask = state.word(), 0
    if state.section == 0 and name not in state.used:
        mask |= bits(b"=")
    if _may_edit(state, name):
        mask |= bits(b"[.+-")
    if state.options.same and name not in state.aliased:
        mask |= bits(b"&")
    return mask


def _named_take(state: GuideState, byte: int) -> None:
    name, frame = state.word(), _frame(state)
    state.changed = True
    if byte == 0x26:
        state.section = 2
        state.aliased.add(name)
        state.read(state.guard.name_or_none(frame.names), "alias")
        return
    state.used.add(name)
    if state.element or not state.exact:
        frame.known.add(name)
    if byte == 0x3D:
        state.edited = b""
        state.read(values().value, "tail")
    else:
        state.edited = name
        state.read(values().path, "tail", first=True)


def _gone_mask(state: GuideState) -> int:
    name = state.word()
    mask = _after_deleted(state) if name not in state.used else 0
    return mask | (bits(b"[.") if _may_edit(state, name) else 0)


def _after_deleted(state: GuideState) -> int:
    unfinished = state.early and not state.open
    return (0 if unfinished else END) | (SPACE if _may_continue(state, 1) else 0)


def _gone_take(state: GuideState, byte: int) -> None:
    name = state.word()
    state.changed = True
    state.used.add(name)
    if byte in b"[.":
        state.edited = name
        state.read(values().gone, "tail", first=True)
        return
    state.section, state.edited = max(state.section, 1), b""
    _frame(state).known.discard(name)
    tail_take(state, byte)


CHANGES: dict[str, Phase] = {
    "tail": (tail_mask, tail_take),
    "item": (_item_mask, _item_take),
    "named": (_named_mask, _named_take),
    "gone": (_gone_mask, _gone_take),
    "alias": (tail_mask, tail_take),
}

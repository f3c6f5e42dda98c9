"""The lines of a text that is being written, up to their changes: what may come first, and what each byte does.

A phase is a pair of functions: which bytes may come, as bits, and what a byte does to the state.
"""

from __future__ import annotations

from worldline.codec.compact.guide.changes import CHANGES, Phase, tail_take
from worldline.codec.compact.guide.frames import LiveFrame
from worldline.codec.compact.guide.guard import first_digits
from worldline.codec.compact.guide.hidden import kind_node, mark_mask, value_node
from worldline.codec.compact.guide.nodes import DIGITS, DONE
from worldline.codec.compact.guide.state import END, SPACE, GuideState, bits
from worldline.codec.compact.guide.values import values
from worldline.codec.compact.writer import shows_value
from worldline.core.events import CHANGELESS
from worldline.core.hidden import READ
from worldline.core.trace import Hidden

_EVENTS = {ord("!"): "raise", ord("*"): "yield", ord(":"): "output", ord("<"): "input", ord("$"): "exit"}
_DIGITS, _CALL, _LEAVE, _LATE, _RESUME = bits(bytes(DIGITS)), bits(b"("), bits(b"/"), SPACE, bits(b"~")
_SWITCH, _HIDE, _STOP, _ASK, _YIELD = bits(b"@"), bits(b"%"), bits(b"."), bits(b"?"), bits(b"*")
_DECIDE = bits(b"^")
_RAISE, _INPUT, _IO, _IO_OR_EXIT = bits(b"!)"), bits(b"<"), bits(b":<"), bits(b":<$")


# ---- the beginning of a line


def _start_mask(state: GuideState) -> int:
    frames, top = state.frames, state.frames.top
    if frames.reads_input:
        mask = _INPUT | first_digits(_numbers(state)) | (_HIDE if kind_node(state) is not None else 0)
        return mask | (_LEAVE if frames.may_leave(abrupt=state.guard.abrupt) else 0)
    mask = first_digits(_numbers(state)) | _step_marks(state, None) | _io_marks(state)
    if frames.may_call() and _calls(state):
        mask |= _CALL
    if frames.may_leave(abrupt=state.guard.abrupt):
        mask |= _LEAVE
    if top is not None and state.options.reveals(top.pending) and frames.may_change_late():
        mask |= _LATE
    if frames.suspended and frames.resumable():
        mask |= _RESUME
    if frames.suspended and frames.reachable():
        mask |= _SWITCH
    if kind_node(state) is not None:
        mask |= _HIDE
    if state.options.conditions and top is not None and frames.may_decide():
        mask |= _DECIDE if frames.decided < state.guard.max_decisions(top.file, top.line) else 0
    if frames.may_end(abrupt=state.guard.abrupt) and (frames.steps or state.program.call is not None):
        mask |= _STOP
    return mask | (_ASK if state.queries and may_query(state) else 0)


def may_query(state: GuideState) -> bool:
    """Whether a query may stand here."""
    frames = state.frames
    if state.phase != "start" or not frames.steps or frames.reads_input:
        return False
    return not frames.hidden or (frames.top is not None and frames.top.pending != frames.steps - 1)


def _lines(state: GuideState, frame: LiveFrame) -> frozenset[int]:
    """The lines that the frame may execute next."""
    lines = state.guard.lines(frame.file, frame.flows, frame.event, frame.line)
    if state.options.conditions and (branch := _branch(state, frame)) is not None:
        lines = frozenset() if not state.frames.decided else lines & branch if state.frames.held else lines - branch
    if frame.event != "line" or not state.shows_assigned:
        return lines
    if body := _loop_body(state, frame):
        return lines - body if frame.owed else lines & body
    return lines if not frame.owed else frozenset()


def _branch(state: GuideState, frame: LiveFrame) -> frozenset[int] | None:
    """The body of the `if` or the loop that the newest line of a frame starts, if its test decides what follows."""
    return state.guard.branch(frame.file, frame.start, frame.line) if frame.event == "line" else None


def _may_return(state: GuideState, frame: LiveFrame) -> bool:
    """Whether what the text says of the newest line of a frame allows that it returns now."""
    is_open = not state.frames.decided or state.frames.held
    if is_open and state.options.conditions and _branch(state, frame) is not None:
        return False
    return frame.event != "line" or not state.shows_assigned or bool(frame.owed) == bool(_loop_body(state, frame))


def _loop_body(state: GuideState, frame: LiveFrame) -> frozenset[int]:
    """The body of the `for` that the newest line of a frame starts, if it shows there whether there is a next."""
    return state.guard.assigned(frame.file, frame.start, frame.line).body if state.shows_assigned else frozenset()


def _may_raise(state: GuideState, frame: LiveFrame) -> bool:
    """Whether a frame may raise now: not after a test that did not."""
    return not (state.options.conditions and state.frames.decided and _branch(state, frame) is not None)


def _others(state: GuideState, frame: LiveFrame) -> frozenset[int]:
    """The lines that may stand before a mark."""
    return state.guard.others(frame.file, frame.flows, frame.line)


def _numbers(state: GuideState) -> frozenset[int]:
    """The numbers that a line may start with."""
    frames, numbers = state.frames, frozenset[int]()
    if frames.reads_input:
        return _others(state, frames.io_frame) if frames.io_frame is not None else numbers
    if (top := frames.top) is not None and frames.may_step():
        numbers = _lines(state, top) if frames.moved != "@" else frozenset()
        if _may_raise(state, top) or _may_return(state, top):
            numbers = numbers | _others(state, top)
    if (io_frame := frames.io_frame) is not None and frames.may_do_io():
        numbers = numbers | _others(state, io_frame)
    if frames.suspended:
        for frame in frames.resumable().values():
            numbers = numbers | _others(state, frame)
    return numbers


def _step_marks(state: GuideState, line: int | None) -> int:
    """The marks of events of the running frame, on this line or the current one."""
    top = state.frames.top
    if top is None or not state.frames.may_step() or state.frames.reads_input:
        return 0
    if state.frames.moved == "@":
        return _RAISE
    if not _may_raise(state, top):
        return bits(b")") if _may_return(state, top) else 0
    suspends = True
    if top.flows:
        suspends = not _is_fresh(state, top) and (line or top.line) in state.guard.code(top.flows).yields
    return _RAISE | (_YIELD if suspends else 0)


def _io_marks(state: GuideState) -> int:
    io_frame = state.frames.io_frame
    if io_frame is None or not state.frames.may_do_io():
        return 0
    if state.frames.reads_input:
        return _INPUT
    return _IO_OR_EXIT if io_frame.raised or state.guard.abrupt else _IO


def _calls(state: GuideState, file: int | None = None) -> frozenset[int]:
    """The lines on which a frame may start now, in this file or in any."""
    top = state.frames.top
    if top is not None and _is_fresh(state, top):
        return frozenset()
    if _is_script_start(state):
        return state.guard.first(file)
    if not state.frames.serials and state.guard.entries is not None:
        return state.guard.entries if not file else frozenset()
    if top is None and state.program.call is None and not state.guard.is_python:
        # After the modules that it imports.
        return state.guard.functions(file) | state.guard.first(file)
    return state.guard.functions(file)


def _is_fresh(state: GuideState, frame: LiveFrame) -> bool:
    """Whether a frame must execute a line before it calls, returns or suspends."""
    return bool(frame.flows) and frame.event == "call" and state.guard.is_python


def _is_script_start(state: GuideState) -> bool:
    return state.program.call is None and not state.frames.serials


def _start_take(state: GuideState, byte: int) -> None:
    frames, guard = state.frames, state.guard
    if byte in DIGITS:
        state.read(guard.numbers(_numbers(state)), "number", first=True)
    elif byte == 0x28:
        state.read(guard.numbers(_calls(state)), "call")
    elif byte == 0x20:
        assert frames.top is not None
        state.act("late", frames.top, 0)
        state.open = True
        state.go("item")
    elif byte == 0x7E:
        state.read(guard.words(frozenset(frames.resumable())), "resume")
    elif byte == 0x40:
        state.read(guard.words(frozenset(frames.reachable())), "switch")
    elif byte == 0x25:
        state.read(kind_node(state) or DONE, "kind")
    elif byte == 0x3F:
        state.read(values().maybe, "query")
    elif byte == 0x5E:
        state.go("decided")
    elif byte in b"/.":
        state.event = chr(byte)
        state.go("line")
    else:
        _mark(state, byte)


# ---- steps


def _number_mask(state: GuideState) -> int:
    """After the number of a line: the end of a line step, or the mark of an event on another line."""
    frames, line, mask = state.frames, int(state.word()), 0
    if (top := frames.top) is not None and frames.may_step() and not frames.reads_input:
        if line in _lines(state, top) and frames.moved != "@":
            mask |= END | (SPACE if state.reveals_changes("line") and _may_change(state, top, line) else 0)
        if line != top.line and line in _others(state, top):
            mask |= _step_marks(state, line)
    if (io_frame := frames.io_frame) is not None and line in _others(state, io_frame):
        mask |= _io_marks(state)
    if frames.suspended and any(line in _others(state, frame) for frame in frames.resumable().values()):
        mask |= _RESUME
    return mask


def _may_change(state: GuideState, frame: LiveFrame, line: int) -> bool:
    """Whether a line may show changes."""
    if not state.shows_assigned or state.options.same:
        return True
    assigned = state.guard.assigned(frame.file, frame.start, line)
    return bool(assigned.names) or not assigned.closed


def _number_take(state: GuideState, byte: int) -> None:
    line, top = int(state.word()), state.frames.top
    if byte in b" \n":
        assert top is not None
        state.act("line", top, line)
        tail_take(state, byte)
        return
    state.line = line
    _start_take(state, byte)


def _mark(state: GuideState, byte: int) -> None:
    """The mark of an event that has a value."""
    if byte == 0x29:
        state.go("leave")
        return
    event = _EVENTS[byte]
    frame = state.frames.io_frame if event in CHANGELESS else state.frames.top
    assert frame is not None
    state.act(event, frame, state.line or frame.line)
    _value(state, first=False)


def _value(state: GuideState, *, first: bool) -> None:
    assert state.frame is not None
    if _shows(state, state.event, state.frame):
        state.read(values().value, "tail", first=first)


def _shows(state: GuideState, event: str, frame: LiveFrame) -> bool:
    is_end = frame.outermost and event in ("return", "leave")
    return shows_value(state.options, state.frames.steps, event, is_end)


def _leave_mask(state: GuideState) -> int:
    """After `)`: a value, or `!`."""
    top = state.frames.top
    assert top is not None
    if state.frames.moved == "@" or not _may_return(state, top):
        return bits(b"!")
    if top.flows and (_is_fresh(state, top) or (state.line or top.line) not in state.guard.code(top.flows).returns):
        return bits(b"!")
    leaves = bits(b"!") if _may_raise(state, top) else 0
    if _shows(state, "return", top):
        return leaves | values().value.mask
    return leaves | END | (SPACE if state.reveals_changes("return") else 0)


def _leave_take(state: GuideState, byte: int) -> None:
    top = state.frames.top
    assert top is not None
    state.act("leave" if byte == 0x21 else "return", top, state.line or top.line)
    if byte == 0x21:
        _value(state, first=False)
    elif _shows(state, "return", top):
        _value(state, first=True)
    else:
        tail_take(state, byte)


def _call_mask(state: GuideState) -> int:
    line, file = int(state.word()), _current_file(state)
    mask = bits(b"@") if _other_files(state, line) else 0
    if line in _calls(state, file):
        mask |= END | (SPACE if state.reveals_changes("call") else 0)
    return mask


def _current_file(state: GuideState) -> int:
    top = state.frames.top
    return top.file if top is not None else 0


def _other_files(state: GuideState, line: int) -> frozenset[bytes]:
    current = _current_file(state)
    files = range(len(state.guard.files))
    return frozenset(b"%d" % file for file in files if file != current and line in _calls(state, file))


def _call_take(state: GuideState, byte: int) -> None:
    state.line = int(state.word())
    if byte == 0x40:
        state.read(state.guard.words(_other_files(state, state.line)), "file")
    else:
        _enter(state, _current_file(state), byte)


def _file_mask(state: GuideState) -> int:
    return END | (SPACE if state.reveals_changes("call") else 0)


def _file_take(state: GuideState, byte: int) -> None:
    _enter(state, int(state.word()), byte)


def _enter(state: GuideState, file: int, byte: int) -> None:
    """Start a frame."""
    flows = state.guard.files[file].calls.get(state.line, ()) if state.guarded else ()
    if not file and state.guard.is_python:
        script = _is_script_start(state)
        flows = tuple(flow for flow in flows if (flow.name == "<module>") == script)
    frame = LiveFrame(state.frames.serials, file, state.line, flows, state.guard.names_of(file, flows))
    state.act("call", frame, state.line)
    tail_take(state, byte)


def _resume_mask(state: GuideState) -> int:
    frame = state.frames.resumable().get(state.word())
    if frame is None or (state.line and state.line not in _others(state, frame)):
        return 0
    return END | (SPACE if state.reveals_changes("resume") or _waits(state, frame) else 0)


def _waits(state: GuideState, frame: LiveFrame) -> bool:
    """Whether changes of a suspended frame's newest step come with its resume."""
    return (
        frame.pending != state.frames.steps - 1 and not frame.changes_written and state.options.reveals(frame.pending)
    )


def _resume_take(state: GuideState, byte: int) -> None:
    frame = state.frames.resumable()[state.word()]
    state.act("resume", frame, state.line or frame.line)
    state.early = _waits(state, frame)
    tail_take(state, byte)


# ---- other lines


def _only_end(state: GuideState) -> int:
    return END


def _line_take(state: GuideState, byte: int) -> None:
    if state.event == "/":
        state.frames.leave()
    else:
        state.ended = True
    state.begin()


def _switch_mask(state: GuideState) -> int:
    return END if state.word() in state.frames.reachable() else 0


def _switch_take(state: GuideState, byte: int) -> None:
    state.frames.switch(state.frames.reachable()[state.word()])
    state.begin()


def _kind_take(state: GuideState, byte: int) -> None:
    state.event = state.word().decode().strip("'")
    state.read(value_node(state, state.event, is_text=byte == 0x3A), "hidden")


def _hidden_take(state: GuideState, byte: int) -> None:
    frames = state.frames
    frames.hidden, frames.reads_input = True, frames.reads_input or state.event == READ
    thread = Hidden(frames.steps, state.event, state.word().decode()).thread
    if thread is not None:
        frames.go(thread)
    state.drawn += 1
    state.begin()


def _decided_mask(state: GuideState) -> int:
    if state.text != b"^":
        return END
    top = state.frames.top
    if top is not None and _branch(state, top) is not None and _loop_body(state, top):
        return bits(b"!") if top.owed else END
    return END | bits(b"!")


def _decided_take(state: GuideState, byte: int) -> None:
    if byte == 0x0A:
        state.frames.decide(held=state.text == b"^")
        state.begin()


def _query_take(state: GuideState, byte: int) -> None:
    frames, top = state.frames, state.frames.top
    if state.word() and top is not None:
        if top.pending != frames.steps - 1:
            frames.late = True
            top.pending = frames.steps - 1
        frames.due = top
    state.begin("answer")


def _answer_mask(state: GuideState) -> int:
    return bits(b"=-")


def _answer_take(state: GuideState, byte: int) -> None:
    if byte == 0x3D:
        state.read(values().value, "answered")
    else:
        state.go("answered")


def _answered_take(state: GuideState, byte: int) -> None:
    state.begin()


PHASES: dict[str, Phase] = {
    **CHANGES,
    "start": (_start_mask, _start_take),
    "number": (_number_mask, _number_take),
    "leave": (_leave_mask, _leave_take),
    "call": (_call_mask, _call_take),
    "file": (_file_mask, _file_take),
    "resume": (_resume_mask, _resume_take),
    "line": (_only_end, _line_take),
    "switch": (_switch_mask, _switch_take),
    "kind": (mark_mask, _kind_take),
    "hidden": (_only_end, _hidden_take),
    "decided": (_decided_mask, _decided_take),
    "query": (_only_end, _query_take),
    "answer": (_answer_mask, _answer_take),
    "answered": (_only_end, _answered_take),
}

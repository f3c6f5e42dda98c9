"""The readable recorder core: the specification of native/recorder.c, and its fallback.

Every event of a frame renders all its names and compares texts, which is slow and obviously right. It
writes the wire of docs/reference/format.md, section 3; python.py executes the program. Unlike the native core it
uses frames of the recursion limit, and on 3.11 `sys.settrace` keeps values alive a little longer.
"""

from __future__ import annotations

import builtins
import os
from _thread import get_ident
from collections.abc import Callable, Iterable, Mapping
from gc import disable, enable, isenabled
from types import CodeType, FrameType
from typing import Any, Literal

from . import behavior
from .apply_change import ChangeApplier
from .canonical import Renderer
from .frames import KnownCode, OpenFrame, OpenThread, are_running
from .kinds import is_unwritten
from .monitoring import YIELD, Monitor
from .sharing.aliases import new_aliases
from .sharing.containers import HeldContainers
from .tracing import Tracer
from .wire_writer import JumpWriter, LargeValue, WireWriter

globals()["__builtins__"] = dict(vars(builtins))  # a program may take the real ones away

_CALL, _RESUME, _SWITCH, _LINE = range(2, 6)
_RAISE, _OUTPUT, _INPUT, _EXIT = range(8, 12)
_GONE, _SAME, _NOTE, _HIDDEN, _META, _DRAW = 0x11, 0x12, 0x20, 0x21, 0x22, 0x23
_TAKEN = "the recorder was replaced or switched off"
_latest: list[Recorder] = []  # at most one: a forked child has to forget it


class Recorder:
    """Records the calling thread, and others that are scheduled. The same interface as the native core.

    One at a time. With `detach` the process continues: at a limit the recorder switches itself off, and `stop` drops
    every reference to objects of the program.
    """

    def __init__(
        self,
        wire: int,
        files: dict[str, str],
        limits: dict[str, int],
        global_names: Callable[[CodeType], tuple[str, ...]],
        detach: bool = False,
    ) -> None:
        self._files: dict[str, str] = files
        self._has_other_files = self._take_over()
        self._global_names, self._max_steps = global_names, limits["steps"]
        self._renderer = Renderer(limits["value_bytes"], limits["value_depth"])
        self._detaches = detach
        self._wire = WireWriter(wire, self._switch_off if detach else None)
        self._codes: dict[int, tuple[CodeType, KnownCode | Literal[False]]] = {}  # equal code may be in two files
        # By namespace, which is held, and by name: the large value told last, in any frame.
        self._large_globals: dict[int, tuple[dict[str, Any], dict[str, LargeValue | None]]] = {}
        self.suspended: dict[int, OpenFrame] = {}
        self.stack: list[OpenFrame] = []
        self._newest: OpenFrame | None = None  # whose newest step, a call, line or resume, is the newest of all
        self._current: int | None = None
        self._steps = self._frames = self._last_frame = self._last_line = 0
        self._thread: int | None = None
        self.collecting = True  # whether the program's collector was on when our own work began
        self._output: str | None = None
        self._input: str | None = None
        self.jumps: JumpWriter | None = None  # unless conditional jumps are recorded
        self._active = self.broken = self._taken = self._installed = False
        self._events: Monitor | Tracer = Monitor(self) if behavior.HAS_MONITORING else Tracer(self)
        self._change: ChangeApplier | None = None  # until it is made
        self._held: HeldContainers | None = None  # unless containers are numbered
        self._ask: Callable[[], None] | None = None  # who decides which thread goes on
        self._ask_at: int | None = None
        self.observer: Callable[[FrameType], None] | None = None
        self._running, self._threads = 0, [OpenThread(self.stack)]
        _latest[:] = [self]

    def _take_over(self) -> bool:
        """Release the recorder before. Tell whether its files were others."""
        before = _latest[0] if _latest else None
        if before is None:
            os.register_at_fork(after_in_child=lambda: list(map(Recorder.forget, _latest)))
        elif before._active:
            raise RuntimeError("one recorder at a time")
        else:
            before._switch_off()
            before._release()
        return before is not None and before._files != self._files

    def forget(self) -> None:
        """Leave the trace to the parent, in a forked child."""
        self._active, self._wire.ended = False, True

    def _switch_off(self) -> None:
        """Receive no more events."""
        self._active = False
        if self._installed:
            self._installed = False
            self._events.uninstall()

    def _release(self) -> None:
        """Drop every reference to objects of the program."""
        for known in (self._codes, self._large_globals, self.suspended, self.stack):
            known.clear()
        self._running, self._threads, self._newest = 0, [OpenThread(self.stack)], None
        self._output = self._input = self._ask = None
        self._renderer = Renderer(self._renderer.value_bytes, self._renderer.value_depth)

    # ---- the Python face

    def start(self) -> None:
        """Start recording."""
        if not self._wire.ended:
            self._events.install(self._has_other_files)
            self._active = self._installed = True
            self.enter(0)

    def intervene(self, change: dict[str, Any], limits: dict[str, int]) -> None:
        """Set the change to make on the way; the native core cannot do this."""
        self._change = ChangeApplier(change, limits, self, self._wire.leave)

    def number_containers(self) -> None:
        """Also record which containers values hold; the native core cannot do this."""
        self._held = HeldContainers(self._renderer, self._wire, self._switch)

    def record_jumps(self) -> None:
        """Also record conditional jumps; before `start`."""
        self.jumps = JumpWriter(self._wire.put, self._switch)

    def stop(self) -> bool:
        """Stop. Return False if the program tampered with the tracing."""
        fine = self._wire.ended or not self.broken
        if self._active:
            # A frame never left: its events were taken, unless its own code may stop the recorder and does.
            taken = bool(self.stack) and not (self._detaches and are_running(self.stack))
            fine = self._events.intact() and fine and not taken
            self._taken = self._detaches and taken
            self._flush()
        self._switch_off()
        if self._detaches:
            self._release()
        return fine

    def give_up(self) -> None:
        """Stop, because the recorder itself ran out of recursion: later events would be wrong."""
        self._active, self.broken = False, True

    def end(self, kind: str, detail: str) -> None:
        """Write the explicit end record."""
        if self.stack or self._taken:  # its frames run: who says that it ended?
            kind, detail = "tampered", _TAKEN
        if self._active:
            self._flush()
        if self._change is not None and kind in ("returned", "raised", "exited"):
            kind, detail = "unsupported", f"change: {self._change.unmade(self._steps)}"
        self._wire.end(kind, detail)
        if self._detaches:
            self._switch_off()
            self._wire.close()

    def output(self, text: str) -> None:
        """Record that text was written to sys.stdout."""
        if self.is_mine():
            if self._input is not None:  # what a line writes after it has read is a step of its own
                self._flush()
            self._output = (self._output or "") + text

    def input(self, text: str) -> None:
        """Record that text was read from sys.stdin."""
        if self.is_mine():
            if self._input is not None:
                self._flush()
            self._input = text

    def exit(self, code: Any) -> None:
        """Record that SystemExit left the outermost frame with this code."""
        if not self._wire.ended and self._current is not None:
            text = self.render(code)
            self._count(None, _EXIT)
            self._switch(self._last_frame)  # where another thread had the newest step
            self._newest = None
            self._wire.put(_EXIT, self._last_line, text)

    def draw(self, kind: str, text: str) -> None:
        """Record a hidden input: of the newest step if the running frame has started it, else of the next."""
        if not self._wire.ended and (not self._active or get_ident() == self._thread):
            begun = bool(self.stack) and self._newest is self.stack[-1]
            self._wire.put(_DRAW if begun else _HIDDEN, kind, text)

    def note(self, slug: str) -> None:
        """Write a slug about the whole trace."""
        if not self._wire.ended:
            self._wire.put(_NOTE, slug)

    def meta(self, key: str, value: str) -> None:
        """Write a fact about the interpreter or the turns of threads."""
        if not self._wire.ended:
            self._wire.put(_META, key, value)

    def render(self, value: Any) -> str:
        """Return the canonical text of a value."""
        return self._renderer.render(value)

    def give_recursion(self, frames: int) -> None:
        """Do nothing: the frames of the readable core itself count."""

    # ---- threads, where somebody decides which one goes on; exactly one runs

    def schedule(self, ask: Callable[[], None]) -> None:
        """Set the function that chooses, at line events, which thread runs."""
        self._ask = ask

    def observe(self, observer: Callable[[FrameType], None]) -> None:
        """Set what is called before each instruction, on 3.11."""
        self.observer = observer

    def ask_at(self, step: int | None) -> None:
        """Ask before the first line at this step or later; None: never."""
        self._ask_at = step

    def at(self) -> int:
        """Return the number of the next step, after pending output and input."""
        if self._active:
            self._flush()
        return self._steps

    def enter(self, number: int) -> None:
        """Register the calling thread under a number, before its first step or again."""
        while len(self._threads) <= number:
            self._threads.append(OpenThread([]))
        thread = self._threads[number]
        if number == self._running:
            self._thread = get_ident()
        if self._active and thread.ident is None:
            self._events.enter()
            thread.ident = get_ident()

    def switch(self, number: int, kind: str) -> None:
        """Switch to a thread, and record the choice as a hidden input of the next step."""
        if self._active:
            self._flush()
        if not self._wire.ended:
            self._wire.put(_HIDDEN, kind, str(number))
        self._threads[self._running].last = self._last_frame, self._last_line
        self._running, self._newest = number, None
        while len(self._threads) <= number:
            self._threads.append(OpenThread([]))
        thread = self._threads[number]
        self.stack, self._thread = thread.stack, thread.ident
        self._last_frame, self._last_line = thread.last

    def quit(self) -> None:
        """Note that the calling thread is about to end: it has left all its frames."""
        self.broken = self.broken or (self._active and bool(self.stack))

    def leave(self, kind: str, detail: str) -> None:
        """End the run and keep what is written: no thread can run."""
        if self._active:
            self._flush()
        self._wire.leave(kind, detail)

    def _ask_whom(self) -> None:
        """Ask which thread runs. Another one may run meanwhile, so leave our own critical section."""
        ask = self._ask
        assert ask is not None
        self._events.busy = False
        if self.collecting:
            enable()
        try:
            ask()
        finally:
            self.collecting = isenabled()
            disable()
            self._events.busy = True

    def _count(self, frame: OpenFrame | None, tag: int) -> None:
        self._steps += 1
        if self._steps > self._max_steps:
            self._wire.limit("steps")
        if self._change is not None:
            self._change.passed(self._steps - 1, frame, tag)

    def _switch(self, serial: int) -> None:
        if self._current != serial:
            self._current = serial
            self._wire.put(_SWITCH, serial)

    def _flush(self) -> None:
        frame = self.stack[-1] if self.stack else None
        if self._output is not None:
            text, self._output = self._output, None
            if frame is not None:
                self._step(frame, _OUTPUT, text)
        if self._input is not None:
            text, self._input = self._input, None
            if frame is not None:
                self._wire.put(_HIDDEN, "input", self.render(text))
                self._step(frame, _INPUT, text)

    def _step(self, frame: OpenFrame, tag: int, arg: Any) -> None:
        text = self.render(arg)
        self._count(frame, tag)
        self._newest = None
        self._switch(frame.serial)
        self._wire.put(tag, frame.line, text)

    def on_call(self, code: KnownCode, real: FrameType) -> None:
        """Record the start of a frame."""
        self._flush()
        frame = OpenFrame(self._frames, code, real)
        self._frames += 1
        name, file = self._wire.name(code.name), self._wire.name(code.file)
        self._count(frame, _CALL)
        parent = self.stack[-1].serial + 1 if self.stack else 0
        self._wire.put(_CALL, frame.serial, parent, name, file, frame.line)
        self._current, self._newest = frame.serial, frame
        self.stack.append(frame)
        self._diff_names(frame, real)
        frame.globals = {
            name: self.render(real.f_globals[name]) if name in real.f_globals else None for name in code.globals
        }

    def on_resume(self, frame: OpenFrame, real: FrameType) -> None:
        """Record that a suspended frame resumes."""
        self._flush()
        self.stack.append(frame)
        self._diff(frame, real)
        self._count(frame, _RESUME)
        self._current, self._newest = frame.serial, frame
        self._wire.put(_RESUME, frame.serial, frame.line)

    def on_line(self, frame: OpenFrame, real: FrameType, line: int) -> None:
        """Record that a line is about to execute."""
        self._flush()
        if self._ask_at is not None and self._steps >= self._ask_at:
            self._ask_whom()
        line = self._diff(frame, real, line) or line
        frame.line, frame.raised, self._newest = line, False, frame
        self._count(frame, _LINE)
        self._switch(frame.serial)
        self._wire.put(_LINE, line)

    def on_raise(self, frame: OpenFrame, real: FrameType, exception: BaseException) -> None:
        """Record an exception that was raised in the frame, or arrived in it."""
        self._flush()
        self._diff(frame, real)
        frame.raised = True
        self._step(frame, _RAISE, exception)

    def on_leave(self, frame: OpenFrame, real: FrameType, how: int | None, arg: Any) -> None:
        """Record that a frame is left: `how` is RETURN, YIELD, or None for an exception."""
        self._flush()
        self._diff(frame, real)
        if how is not None:
            self._step(frame, how, arg)
        if self._held is not None:
            self._held.leave(frame, len(self.stack), has_result=how is not None, is_suspended=how == YIELD)
        self.stack.pop()
        self._last_frame, self._last_line, self._newest = frame.serial, frame.line, None
        if how == YIELD:
            self.suspended[id(real)] = frame

    def _diff(self, frame: OpenFrame, real: FrameType, coming: int | None = None) -> int | None:
        """Record what the newest step of the frame changed. Return the coming line, which a change may set."""
        if self._change is not None and self._change.frame is frame:
            coming, self._change = self._change.make(real, coming), None
            self.note("changed")
        self._diff_names(frame, real)
        if self._held is not None:
            self._held.go_on(len(self.stack))
        for name, was in frame.globals.items():
            text = self.render(real.f_globals[name]) if name in real.f_globals else None
            if text != was:
                frame.globals[name] = text
                _, large = self._large_globals.setdefault(id(real.f_globals), (real.f_globals, {}))
                self._delta(frame, name, text, large)
                if text is not None and self._held is not None:
                    self._held.hold(frame, name)
        return coming

    def _delta(self, frame: OpenFrame, name: str, text: str | None, large: dict[str, LargeValue | None]) -> None:
        number = self._wire.name(name)
        self._switch(frame.serial)
        if text is None:
            large.pop(name, None)
            self._wire.put(_GONE, number)
        else:
            large[name] = self._wire.change(number, text, large.get(name))

    def _diff_names(self, frame: OpenFrame, real: FrameType) -> None:
        values: Mapping[str, Any] = frame.namespace
        if frame.namespace is not None:
            if not issubclass(type(values), dict):
                return
            values = dict(dict.items(frame.namespace))  # an Enum's body has a dict of its own kind
            names = [name for name in values if type(name) is str and not is_unwritten(name)]
        else:
            values = frame.vars.read(real, names := frame.vars.readable(real, frame.code.names))
        for name in names:
            if name in values:
                text = self.render(values[name])
                if frame.texts.get(name) != text:
                    frame.texts[name] = text
                    self._delta(frame, name, text, frame.large)
                if self._held is not None:
                    self._held.hold(frame, name)
            elif name in frame.texts:
                self._gone(frame, name)
        if frame.namespace is not None:
            for name in [name for name in frame.texts if name not in values]:
                self._gone(frame, name)
            frame.texts = {name: frame.texts[name] for name in names}  # the order in which they will be gone
        self._diff_aliases(frame, names, values)

    def _gone(self, frame: OpenFrame, name: str) -> None:
        del frame.texts[name]
        frame.aliases.pop(name, None)
        self._delta(frame, name, None, frame.large)
        if self._held is not None:
            self._held.drop(frame, name)

    def _diff_aliases(self, frame: OpenFrame, names: Iterable[str], values: Mapping[str, Any]) -> None:
        for name, alias in new_aliases(frame, names, values, self._renderer):
            number = self._wire.name(name)
            other = 0 if alias is None else self._wire.name(alias) + 1
            self._switch(frame.serial)
            self._wire.put(_SAME, number, other)

    def is_mine(self) -> bool:
        """Tell whether the recorded thread is calling, while recording is on."""
        return self._active and get_ident() == self._thread

    def top_of(self, real: FrameType) -> OpenFrame | None:
        """Return the innermost open frame if it is this one; None if its start was not seen."""
        return self.stack[-1] if self.stack and self.stack[-1].ident == id(real) else None

    def code_of(self, code: CodeType) -> KnownCode | Literal[False]:
        """Return the facts about a code object; False if it is not of the program."""
        entry = self._codes.get(id(code))
        if entry is None:
            path = code.co_filename  # a str of the program's own class hashes as it likes
            file = self._files.get(path) if type(path) is str else None
            known: KnownCode | Literal[False] = False if file is None else KnownCode(code, file, self._global_names)
            entry = self._codes[id(code)] = code, known
        return entry[1]

"""The readable core's events through sys.monitoring (3.12+), with the rules of native/events.h."""

import sys

RETURN, YIELD = 6, 7  # the wire's tags of the two ways to leave a frame by a value
TOOL = 4
LOCAL = ("PY_START", "PY_RESUME", "LINE", "JUMP", "PY_RETURN", "PY_YIELD")  # may be disabled place by place


class Monitor:
    """Turns one recorder's events on and off, and passes them on."""

    def __init__(self, recorder):
        self.recorder, self.busy, self.events, self._lines = recorder, False, 0, {}

    def install(self):
        """Begin."""
        acts = {
            "PY_START": self.start, "PY_RESUME": self.resume, "PY_THROW": self.resume, "LINE": self.line,
            "JUMP": self.jump, "PY_RETURN": self.leave, "PY_YIELD": self.suspend, "PY_UNWIND": self.unwind,
            "RAISE": self.raised,
        }  # fmt: skip
        sys.monitoring.use_tool_id(TOOL, "worldline")
        for name, act in acts.items():
            event = getattr(sys.monitoring.events, name)
            sys.monitoring.register_callback(TOOL, event, self._guarded(act, name in LOCAL))
            self.events |= event
        sys.monitoring.set_events(TOOL, self.events)

    def uninstall(self):
        """Stop."""
        if sys.monitoring.get_tool(TOOL) is not None:
            sys.monitoring.set_events(TOOL, 0)
            sys.monitoring.free_tool_id(TOOL)

    def intact(self):
        """Are the events still those that were asked for?"""
        return sys.monitoring.get_tool(TOOL) == "worldline" and sys.monitoring.get_events(TOOL) == self.events

    def _guarded(self, act, local):
        """The callback: only for the program's own code, on its own thread, and never from within itself."""
        foreign = sys.monitoring.DISABLE if local else None

        def callback(code, *args):
            if self.busy or not self.recorder.is_mine():
                return None
            known = self.recorder.code_of(code)
            if not known:
                return foreign
            self.busy = True
            try:
                return act(known, sys._getframe(1), code, *args)
            finally:
                self.busy = False

        return callback

    def start(self, known, real, code, offset):
        """A frame starts."""
        self.recorder.on_call(known, real)

    def resume(self, known, real, code, offset, exception=None):
        """A suspended frame goes on, or an exception is thrown into it."""
        frame = self.recorder.suspended.pop(id(real), None)
        self.recorder.on_call(known, real) if frame is None else self.recorder.on_resume(frame, real)

    def line(self, known, real, code, number):
        """A line begins, unless a backward jump has begun it already."""
        frame = self.recorder.stack[-1]
        if not (frame.looped and frame.line == number):
            self.recorder.on_line(frame, real, number)
        frame.looped = False

    def jump(self, known, real, code, origin, target):
        """A backward jump inside one line begins the line anew; other jumps have line events of their own."""
        lines = self._line_table(code)
        if target >= origin or lines[target // 2] != lines[origin // 2]:
            return sys.monitoring.DISABLE
        frame = self.recorder.stack[-1]
        self.recorder.on_line(frame, real, lines[target // 2])
        frame.looped = True
        return None

    def leave(self, known, real, code, offset, value):
        """A frame returns."""
        self.recorder.on_leave(self.recorder.stack[-1], real, RETURN, value)

    def suspend(self, known, real, code, offset, value):
        """A frame yields."""
        self.recorder.on_leave(self.recorder.stack[-1], real, YIELD, value)

    def unwind(self, known, real, code, offset, exception):
        """A frame is left by an exception."""
        self.recorder.on_leave(self.recorder.stack[-1], real, None, None)

    def raised(self, known, real, code, offset, exception):
        """An exception was raised in a frame, or arrived in it."""
        self.recorder.on_raise(self.recorder.stack[-1], real, exception)

    def _line_table(self, code):
        """The line of each code unit."""
        found = self._lines.get(code)
        if found is None:
            found = [line for start, end, line in code.co_lines() for _ in range((end - start) // 2)]
            self._lines[code] = found
        return found

"""Execute many calls of one program in one process, inside the sandbox, without recording steps.

`run` never returns. The end of each call is a line that is committed at once, so a call that ends the
process affects only itself: the host continues with the next. The module is created anew for each
call by default. An alarm ends a call that takes too long; the kernel kills one that ignores it (a loop
in C). The lines come from the process of the program, so the host does not trust them.
"""

from __future__ import annotations

import builtins
import importlib
import os
import signal
import sys
import types
from collections.abc import Callable
from typing import Any, NoReturn

from ..canonical import Renderer
from .lines import JsonLines

globals()["__builtins__"] = dict(vars(builtins))  # a program may take the real ones away
_modules, _exit, _getpid = sys.modules, os._exit, os.getpid
_set_timer, _set_handler = signal.setitimer, signal.signal
_settrace, _getframe = sys.settrace, sys._getframe
WIRE_FULL_STATUS = 75  # the exit status if the wire has no room for a line
SWALLOWED = 3  # alarms that a call may catch and ignore
_own: list[types.ModuleType] = []  # our own modules, which no program finds


class _Alarm(BaseException):
    """Leaves a call whose time is up."""


def warm(config: dict[str, Any]) -> None:
    """Hide our own modules, before the first program starts."""
    package = (__package__ or "").partition(".")[0]
    names = [name for name in _modules if name == package or name.startswith(package + ".")]
    _own[:] = [_modules.pop(name) for name in names]


def run(spec: dict[str, Any], wire: int, report: int) -> NoReturn:
    """Execute the calls of `spec` in order and write the result of each. Ends the process."""
    nowhere = os.open("/dev/null", os.O_WRONLY | os.O_CLOEXEC)
    for number in (1, 2):
        os.dup2(nowhere, number)
    os.close(nowhere)
    sys.argv = [spec["name"]]
    sys.path.insert(0, os.getcwd())
    sys.dont_write_bytecode = True
    calls = _Calls(spec, JsonLines(wire))
    os.write(report, b"begun")
    os.close(report)
    try:
        calls.go()
    finally:
        _exit(0)


class _Calls:
    """The calls of one batch, from compiling the program to the line of the last call."""

    def __init__(self, spec: dict[str, Any], lines: JsonLines) -> None:
        self.spec, self.lines = spec, lines
        self.root = os.getcwd()
        self.path = os.path.join(self.root, spec["name"])
        self.name = spec["name"].removesuffix(".py").replace("/", ".").removesuffix(".__init__")
        self.me = _getpid()
        self.streams = sys.stdin, sys.stdout, sys.stderr
        self.reached: set[int] = set()
        self.alarms, self.running = 0, False
        self.namespace: dict[str, Any] | None = None

    def go(self) -> None:
        """Execute the calls."""
        try:
            self.code = compile(self.spec["source"], self.path, "exec", dont_inherit=True)
        except (SyntaxError, ValueError, UnicodeError, MemoryError, RecursionError) as error:
            line = getattr(error, "lineno", None)
            where = f" in line {line}" if line else ""
            self._tell("fault", f"source: {type(error).__name__}{where}", whole=True)
            return
        sys.setrecursionlimit(sys.getrecursionlimit() + _depth())  # our own frames are not the program's
        first = self._timed(self._module)
        if first[0] != "returned":  # so it would be before each call
            self._tell(*first, whole=True)
            return
        for text in self.spec["calls"]:
            if not self._call(text):
                _exit(WIRE_FULL_STATUS)

    def _tell(self, kind: str, value: str, **more: Any) -> bool:
        return self.lines.add({"kind": kind, "value": value, **more})

    def _call(self, text: str) -> bool:
        """Execute one call and write its line. Return False if the wire is full."""
        self.reached.clear()
        self.alarms = 0
        sys.stdin, sys.stdout, sys.stderr = self.streams
        try:
            call = compile(text, "<call>", "eval", dont_inherit=True)
        except (SyntaxError, ValueError, UnicodeError, MemoryError, RecursionError) as error:
            return self._tell("fault", f"call: {type(error).__name__}")
        kind, value = self._timed(lambda: self._value(call))
        if _getpid() != self.me:  # a child that the call has left behind
            _exit(0)
        more = {"lines": sorted(self.reached)} if self.spec["lines"] else {}
        return self._tell(kind, value, **more)

    def _timed(self, act: Callable[[], Any]) -> tuple[str, str]:
        """Return the result of a function within the seconds of a call."""
        seconds = self.spec["seconds"]
        try:
            _set_handler(signal.SIGALRM, self._ring)
            _set_handler(signal.SIGPROF, signal.SIG_DFL)
            _set_timer(signal.ITIMER_PROF, 2 * seconds + 1.0)
            _set_timer(signal.ITIMER_REAL, seconds, seconds)
            try:
                self.running = True
                value = act()
                kind = "returned"
            except _Alarm:
                return "limit", "time"
            except BaseException as error:
                value, kind = error, "raised"
            finally:
                self.running = False
                _settrace(None)
        except _Alarm:  # between the program's last instruction and here
            self.running = False
            return "limit", "time"
        finally:
            _set_timer(signal.ITIMER_REAL, 0.0)
        if self.alarms:  # the call caught an alarm, so its result means nothing
            return "limit", "time"
        if kind == "returned" and act == self._module:
            return kind, ""
        return kind, self._text(value)

    def _text(self, value: Any) -> str:
        limits = self.spec["limits"]
        try:
            return Renderer(limits["value_bytes"], limits["value_depth"]).render(value)
        except Exception as error:  # a value that cannot be told, such as one that another thread changes
            return f"...<{type(error).__name__} 0>"

    def _ring(self, _number: int, _frame: Any) -> None:
        if not self.running:
            return
        self.alarms += 1
        if self.alarms > SWALLOWED:
            _set_handler(signal.SIGPROF, signal.SIG_DFL)
            os.kill(_getpid(), signal.SIGPROF)  # as the kernel kills those that ignore the alarm
        raise _Alarm

    def _value(self, call: types.CodeType) -> Any:
        if self.namespace is None:
            self._module()
        namespace = self.namespace
        if self.spec["fresh"]:
            self.namespace = None  # the next call makes its own
        if self.spec["lines"]:
            _settrace(self._trace)
        return eval(call, namespace)

    def _module(self) -> None:
        """Create the module of the program anew, and the modules of its own files."""
        if self.spec["files"]:
            self._forget()
        module = types.ModuleType(self.name)
        package = self.name.rpartition(".")[0]
        if package:
            importlib.import_module(package)
        module.__file__, module.__package__ = self.path, package or None
        namespace = module.__dict__
        namespace["__builtins__"] = builtins
        _modules[self.name] = module
        exec(self.code, namespace)
        self.namespace = namespace

    def _forget(self) -> None:
        for name, module in list(_modules.items()):
            if str(getattr(module, "__file__", None) or "").startswith(self.root + "/"):
                del _modules[name]

    def _trace(self, frame: types.FrameType, _event: str, _arg: Any) -> Any:
        return self._line if frame.f_code.co_filename == self.path else None

    def _line(self, frame: types.FrameType, event: str, _arg: Any) -> Any:
        if event == "line":
            self.reached.add(frame.f_lineno)
        return self._line


def _depth() -> int:
    depth = 0
    frame: types.FrameType | None = _getframe()
    while frame is not None:
        depth, frame = depth + 1, frame.f_back
    return depth

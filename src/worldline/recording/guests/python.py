"""Execute one Python program under a recorder, in the program's own interpreter, and write its outcome.

`run` never returns. It does what `python FILE` does - module `__main__`, argv, path, excepthook, exit
status, waiting for threads, atexit, module teardown - so that a recorded program behaves as a plain
one. zygote.py confines the program and the host watches its deadline. Only this module and
untraced/calls.py execute or evaluate code, and rehearsal/assumed/ the stubs of the user.
"""

from __future__ import annotations

import _thread
import atexit
import builtins
import gc
import importlib.machinery
import importlib.util
import opcode
import os
import site
import sys
import types
from collections.abc import Callable
from os import _exit, getpid
from resource import RLIM_INFINITY, RLIMIT_AS, RLIMIT_FSIZE, RLIMIT_NPROC, getrlimit
from sys import _getframe
from typing import Any, NoReturn

from . import behavior, monitoring, streams
from .hidden.install import install
from .hidden.schedule import Scheduler

for _complete in (site.setquit, site.setcopyright, site.sethelper):
    _complete()  # what a plain run has, and one without site has not
globals()["__builtins__"] = dict(vars(builtins))  # a program may take the real ones away
_modules = sys.modules

_GLOBAL_OPS = {opcode.opmap[name] for name in ("LOAD_GLOBAL", "STORE_GLOBAL", "DELETE_GLOBAL")}
_LOAD_GLOBAL, _EXTENDED_ARG = opcode.opmap["LOAD_GLOBAL"], opcode.opmap["EXTENDED_ARG"]
# Where an exception stands that was handed over: by `raise`, or thrown into a generator or coroutine, which has waited
# at its `yield` or `await`, or (RETURN_GENERATOR, from 3.13 on the POP_TOP behind it) has not begun.
_HANDED_OPS = {
    opcode.opmap[name]
    for name in ("RAISE_VARARGS", "YIELD_VALUE", "RESUME", "JUMP_BACKWARD_NO_INTERRUPT", "RETURN_GENERATOR", "POP_TOP")
}
_SEND, _GENERATOR = opcode.opmap["SEND"], 0x20
_CALL, _LOAD_ATTR = opcode.opmap["CALL"], opcode.opmap["LOAD_ATTR"]
_LOAD_METHOD = opcode.opmap.get("LOAD_METHOD", 256)
_ATTR_HAS_FLAG = _LOAD_METHOD > 255  # then one operation loads both, and the lowest bit says which
# Methods written in C that hand an exception over: of generators and coroutines, and of asyncio's futures.
_HANDING_METHODS = ("throw", "result")
_NO_SPACE = ("OSError(27,", "OSError(28,", "OSError(122,")  # a file is too large, or no space, or a quota
_NO_THREAD = """RuntimeError("can't start new thread")"""
NOTES = {
    "_thread.start_new_thread": "threads",
    "_thread.start_joinable_thread": "threads",
    "os.fork": "processes",
    "os.forkpty": "processes",
    "os.exec": "processes",
    "os.posix_spawn": "processes",
    "os.system": "processes",
    "subprocess.Popen": "processes",
    "sys.settrace": "settrace",
    "sys.setprofile": "setprofile",
    "sys.monitoring.register_callback": "monitoring",
    "socket.__new__": "sockets",
    "ctypes.dlopen": "ctypes",
}


def global_names(code: types.CodeType) -> tuple[str, ...]:
    """Return the globals that a function loads, stores or deletes by name, in order of first use."""
    names: dict[str, None] = {}
    data, extended = code.co_code, 0
    for at in range(0, len(data), 2):
        op, arg = data[at], data[at + 1] | extended
        extended = arg << 8 if op == _EXTENDED_ARG else 0
        if op in _GLOBAL_OPS:
            names[code.co_names[arg >> 1 if op == _LOAD_GLOBAL else arg]] = None
    # No source can spell `@`: pytest's assertion rewriting uses such names.
    return tuple(name for name in names if not (name.startswith("__") and name.endswith("__")) and name[:1] != "@")


_core: Any = None  # the recorder: native or readable
_native: Any = None  # the native one, which can swap C functions for either
_opened: list[Any] = []  # stdin, stdout, stderr
_own: list[types.ModuleType] = []  # our own modules, hidden from the program


def warm(config: dict[str, Any]) -> None:
    """Create what every program needs, before the first one, and hide our own modules."""
    global _core, _native
    native = config["native"]
    _native = None if native is None else load_native(native)
    _core = _readable() if native is None or config.get("readable") else _native
    _opened[:] = streams.open_streams()
    package = __package__ or ""
    names = [name for name in _modules if name == package or name.startswith(package + ".")]
    _own[:] = [_modules.pop(name) for name in names]


def _readable() -> Any:
    from . import recorder  # not beside the native core: a megabyte that every program would be a copy of

    return recorder


def load_native(native: str) -> Any:
    """Load the native recorder from its file."""
    loader = importlib.machinery.ExtensionFileLoader("_recorder", native)
    spec = importlib.util.spec_from_file_location("_recorder", native, loader=loader)
    assert spec is not None  # it is None only where no loader is given
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def run(spec: dict[str, Any], wire_fd: int, report: int) -> NoReturn:
    """Record the program of `spec`. Ends the process.

    Args:
        spec: The program and its settings.
        wire_fd: The file of the wire.
        report: The file that reports that the program starts.
    """
    root = os.getcwd()
    paths = {os.path.join(root, name): name for name in (spec["name"], *spec["files"])}
    free = os.dup(wire_fd)
    os.close(free)
    rec = _core.Recorder(wire_fd, paths, spec["limits"], global_names)
    os.close(wire_fd)
    native = _core.__name__ == "_recorder"
    if not native:  # mmap keeps a duplicate at the number that was free; the program must not find it there
        os.close(free)
    rec.meta("name", sys.implementation.name)
    rec.meta("version", ".".join(map(str, sys.version_info[:3])))
    rec.meta("core", "native" if native else "python")
    if spec.get("change") is not None:
        rec.intervene(spec["change"], spec["limits"])
    if spec.get("containers"):
        rec.number_containers()
    if spec.get("jumps"):
        rec.record_jumps()
    control = spec.get("control")
    if control is not None:
        _native.number_hashes()
    scheduler = None if control is None else install(control, rec, _native.swap, paths, _own, _native)
    streams.tell(rec)
    _set_up_interpreter(spec, root)
    prepared = _Run(spec, rec, os.path.join(root, spec["name"]), scheduler)
    os.write(report, b"begun")  # now, and not later: its text decides how long it takes to compile
    os.close(report)
    try:
        status = prepared.go()
    except BaseException as error:  # our own fault, not the program's: its exceptions end in go()
        rec.end("host-fault", f"{type(error).__name__} in the guest: {error}")
        status = 70
    _exit(status)


def _set_up_interpreter(spec: dict[str, Any], root: str) -> None:
    sys.argv = [spec["name"], *spec["argv"]]
    sys.path.insert(0, root)
    sys.dont_write_bytecode = True


def _watch(rec: Any, scheduler: Scheduler | None) -> list[bool]:
    """Note what a program does beyond itself. Return the switch that says that the program is running."""
    noted = set[str]() if scheduler is None else {"threads"}  # then they are recorded as all else is
    running: list[bool] = []
    me = getpid()

    def hook(event: str, args: tuple[Any, ...]) -> None:
        slug = NOTES.get(event)
        ours = scheduler is not None and scheduler.entering
        if slug is not None and running and slug not in noted and not ours and getpid() == me:
            noted.add(slug)
            rec.note(slug)

    sys.addaudithook(hook)
    if not behavior.THREAD_STARTS_ARE_AUDITED and scheduler is None:
        audit_thread_starts(hook)
    return running


def _guard_monitoring(running: list[bool]) -> list[bool]:
    """Detect that the program uses the recorder's tool: switching events off and on leaves no other trace."""
    reached: list[bool] = []
    if not behavior.HAS_MONITORING:
        return reached

    def guarded(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(tool_id: int, *args: Any) -> Any:
            if running and tool_id == monitoring.TOOL:
                reached.append(True)
            return real(tool_id, *args)

        call.__name__ = call.__qualname__ = real.__name__
        return call

    api: Any = monitoring.API
    for name in ("set_events", "set_local_events", "free_tool_id", "register_callback"):
        setattr(api, name, guarded(getattr(api, name)))
    return reached


def audit_thread_starts(hook: Callable[[str, tuple[Any, ...]], None]) -> None:
    """Call a hook when a thread starts, on interpreters without an audit event for it."""
    start = _thread.start_new_thread

    def start_new_thread(*args: Any, **kwargs: Any) -> int:
        hook("_thread.start_new_thread", ())
        return start(*args, **kwargs)

    _thread.start_new_thread = _thread.start_new = start_new_thread
    if "threading" in _modules:
        _modules["threading"].__dict__["_start_new_thread"] = start_new_thread


class _Run:
    """One run of one program, from its first line to the end record."""

    def __init__(self, spec: dict[str, Any], rec: Any, path: str, scheduler: Scheduler | None) -> None:
        self.spec, self.rec, self.path, self.scheduler = spec, rec, path, scheduler
        self.running = _watch(rec, scheduler)
        self.reached = _guard_monitoring(self.running)
        self.bounds = _bounds()

    def go(self) -> int:
        """Execute the program, shut it down and write the end record. Return the exit status."""
        outcome, detail, status = self._program()
        status = self._wind_down(status)
        if status == 120 and outcome == "returned":  # what was printed could not be written
            outcome, detail = "exited", "120"
        self.running.clear()
        if self.scheduler is not None:
            self.scheduler.finish()
            self.scheduler.stop()
        fine = self.rec.stop()
        if self.reached or not fine:
            outcome, detail = "tampered", "the recorder was replaced or switched off"
        self.rec.end(outcome, detail)
        return status

    def _compile(self) -> types.CodeType:
        source = self.spec["source"]
        try:
            return compile(source, self.path, "exec", dont_inherit=True)
        except (SyntaxError, ValueError, UnicodeError, MemoryError, RecursionError) as error:
            line = getattr(error, "lineno", None)
            where = f" in line {line}" if line else ""
            self.rec.end("unsupported", f"source: {type(error).__name__}{where}")
            sys.excepthook(type(error), error.with_traceback(None), None)
            _exit(1)

    def _program(self) -> tuple[str, str, int]:
        code = self._compile()
        call = self.spec["call"]
        self.name = "__main__" if call is None else self._dotted()
        self.module = self._module(self.name)
        try:
            value = self._execute(code, self.module.__dict__, call)
            return "returned", "" if call is None else self.rec.render(value), 0
        except SystemExit as error:
            value = error.code
            self.rec.exit(value)
            status = 0 if value is None else value & 0xFF if isinstance(value, int) else 1
            if value is not None and not isinstance(value, int):
                print(value, file=sys.stderr)
            return "exited", str(status), status
        except BaseException as error:
            text = self.rec.render(error)
            limit = self._met(error, text)
            self._report(error)
            return ("limit", limit, 1) if limit else ("raised", text, 1)

    def _met(self, error: BaseException, text: str) -> str:
        """Return the limit that caused an exception: the system raised it under our bounds, not the program."""
        kind, limit = type(error), ""
        if kind is OSError and text.startswith(_NO_SPACE):
            limit = "disk"
        elif self.bounds[0] == RLIM_INFINITY:
            limit = ""  # a cgroup bounds memory and processes, and counts what it refuses
        elif kind is MemoryError:
            limit = "memory"
        elif kind is RuntimeError and text == _NO_THREAD:
            limit = "processes"
        return limit if limit and _bounds() == self.bounds and not _is_handed_over(error) else ""

    def _module(self, name: str) -> types.ModuleType:
        module = types.ModuleType(name)
        package = name.rpartition(".")[0]
        if package:
            importlib.import_module(package)
        module.__file__, module.__package__ = self.path, package or None
        module.__dict__["__builtins__"] = sys.modules["builtins"]
        sys.modules[name] = module
        return module

    def _dotted(self) -> str:
        name: str = self.spec["name"].removesuffix(".py").replace("/", ".")
        return name.removesuffix(".__init__")

    def _execute(self, code: types.CodeType, namespace: dict[str, Any], call: str | None) -> Any:
        # The frames of the guest and zygote are not the program's: their share of the recursion limit is given back.
        depth = 0
        frame: types.FrameType | None = _getframe()
        while frame is not None:
            depth, frame = depth + 1, frame.f_back
        expression = None if call is None else compile(call, "<call>", "eval", dont_inherit=True)
        if expression is None:
            self.rec.start()
        self.running.append(True)
        self.rec.give_recursion(depth)
        exec(code, namespace)
        if expression is None:
            return None
        self.running.clear()
        self.rec.start()
        self.running.append(True)
        return eval(expression, namespace)

    def _report(self, error: BaseException) -> None:
        """Report an uncaught exception as the interpreter does, without our own frames."""
        traceback = error.__traceback__
        while traceback is not None and traceback.tb_frame.f_code.co_filename == __file__:
            traceback = traceback.tb_next
        try:
            sys.excepthook(type(error), error.with_traceback(traceback), traceback)
        except BaseException as second:
            sys.__excepthook__(type(second), second, second.__traceback__)

    def _wind_down(self, status: int) -> int:
        """Join threads, run atexit, flush and tear down modules, in the interpreter's own order."""
        threading = _modules.get("threading")
        if threading is not None:
            try:
                threading._shutdown()
            except BaseException as error:
                sys.excepthook(type(error), error, error.__traceback__)
        atexit._run_exitfuncs()
        status = _flush(status, getattr(sys, "stdout", None), getattr(sys, "stderr", None))
        self._tear_down()
        return _flush(status, *_opened[1:])

    def _tear_down(self) -> None:
        """Clear the module of the program, so that finalisers run as at the end of the interpreter."""
        namespace = self.module.__dict__
        _modules.pop(self.name, None)
        del self.module
        gc.collect()
        for hidden in (True, False):
            for name in list(namespace):
                if isinstance(name, str) and name != "__builtins__" and _is_hidden(name) == hidden:
                    namespace[name] = None
        namespace.clear()
        gc.collect()


def _bounds() -> tuple[int, ...]:
    return tuple(getrlimit(kind)[0] for kind in (RLIMIT_AS, RLIMIT_FSIZE, RLIMIT_NPROC))


def _is_handed_over(error: BaseException) -> bool:
    """Tell whether an existing exception was raised or thrown in, instead of the system refusing something."""
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    if traceback is None:
        return True
    code = traceback.tb_frame.f_code
    op = code.co_code[traceback.tb_lasti]
    # An `await` ends with a future's exception; `yield from` in a generator may do the work of a built-in iterator.
    if op == _CALL:
        return _method_called(code, traceback.tb_lasti // 2) in _HANDING_METHODS
    return op in _HANDED_OPS or (op == _SEND and not code.co_flags & _GENERATOR)


def _method_called(code: types.CodeType, call: int) -> str:
    """Return the name of the method that this instruction calls, or nothing if it calls no attribute."""
    places, ops, name, extended = list(code.co_positions()), code.co_code, "", 0
    line, end_line, column, end_column = places[call]
    if None in (line, end_line, column, end_column):
        return ""
    last = (0, 0)
    for index, (start, end, start_column, ending) in enumerate(places[:call]):
        op, argument = ops[2 * index], ops[2 * index + 1] | extended << 8
        extended = argument if op == _EXTENDED_ARG else 0
        if op not in (_LOAD_ATTR, _LOAD_METHOD) or not (end and ending):
            continue
        # The callee begins where the call does, and ends last of all that do.
        if (start, start_column) == (line, column) and last < (end, ending) < (end_line, end_column):
            last, name = (end, ending), code.co_names[argument >> 1 if _ATTR_HAS_FLAG else argument]
    return name


def _flush(status: int, *streams: Any) -> int:
    for stream in streams:
        try:
            if stream is not None and not getattr(stream, "closed", False):
                stream.flush()
        except BaseException:
            status = 120
    return status


def _is_hidden(name: str) -> bool:
    return name.startswith("_") and name[1:2] != "_"

"""Execute one script over a copy of its folder, and report its system requests with their lines.

`run` does what the guest `python` does without recording steps: a listener replaces the recorder.
Audit events show what the script requests, before it is done or refused. They do not cover C code and
programs that the script starts; the files these leave show it. `gather` collects the files when all
processes are dead. The listener shares the process of the script, so a malicious script can fool it.
"""

from __future__ import annotations

import builtins
import json
import mmap
import os
import sys
from _thread import RLock
from contextlib import suppress
from os import getpid
from struct import pack, pack_into, unpack_from
from sys import _getframe
from types import CodeType, FrameType
from typing import Any, NoReturn

from .. import python, streams
from ..confine import SCRATCH
from . import HEADER, SLOTS, TRACE, effects, tree
from .assumed import counted, loops, sites, unknown
from .assumed.answers import Answers
from .assumed.imports import MissingModules
from .outcomes import Outcomes
from .script_frames import OWN, asks_itself, frames, place

globals()["__builtins__"] = dict(vars(builtins))  # a program may take the real ones away

MAX_EVENTS = 20_000  # of one process, each once
_SHOWN_SOURCES = (*OWN, __file__.rpartition("/")[0])
_spelled = json.JSONEncoder().encode
_DESCENDING = ("_rmtree_safe_fd", "_rmtree_safe_fd_step", "fwalk", "_fwalk")
_QUIET_FILES = ("linecache.py", "tokenize.py", "traceback.py")  # they read sources to show them


def warm(config: dict[str, Any]) -> None:
    """Prepare the streams before the first script, and hide our own modules from it."""
    effects.know_libraries(config["paths"])
    python._opened[:] = streams.open_streams()
    package = (__package__ or "").partition(".")[0]
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        python._own.append(sys.modules.pop(name))


def gather(copied: int, out: int) -> None:
    """Write into a file what is left of the folder and of all that the script could write."""
    tree.gather(copied, out, SCRATCH)


def run(spec: dict[str, Any], parts: int, wire: int, report: int) -> NoReturn:
    """Rehearse the script of `spec`. Ends the process."""
    os.mkdir(f"{SCRATCH}/home")
    tree.lay_out(parts, SCRATCH)
    os.close(parts)
    free = os.dup(wire)
    os.close(free)
    listener = Listener(wire)
    os.close(wire)
    os.close(free)  # where the map has put a duplicate of it
    streams.tell(listener)
    path = os.path.normpath(os.path.join(os.getcwd(), spec["name"]))
    os.environ.update({"HOME": f"{SCRATCH}/home", **spec["environment"]})
    sys.argv = [path if spec["name"].startswith("..") else spec["name"], *spec["argv"]]
    if spec["command"]:
        _become(spec["command"], path, spec["argv"], report)
    sys.path.insert(0, os.path.dirname(path))
    sys.dont_write_bytecode = True
    prepared = _prepare(spec, listener, path)
    listener.listen()
    os.write(report, b"begun")
    os.close(report)
    try:
        status = prepared.go()
    except BaseException as error:  # our own fault, not the script's
        listener.end("host-fault", f"{type(error).__name__} in the guest: {error}")
        status = 70
    os._exit(status)


def _prepare(spec: dict[str, Any], listener: Listener, path: str) -> python._Run:
    """Prepare the run of a script, and what it goes past if answers are assumed."""
    assume = spec["assume"]
    if assume is None:
        sys.meta_path.append(MissingModules(listener.lacks_module, None))
        return python._Run(spec, listener, path, None)
    try:
        answers = Answers(assume, listener.assume)
    except BaseException as error:
        listener.end("unsupported", f"stub: {type(error).__name__}: {error}")
        os._exit(1)
    unknown.use(answers)
    with suppress(SyntaxError, ValueError, RecursionError, MemoryError):  # which the run reports
        answers.know_handlers(spec["source"], path)
    sites.install(answers, listener.lacks_module)
    listener.answers = answers
    if not assume["loop_seconds"]:
        return python._Run(spec, listener, path, None)
    loops.Loops(answers, assume["loop_seconds"]).install()
    return _CountedRun(spec, listener, path, None)


class _CountedRun(python._Run):
    """A run whose loops are counted."""

    def _compile(self) -> CodeType:
        super()._compile()  # it reports what is wrong with the source
        code: CodeType = compile(counted.counted(self.spec["source"], self.path), self.path, "exec", dont_inherit=True)
        return code


def _become(command: list[str], path: str, argv: list[str], report: int) -> NoReturn:
    """Execute the script with another program. A shell traces its commands into a file beside the folder."""
    trace = os.open(f"{SCRATCH}/{TRACE}", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.set_inheritable(trace, True)
    tracing = {"BASH_XTRACEFD": str(trace), "PS4": "+${BASH_SOURCE}:${LINENO}: "} if "-x" in command else {}
    os.write(report, b"begun")
    os.close(report)
    os.execve(command[0], [*command, path, *argv], {**os.environ, **tracing})


class Listener:
    """Replaces the recorder: it keeps no steps and reports every effect once."""

    def __init__(self, wire: int) -> None:
        self.map = mmap.mmap(wire, os.fstat(wire).st_size)
        self.map[:16] = b"WLW1" + pack("<IQ", 0, len(self.map))  # the host finds out how much is used
        self.room = (len(self.map) - HEADER) // SLOTS
        self.running = False
        self.lock = RLock()
        self.last_line = 0  # where an exception came from that ended it
        self.reported: dict[tuple[str, ...], bool] = {}  # and whether it failed
        self.outcomes = Outcomes()
        self.answers: Answers | None = None  # what is assumed, if anything is
        self.printed = 0  # characters
        self.me = self.writer = getpid()

    def listen(self) -> None:
        """Listen to audit events and to reads of the environment from now on."""
        sys.addaudithook(self._hook)
        _listen_to_environment(self)

    def start(self) -> None:
        """Note that the script starts."""
        self.running = True

    def stop(self) -> bool:
        """Note that the script has ended."""
        self.running = False
        return True

    def end(self, kind: str, detail: str) -> None:
        """Report how it ended."""
        self._write(
            {"end": kind, "detail": _plain(detail[:4000]), "line": self.last_line, "child": getpid() != self.me}
        )

    def render(self, value: Any) -> str:
        """Return an exception as its type and its message, if that is text."""
        message = value.args[0] if isinstance(value, BaseException) and value.args else None
        self.last_line = _last_line(value)
        return f"{type(value).__name__}({message if type(message) is str else ''})"

    def input(self, text: str) -> None:
        """Report that text was read from stdin."""
        if self.running and text:
            self._tell("read", "<stdin>", "", _getframe(1))

    def note(self, slug: str) -> None:
        """Do nothing: the important notes are reported as effects."""

    meta = exit = give_recursion = note

    def output(self, text: str) -> None:
        """Count what is printed: what follows an assumed answer is no output of the script."""
        self.printed += len(text)

    def assume(self, kind: str, target: str, detail: str, frame: Any) -> None:
        """Report that an answer is assumed, or how a condition on one is decided."""
        file, line = place(frame)
        texts = {"kind": kind, "target": _plain(target), "detail": _plain(detail), "file": _plain(file)}
        self._write({**texts, "line": line, "child": getpid() != self.me, "printed": self.printed})

    def lacks_module(self, name: str, frame: Any) -> None:
        """Report that a module is missing which the script imports."""
        if self.running:
            self.assume("lack", f"import {name}", "", frame)

    def _hook(self, event: str, args: tuple[Any, ...]) -> None:
        if event not in effects.EVENTS or not self.running:
            return
        frame = _getframe(1)
        if (_is_importing(frame) and event != "open") or (event == "open" and _is_descending(frame)):
            return
        effect = effects.meaning(event, args)
        if effect is not None:
            with suppress(Exception):  # a full stack, a map that the script has closed
                self._tell(*effect, frame, event)

    def asked(self, name: str, frame: Any) -> None:
        """Report that a variable of the environment is read, if the script reads it itself."""
        if self.running and frame.f_code.co_filename.startswith(OWN):
            self._tell("environment", name, "", frame)

    def unset(self, name: str, frame: Any) -> Any:
        """Report that a variable is not set. Return what it is assumed to be; None if nothing is assumed."""
        if not self.running or not asks_itself(frame):
            return None
        if self.answers is None:
            self.assume("lack", f"os.environ[{name!r}]", "", frame)
            return None
        return sites.environment_answer(self.answers, name, frame)

    def _tell(self, kind: str, target: str, detail: str, frame: Any, event: str = "") -> None:
        file, line = place(frame)
        if kind == "read" and not line and target.startswith(_SHOWN_SOURCES) and target.endswith(".py"):
            return  # the interpreter shows the source of what went wrong
        if kind == "read" and frame.f_code.co_filename.endswith(_QUIET_FILES):
            return
        row = (kind, target, detail, file, str(line))
        has_failed = self.reported.get(row)
        if has_failed is False or len(self.reported) > MAX_EVENTS:
            return
        texts = {"kind": kind, "target": _plain(target), "detail": _plain(detail), "file": _plain(file)}
        written = {**texts, "line": line, "child": getpid() != self.me}
        if has_failed is None:
            self.reported[row] = False
            self._write(written)

        def tell(failure: str) -> None:
            self.reported[row] = bool(failure)
            if failure or has_failed:
                self._write({**written, "failed": failure, "done": not failure})

        if event and kind in effects.ENDING:
            self.outcomes.watch(frame, event, tell)

    def _write(self, row: dict[str, Any]) -> None:
        """Write a line to the slot of this process. If it is full, set the mark for more events."""
        data = _spelled(row).encode() + b"\n"
        if getpid() != self.writer:  # a copy of this process: whoever held the lock there is not here
            self.writer, self.lock = getpid(), RLock()
        at = HEADER + self.writer % SLOTS * self.room
        with self.lock:
            (used,) = unpack_from("<Q", self.map, at)
            if 8 + used + len(data) > self.room:
                self.map[16:17] = b"\x01"
                return
            pack_into("<Q", self.map, at, used + len(data))
            self.map[at + 8 + used : at + 8 + used + len(data)] = data


def _plain(text: str) -> str:
    """Escape surrogates, which stand for invalid UTF-8, so that any JSON reader accepts the text."""
    return text.encode("utf-8", "backslashreplace").decode()


def _is_importing(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith("<frozen importlib")


def _is_descending(frame: FrameType) -> bool:
    """Tell whether a folder is opened relative to an open one. The event lacks its path; its listing has it."""
    code = frame.f_code
    return code.co_name in _DESCENDING and code.co_filename.endswith(("/shutil.py", "/os.py", "<frozen os>"))


def _last_line(value: Any) -> int:
    """Return the innermost line of the files of the script in the traceback of an exception."""
    line, traceback = 0, value.__traceback__ if isinstance(value, BaseException) else None
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename.startswith(OWN):
            line = traceback.tb_lineno or 0
        traceback = traceback.tb_next
    return line


def _listen_to_environment(listener: Listener) -> None:
    """Report which variables are read, because the interpreter has no audit event for that."""
    real = type(os.environ)

    class _Environ(real):  # type: ignore[valid-type, misc]
        def __getitem__(self, key: Any) -> Any:
            listener.asked(effects.text(key), _asker())
            try:
                return super().__getitem__(key)
            except KeyError:
                assumed = listener.unset(effects.text(key), _getframe(1))
                if assumed is None:
                    raise
                return assumed

        def __iter__(self) -> Any:
            listener.asked("all of it", _asker())
            return super().__iter__()

    _Environ.__module__, _Environ.__qualname__ = real.__module__, real.__qualname__
    os.environ.__class__ = _Environ


def _asker() -> Any:
    """Return the frame that asks, outside the functions of os and of mappings."""
    frame = _getframe(2)
    for outer in frames(frame):
        if not outer.f_code.co_filename.endswith(("/os.py", "/_collections_abc.py", "<frozen os>", "abc>")):
            return outer
    return frame

"""What the sandbox refuses, and what is assumed instead: files, variables, connections, sleeps.

A request is made first. Only if it fails, its answer is assumed: the user's, the host's, or an unknown value.
"""

from __future__ import annotations

import builtins
import io
import os
import sys
import time
from _thread import _local
from collections.abc import Callable, Mapping
from sys import _getframe
from types import CoroutineType, ModuleType
from typing import Any

from ..script_frames import asks_itself
from .answers import BY_NOBODY, Answers, spell, spelled_call
from .imports import MissingModules, Patch, PatchedModules, stub_patches
from .unknown import has_unknown, is_unknown, plain, unknown, unknown_bytes

globals()["__builtins__"] = dict(vars(builtins))  # a program may take the real ones away

SHORT_SLEEP = 0.1  # seconds that are really slept
_CALLS = {  # what raises an OSError without a network, by module; of a class its methods
    "socket": ("create_connection", "gethostbyname", "getaddrinfo"),
    "urllib.request": ("OpenerDirector.open",),
    "smtplib": ("SMTP", "SMTP_SSL"),
    "ftplib": ("FTP", "FTP_TLS"),
    "imaplib": ("IMAP4", "IMAP4_SSL"),
    "poplib": ("POP3", "POP3_SSL"),
    "http.client": ("HTTPConnection.connect",),
    "requests": ("Session.request",),
    "httpx": ("Client.request", "AsyncClient.request"),
    "subprocess": ("run", "check_output", "check_call", "call"),
    "asyncio": ("open_connection",),
}
_READERS = {
    "json": ("load", "loads"),
    "csv": ("reader", "DictReader"),
    "tomllib": ("load", "loads"),
    "yaml": ("safe_load", "load"),
    "pickle": ("load", "loads"),
}
_inside: Any = _local()  # a call that connects; what it calls in turn fails as it does outside


def install(answers: Answers, report: Callable[[str, Any], None]) -> None:
    """Go past what is refused from now on."""
    patches: dict[str, list[Patch]] = stub_patches(answers)
    for name, calls in _CALLS.items():
        patches.setdefault(name, []).append(_connecting(answers, name, calls))
    for name, calls in _READERS.items():
        patches.setdefault(name, []).append(_reading(name, calls))
    patches.setdefault("http.client", []).append(_answering)
    patches.setdefault("socket", []).append(_with_sockets(answers))
    sys.meta_path.insert(0, PatchedModules(patches))
    sys.meta_path.append(MissingModules(report, answers))
    builtins.open = io.open = _opening(answers, io.open)
    _touch_unknown_paths(answers)
    _skip_sleeps(answers)


def environment_answer(answers: Answers, name: str, frame: Any) -> Any:
    """Return the text of a variable that is not set; None if the script has an answer of its own."""
    for asker in (frame, frame.f_back):
        is_lookup = asker is not None and asker.f_code.co_name in ("get", "getenv")
        if is_lookup and asker.f_locals.get("default") is not None:
            return None
    if not asks_itself(frame):
        return None
    what = f"os.environ[{name!r}]"
    is_supplied, value = answers.supplied(what, _asker(frame))
    if is_supplied:
        return value if type(value) is str else str(value)
    answers.assume(what, "", BY_NOBODY, _asker(frame))
    return unknown(what, text=f"<{name}>")


def _asker(frame: Any) -> Any:
    here = __file__.rpartition("/")[0].rpartition("/")[0]
    while frame.f_back is not None and frame.f_code.co_filename.startswith(here):
        frame = frame.f_back
    return frame


def _opening(answers: Answers, real: Callable[..., Any]) -> Callable[..., Any]:
    def open(file: Any, mode: Any = "r", *args: Any, **named: Any) -> Any:
        try:
            return real(plain(file), plain(mode), *args, **named)
        except OSError as error:
            answer = _file_answer(answers, error, file, mode, _getframe(1))
            if answer is None:
                raise
            return answer

    open.__module__, open.__qualname__ = "_io", "open"
    return open


def _file_answer(answers: Answers, error: OSError, file: Any, mode: Any, frame: Any) -> Any:
    """Return what to read instead of a missing file; None if the failure stands."""
    is_reading = isinstance(mode, str) and not set(mode) & set("wxa+")
    if not isinstance(error, FileNotFoundError) or not is_reading or not asks_itself(frame):
        return None
    path = os.fspath(file) if isinstance(file, str | os.PathLike) else spell(file)
    what = f"open({path!r})"
    is_supplied, content = answers.supplied(what, frame)
    if is_supplied:
        text = content if isinstance(content, str | bytes) else str(content)
        if "b" in mode:
            return io.BytesIO(text.encode() if isinstance(text, str) else text)
        return io.StringIO(text if isinstance(text, str) else text.decode())
    answers.assume(what, "", BY_NOBODY, frame)
    return unknown(what, binary="b" in mode)


def _connecting(answers: Answers, module_name: str, names: tuple[str, ...]) -> Patch:
    def patch(module: ModuleType) -> None:
        for name in names:
            owner_name, _, last = name.rpartition(".")
            owner = getattr(module, owner_name) if owner_name else module
            title = f"{module_name}.{last if last == 'open' else name}".replace("request.open", "request.urlopen")
            setattr(owner, last, _attempt(answers, title, getattr(owner, last), bool(owner_name)))

    return patch


def _attempt(answers: Answers, name: str, real: Any, is_method: bool) -> Any:
    """Wrap a function or class: if it fails for want of a network or a program, it returns an unknown value."""

    def call(*args: Any, **named: Any) -> Any:
        frame = _getframe(1)
        if getattr(_inside, "depth", 0) or (name.startswith("http.client") and not asks_itself(frame)):
            return real(*args, **named)
        _inside.depth = 1
        try:
            result = real(*args[:is_method], *plain(args[is_method:]), **plain(named))
        except Exception as error:
            return answer_to(error, args, named, frame)
        finally:
            _inside.depth = 0
        return awaited(result, args, named, frame) if type(result) is CoroutineType else result

    async def awaited(result: Any, args: tuple[Any, ...], named: Mapping[str, Any], frame: Any) -> Any:
        try:
            return await result
        except Exception as error:
            return answer_to(error, args, named, frame)

    def answer_to(error: Exception, args: tuple[Any, ...], named: Mapping[str, Any], frame: Any) -> Any:
        if not _is_refusal(error):
            raise error
        return _answer(answers, name, args[1:] if is_method else args, named, frame)

    return call


def _is_refusal(error: BaseException | None) -> bool:
    """Tell whether a failure is that of a sandbox without a network, or of a program that is not there."""
    for _ in range(8):
        if error is None:
            return False
        kind = type(error)
        if isinstance(error, OSError) and not kind.__name__.startswith(("HTTPError", "InvalidURL", "MissingSchema")):
            return True
        if kind.__name__ in ("ConnectError", "ConnectTimeout"):
            return True
        error = error.__cause__ or error.__context__
    return False


def _answer(answers: Answers, name: str, args: tuple[Any, ...], named: Mapping[str, Any], frame: Any) -> Any:
    whole = _spelled_request(name, args, named)
    is_supplied, value = answers.supplied(whole, frame)
    if is_supplied:
        return value
    answers.assume(whole, "", BY_NOBODY, frame)
    likely = {"subprocess.call": 0, "subprocess.check_call": 0}.get(name)
    return unknown(whole, likely, binary=not name.startswith(("requests", "httpx")))


def _spelled_request(name: str, args: tuple[Any, ...], named: Mapping[str, Any]) -> str:
    """Spell a request by what a reader of the script would call it, with its address alone where it has one."""
    if name.startswith(("requests", "httpx")):
        words = [*args, named.get("method"), named.get("url")]
        method, url = [word for word in words if isinstance(word, str)][:2]
        return spelled_call(f"{name.partition('.')[0]}.{plain(method).lower()}", (url,), {})
    if name.startswith("urllib"):
        return spelled_call(name, (getattr(args[0], "full_url", args[0]),) if args else (), {})
    return spelled_call(name, args, named)


def _answering(module: Any) -> None:
    """Give the responses of `http.client` where the connection is assumed: the real one has no socket."""
    real_request, real_response = module.HTTPConnection.request, module.HTTPConnection.getresponse

    def request(self: Any, *args: Any, **named: Any) -> Any:
        try:
            return real_request(self, *args, **named)
        except (OSError, AttributeError):
            if not asks_itself(_getframe(1)):
                raise
            self.connect()
            self._assumed = spelled_call("http.client.HTTPConnection.request", args, {})
            return None

    def getresponse(self: Any) -> Any:
        assumed = self.__dict__.get("_assumed")
        return real_response(self) if assumed is None else unknown(f"{assumed}.getresponse()", binary=True)

    module.HTTPConnection.request, module.HTTPConnection.getresponse = request, getresponse


def _with_sockets(answers: Answers) -> Patch:
    """Give sockets whose connection is refused unknown bytes to receive, if the script itself connects them."""

    def patch(module: Any) -> None:
        real, connected = module.socket, dict[int, str]()

        def connect(self: Any, address: Any) -> None:
            try:
                real_connect(self, address)
            except OSError:
                if not asks_itself(_getframe(1)):
                    raise
                what = f"socket.connect({spell(address)})"
                answers.assume(what, "", BY_NOBODY, _getframe(1))
                connected[id(self)] = what

        def method(name: str) -> Callable[..., Any]:
            real_method = getattr(real, name)

            def call(self: Any, *args: Any, **named: Any) -> Any:
                what = connected.get(id(self))
                if what is None:
                    return real_method(self, *args, **named)
                if name in ("send", "sendall", "shutdown"):
                    return len(args[0]) if name == "send" else None
                whole = f"{what}.{name}({', '.join(map(spell, args))})"
                return unknown_bytes(whole) if name == "recv" else unknown(whole, binary=True)

            return call

        real_connect = real.connect
        methods = {name: method(name) for name in ("send", "sendall", "recv", "makefile", "shutdown")}
        real.connect = connect
        for name, replacement in methods.items():
            setattr(real, name, replacement)

    return patch


def _reading(module_name: str, names: tuple[str, ...]) -> Patch:
    """Give readers of formats an unknown result for an unknown text."""

    def wrap(name: str, real: Any) -> Any:
        def read(*args: Any, **named: Any) -> Any:
            if args and is_unknown(args[0]):
                return unknown(spelled_call(f"{module_name}.{name}", args[:1], {}))
            return real(*args, **named)

        return read

    def patch(module: ModuleType) -> None:
        for name in names:
            setattr(module, name, wrap(name, getattr(module, name)))

    return patch


def _touch_unknown_paths(answers: Answers) -> None:
    """Let changes of files with unknown names succeed: the real ones would exist."""

    def wrap(name: str, real: Any) -> Any:
        def change(*args: Any, **named: Any) -> Any:
            try:
                return real(*map(plain, args), **named)
            except FileNotFoundError:
                if not any(map(has_unknown, args)):
                    raise
                answers.assume(spelled_call(f"os.{name}", args, {}), "", BY_NOBODY, _getframe(1))
                return None

        return change

    for name in ("remove", "unlink", "rmdir", "rename", "replace", "chmod"):
        setattr(os, name, wrap(name, getattr(os, name)))


def _skip_sleeps(answers: Answers) -> None:
    """Return from long sleeps at once, and set the clocks of `time` forward by them."""
    real, skipped = time.sleep, [0.0]

    def sleep(seconds: Any) -> None:
        length = float(seconds)
        if length <= SHORT_SLEEP:
            real(length)
            return
        answers.assume(f"time.sleep({length:g})", "", BY_NOBODY, _getframe(1))
        skipped[0] += length

    def forward(name: str) -> None:
        clock = getattr(time, name)
        setattr(time, name, lambda: clock() + skipped[0])

    time.sleep = sleep
    for name in ("time", "monotonic", "perf_counter"):
        forward(name)

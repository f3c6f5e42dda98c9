"""Translate an audit event of the interpreter into an effect: which kind, and on what.

It reads only the working folder and the targets of file numbers. It calls nothing on objects of the
program: anything but text, bytes, numbers and standard paths is shown as its type.
"""

from __future__ import annotations

import builtins
import os
import sys
from collections.abc import Callable, Sequence
from os import fsdecode, getcwd, readlink  # a script may swap those of the modules
from os.path import isdir, join, normpath
from typing import Any

globals()["__builtins__"] = dict(vars(builtins))  # and take the real ones away

READ, WRITE, DELETE, RENAME, CHANGE = "read", "write", "delete", "rename", "change"
START, SIGNAL, SEND, LISTEN, NATIVE = "start", "signal", "send", "listen", "native"
Found = tuple[str, str, str]  # the kind, on what, and what else is known

_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_NAMELESS = getattr(os, "O_TMPFILE", -1)
_NO_FILES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
_OWN_ADDRESSES = ("", "localhost", "127.0.0.1", "0.0.0.0", "::", "::1")
_MAX_TEXT_CHARACTERS = 1000  # of a target


def text(value: Any) -> str:
    """Return a value of the program as text, without calling it."""
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, bytes | bytearray):
        return fsdecode(bytes(value))
    if type(value) in (int, float, bool, type(None)):
        return str(value)
    if type(value).__module__.partition(".")[0] == "pathlib":
        return str(value)
    return f"<{type(value).__name__}>"


def path_of(value: Any, folder: Any = None) -> str:
    """Return the absolute path that the system will use.

    Args:
        value: The path or file number.
        folder: The number of an open folder that it is relative to, or None or -1.
    """
    if type(value) is int:
        return _numbered(value)
    path = text(value)
    if path.startswith("<") or path.startswith("/"):
        return normpath(path) if path.startswith("/") else path
    home = _numbered(folder) if type(folder) is int and folder >= 0 else getcwd()
    return normpath(join(home, path))


def _numbered(number: int) -> str:
    try:
        return readlink(f"/proc/self/fd/{number}")
    except OSError:
        return f"<file {number}>"


def _open(args: Sequence[Any]) -> Found | None:
    path, _, flags = args
    if type(path) is int:  # opened before
        return None
    target = path_of(path)
    if target in _NO_FILES:
        return None
    writes = flags & _WRITES
    if writes and isdir(target):  # a library that opens its own file gives the folder's name first
        return (WRITE, f"{target}/", "a nameless file") if flags & _NAMELESS == _NAMELESS else None
    return (WRITE, target, "") if writes else (READ, target, "")


def _database(args: Sequence[Any]) -> Found | None:
    name = text(args[0])
    if name in ("", ":memory:"):
        return None
    return WRITE, path_of(name.partition("?")[0].removeprefix("file:")), "a database"


def _listed(args: Sequence[Any]) -> Found:
    return READ, path_of("." if args[0] is None else args[0]).rstrip("/") + "/", ""


def _renamed(args: Sequence[Any]) -> Found:
    source, target, *folders = args
    first, second = (*folders, None, None)[:2]
    return RENAME, path_of(source, first), path_of(target, second)


def _changed(detail: str) -> Callable[[Sequence[Any]], Found]:
    return lambda args: (CHANGE, path_of(args[0]), detail)


def _command(words: Any) -> str:
    if isinstance(words, list | tuple):
        return " ".join(text(word) for word in words)
    return text(words)


def _address(address: Any) -> str:
    if isinstance(address, tuple) and len(address) >= 2:
        host = text(address[0])
        return f"[{host}]:{text(address[1])}" if ":" in host else f"{host}:{text(address[1])}"
    return f"unix:{text(address)}"


def _looked_up(args: Sequence[Any]) -> Found | None:
    host = "" if args[0] is None else text(args[0])
    if host in _OWN_ADDRESSES:
        return None
    port = args[1] if len(args) > 1 else None
    return SEND, host if port in (None, 0, "") else f"{host}:{text(port)}", "looked up"


def _requested(args: Sequence[Any]) -> Found:
    url, data, _, method = args
    sent = f", {len(data):,} bytes" if isinstance(data, bytes) else ""
    return SEND, text(url), f"{'GET' if method is None and data is None else text(method or 'POST')}{sent}"


_MEANINGS: dict[str, Callable[[Sequence[Any]], Found | None]] = {
    "open": _open,
    "sqlite3.connect": _database,
    "os.listdir": _listed,
    "os.scandir": _listed,
    "os.remove": lambda args: (DELETE, path_of(*args[:2]), ""),
    "os.rmdir": lambda args: (DELETE, path_of(*args[:2]), "a folder"),
    "os.rename": _renamed,
    "os.mkdir": lambda args: (WRITE, path_of(args[0], args[2] if len(args) > 2 else None), "a folder"),
    "os.link": lambda args: (WRITE, path_of(args[1], args[3] if len(args) > 3 else None), "a link"),
    "os.symlink": lambda args: (WRITE, path_of(args[1], args[2] if len(args) > 2 else None), "a link"),
    "os.truncate": lambda args: (WRITE, path_of(args[0]), ""),
    "os.chmod": _changed("mode"),
    "os.chown": _changed("owner"),
    "os.lchown": _changed("owner"),
    "os.utime": _changed("times"),
    "os.setxattr": _changed("attributes"),
    "os.removexattr": _changed("attributes"),
    "os.chflags": _changed("flags"),
    "subprocess.Popen": lambda args: (START, _command(args[1]), ""),
    "os.system": lambda args: (START, text(args[0]), "by a shell"),
    "os.exec": lambda args: (START, _command(args[1]), "in its own place"),
    "os.posix_spawn": lambda args: (START, _command(args[1]), ""),
    "os.spawn": lambda args: (START, _command(args[2]), ""),
    "os.fork": lambda args: (START, "a copy of itself", ""),
    "os.forkpty": lambda args: (START, "a copy of itself", ""),
    "pty.spawn": lambda args: (START, _command(args[0]), ""),
    "os.kill": lambda args: (SIGNAL, f"process {text(args[0])}", f"signal {text(args[1])}"),
    "os.killpg": lambda args: (SIGNAL, f"group {text(args[0])}", f"signal {text(args[1])}"),
    "socket.connect": lambda args: (SEND, _address(args[1]), "tried to connect"),
    "socket.sendto": lambda args: (SEND, _address(args[1]), "tried to send"),
    "socket.sendmsg": lambda args: None if args[1] is None else (SEND, _address(args[1]), "tried to send"),
    "socket.getaddrinfo": _looked_up,
    "socket.gethostbyname": _looked_up,
    "socket.gethostbyaddr": _looked_up,
    "socket.bind": lambda args: (LISTEN, _address(args[1]), ""),
    "urllib.Request": _requested,
    "webbrowser.open": lambda args: (SEND, text(args[0]), "in a browser"),
    "syslog.syslog": lambda args: (SEND, "syslog", ""),
    "ctypes.dlopen": lambda args: (NATIVE, text(args[0]), "a library called directly"),
}
EVENTS = frozenset(_MEANINGS)
ENDING = (READ, WRITE, DELETE, RENAME, CHANGE, START)  # what is done or fails; the sandbox refuses the rest
_libraries: tuple[str, ...] = ()  # folders of the interpreter, whose reading is nobody's effect


def know_libraries(paths: Sequence[str]) -> None:
    """Remember where the interpreter and its packages are, before the first script."""
    global _libraries
    own = (sys.prefix, sys.base_prefix, sys.exec_prefix, os.path.dirname(os.__file__), *paths)
    every = {
        candidate for path in own for candidate in (path, os.path.realpath(path)) if candidate not in ("/", "/usr")
    }
    _libraries = tuple(os.path.join(path, "") for path in sorted(every))


def meaning(event: str, args: Sequence[Any]) -> Found | None:
    """Return the effect of an event; None if it has none outside the interpreter."""
    try:
        effect = _MEANINGS[event](args)
    except Exception:  # whatever it is, it is not the script's: the folder it stands in is gone, the stack is full
        return None
    if effect is None or (effect[0] == READ and is_library(effect[1])):
        return None
    return effect[0], effect[1][:_MAX_TEXT_CHARACTERS], effect[2][:_MAX_TEXT_CHARACTERS]


def is_library(path: str) -> bool:
    """Tell whether a path belongs to the interpreter."""
    return path.startswith(_libraries) or path.endswith(".pyc")

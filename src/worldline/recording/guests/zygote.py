"""The warm interpreter inside the box: forks one child a program, waits for it, and buries its family.

Runs with the program's interpreter, as the box's only long-lived process besides bubblewrap's own, and imports
nothing of worldline. One request is one datagram, `run`, `prepare` or `tools`, with six files: the program's spec, the
wire, the report, stdin, stdout, stderr; and a seventh, its parts, of a program that was prepared. A guest that gathers
what a program left has an eighth for it, which the program never sees. The zygote never
reads the spec: the child does, after the fork. Into the report goes one word before the program's first line, `begun`,
or the outcome of a program that cannot begin. The zygote holds no secret of the host, and a program reaches neither
its socket nor its process. Deadlines are the host's business; `kill` is how it says so.
"""

from __future__ import annotations

import errno
import fcntl
import gc
import importlib
import json
import os
import resource
import select
import socket
import sys
from typing import Any, NamedTuple, NoReturn

from . import confine, kernel, prepared
from .jail import Bare, Boxed, Jail
from .refused import Refused

# What small programs import most. Not `random`: all programs would share its state.
WARM = (
    "abc",
    "bisect",
    "collections",
    "copy",
    "dataclasses",
    "enum",
    "functools",
    "heapq",
    "itertools",
    "math",
    "operator",
    "re",
    "string",
    "typing",
)


_decoder = json.JSONDecoder()
_DISK_FULL_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class _Files(NamedTuple):
    """The files of one program."""

    spec: int
    wire: int
    report: int
    standard: tuple[int, ...]
    parts: tuple[int, ...]  # of a program that was prepared: one file
    left: tuple[int, ...]  # for what is gathered when it is dead: one file, or none


class _Refusal(Exception):
    """A program that cannot begin, and not for a fault of ours: the kind of its outcome and the detail."""


def _load_guest(config: dict[str, Any]) -> Any:
    """The language's guest: this package's own, or a stand-in from another folder."""
    folder = config["guest_folder"]
    if folder is None:
        return importlib.import_module(f"{__package__}.{config['guest']}")
    sys.path.insert(0, folder)
    try:
        return importlib.import_module(config["guest"])
    finally:
        sys.path.remove(folder)


def _place(fd: int) -> int:
    """Move a file to a number that a program cannot guess, and keep it from its children."""
    # Low numbers are where a program's own files go; numbers up to the limit stay free for this one.
    room = min(confine.MAX_FILES, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    start = room // 2 + int.from_bytes(os.urandom(2), "little") % (room * 2 // 5)
    moved = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, start)
    os.close(fd)
    return moved


def _arrange_files(files: _Files, needed: tuple[int, ...]) -> None:
    """stdin, stdout and stderr in their places, and all but the wire, the report, parts and what is needed closed."""
    for number, fd in enumerate(files.standard):
        os.dup2(fd, number)
    open_files = sorted((files.wire, files.report, *files.parts, *needed))
    for low, high in zip((2, *open_files), (*open_files, 4096), strict=True):
        os.closerange(low + 1, high)


def _is_a_name(path: str) -> bool:
    try:
        return b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        return False


def _write_files(spec: dict[str, Any]) -> None:
    """The program's files in its own directory, as far as their names stay inside it."""
    root = os.getcwd()
    for name, text in ((spec["name"], spec["source"]), *spec["files"].items()):
        path = os.path.normpath(os.path.join(root, name))
        if not path.startswith(root + "/") or not _is_a_name(path):
            continue
        try:
            if "/" in name:
                os.makedirs(os.path.dirname(path), exist_ok=True)
            _write_file(path, text)
        except RecursionError:  # of makedirs
            raise _Refusal("unsupported files: folders nested too deep") from None
        except OSError as error:
            why = f"unsupported files: {name}: {error.strerror}"
            raise _Refusal("limit disk" if error.errno in _DISK_FULL_ERRORS else why) from None


def _write_file(path: str, text: str) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o644)
    try:
        view = memoryview(text.encode("utf-8", "surrogateescape"))  # the bytes that a file had
    except UnicodeEncodeError:
        view = memoryview(text.encode("utf-8", "surrogatepass"))
    while view:
        view = view[os.write(fd, view) :]
    os.close(fd)


def _become(jail: Jail, guest: Any, act: bytes, files: _Files) -> NoReturn:
    """The child's whole life: arranged, confined, and then the guest's, which reports that the program begins."""
    try:
        os.setsid()
        text = os.pread(files.spec, os.fstat(files.spec).st_size, 0)
        # The connection to the server that `warm` has started.
        inherited = getattr(guest, "FILES", ()) if act == b"prepare" else ()
        _arrange_files(files, (*jail.files, *inherited))
        spec = _decoder.raw_decode(text.decode())[0]
        jail.enter()
        jail.confine()
        _write_files(spec)
        gc.collect()  # whatever the zygote did before, the collector of each program starts alike
        if act in (b"prepare", b"tools"):
            prepared.prepare(getattr(guest, act.decode()), spec, files.wire, files.report)
        elif hasattr(guest, "gather"):
            guest.run(spec, *files.parts, files.wire, files.report)
        elif hasattr(guest, "prepare"):
            guest.run(spec, _unpacked(files, jail.parts), files.wire, files.report)
        else:
            guest.run(spec, files.wire, files.report)
    except BaseException as error:
        why = str(error) if isinstance(error, _Refusal) else f"host-fault {type(error).__name__}: {error}"
        if isinstance(error, Refused):
            why = f"unsupported {error}"
        try:
            os.write(files.report, why.encode("utf-8", "backslashreplace")[:4000])
        except OSError:  # the program has begun: a guest that raises nevertheless is heard of there
            sys.excepthook(*sys.exc_info())
    finally:
        os._exit(70)


def _unpacked(files: _Files, folder: str) -> dict[str, str]:
    paths: dict[str, str] = {}
    for file in files.parts:
        try:
            paths = prepared.unpack(file, folder)
        except OSError as error:
            raise (_Refusal("limit disk") if error.errno in _DISK_FULL_ERRORS else error) from None
        os.close(file)
    return paths


def _await(child: int, sock: socket.socket, jail: Jail) -> None:
    """Until the child is a zombie. A message meanwhile is `kill`; the host's silence for ever is its death."""
    pidfd = os.pidfd_open(child)
    poll = select.poll()
    poll.register(pidfd, select.POLLIN)
    poll.register(sock, select.POLLIN)
    try:
        while True:
            ready = {fd for fd, _ in poll.poll()}
            if pidfd in ready:
                return
            message = sock.recv(64)
            jail.kill(child)
            if not message:
                jail.bury()
                jail.clear()
                os._exit(0)
    finally:
        os.close(pidfd)


def _gather(jail: Jail, guest: Any, files: _Files) -> None:
    """What the dead program left, told by a process of its own, as confined as the program was."""
    child = os.fork()
    if child == 0:
        try:
            jail.confine()
            guest.gather(*files.parts, *files.left)
        finally:
            os._exit(0)  # what is missing, the host sees
    os.waitpid(child, 0)


def _serve_program(act: bytes, fds: list[int], sock: socket.socket, jail: Jail, guest: Any) -> dict[str, Any]:
    jail.begin()
    spec, wire, report, *rest = fds
    # Out of a program's sight.
    later = [tuple(map(_place, rest[3:4])), tuple(map(_place, rest[4:]))]
    files = _Files(spec, _place(wire), _place(report), tuple(rest[:3]), *later)
    child = os.fork()
    if child == 0:
        _become(jail, guest, act, files)
    for fd in (files.spec, files.wire, files.report, *files.standard):
        os.close(fd)
    _await(child, sock, jail)
    _, status, used = os.wait4(child, 0)
    # A second less, since the kernel counts here in another way than where it kills: still more than `wall` gives.
    seconds = used.ru_utime + used.ru_stime
    worked = seconds >= confine.processor_seconds(jail.limits) - 1
    full = jail.bury()
    if files.left:
        _gather(jail, guest, files)
    for fd in (*files.parts, *files.left):
        os.close(fd)
    ended = {"status": status, "full": full, "seconds": seconds}
    return {**ended, "worked": worked and os.WIFSIGNALED(status)}


def main() -> None:
    """Serve programs until the host closes its end."""
    config = json.loads(sys.argv[1])
    sys.argv[:] = [""]
    sock = socket.socket(fileno=config["socket"])
    os.environ.pop("PWD", None)  # bubblewrap's addition
    for path in config["paths"]:
        if path not in sys.path:
            sys.path.append(path)
    for name in WARM:
        importlib.import_module(name)
    guest = _load_guest(config)
    if hasattr(guest, "warm"):
        guest.warm(config)
    jail: Jail = Boxed(config) if config["boxed"] else Bare(config)
    jail.prepare()
    gc.collect()
    kernel.trim_heap()
    gc.freeze()
    sock.send(json.dumps({"ready": True, "landlock": jail.landlock, "scratch": confine.SCRATCH}).encode())
    while True:
        request, fds, _, _ = socket.recv_fds(sock, 4096, 8)
        if not request:
            return
        if request != b"kill":  # one that came too late is for a program that has ended
            sock.send(json.dumps(_serve_program(request, fds, sock, jail, guest)).encode())
            jail.clear()  # while the host reads what the program left, the next one's place is made
            jail.prepare()

"""The warm interpreter inside the sandbox: it forks one child per program and waits for all its processes.

It runs with the interpreter of the program, as the only long-lived process besides bubblewrap, and
imports nothing of worldline. One request is one datagram, `run`, `prepare` or `tools`, with six
files: the spec of the program, the wire, the report, stdin, stdout and stderr. A prepared program
has a seventh file, its parts. A guest that gathers the files a program left has an eighth, which the
program never sees. Only the child reads the spec, after the fork.

The report gets one word before the first line of the program, `begun`, or the outcome of a program
that cannot start. The zygote holds no secret of the host, and a program cannot reach its socket or
its process. The host watches deadlines and sends `kill`.
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
from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn

from . import confine, kernel, prepared
from .jail import Bare, IsolatedJail, Jail
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
WAIT_MILLISECONDS = 2  # between looks at a child where the kernel has no descriptor of it


_decoder = json.JSONDecoder()
_DISK_FULL_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class _Files(NamedTuple):
    """The files of one program."""

    spec: int
    wire: int
    report: int
    standard: tuple[int, ...]
    parts: tuple[int, ...]  # one file, for a prepared program
    left: tuple[int, ...]  # one file, for the files gathered when it is dead


class _Refusal(Exception):
    """A program that cannot start, and not because of a fault of ours: the kind and detail of its outcome."""


def _load_guest(config: dict[str, Any]) -> Any:
    """Import the guest of the language: from this package, or from another folder."""
    folder = config["guest_folder"]
    if folder is None:
        return importlib.import_module(f"{__package__}.{config['guest']}")
    sys.path.insert(0, folder)
    try:
        return importlib.import_module(config["guest"])
    finally:
        sys.path.remove(folder)


def _place(fd: int) -> int:
    """Move a file to a number that a program cannot guess, and close it in its children."""
    # The files of a program get low numbers, and some numbers up to the limit stay free for it.
    room = min(confine.MAX_FILES, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    start = room // 2 + int.from_bytes(os.urandom(2), "little") % (room * 2 // 5)
    moved = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, start)
    os.close(fd)
    return moved


def _arrange_files(files: _Files, needed: tuple[int, ...]) -> None:
    """Put stdin, stdout and stderr in place. Close all but the wire, the report, parts and needed files."""
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
    """Write the files of the program into its directory, except those whose names lead outside."""
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
    """Live as the child: arrange files, confine, then run the guest, which reports that the program starts."""
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
        gc.collect()  # so that the garbage collector of each program starts in the same state
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
        except OSError:  # the program has started and the report is closed: use its stderr
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
    """Wait until the child is a zombie. A message means `kill`; the end of the socket means the host died."""
    try:
        pidfd = os.pidfd_open(child)
    except OSError:  # gVisor has none
        pidfd = -1
    poll = select.poll()
    if pidfd >= 0:
        poll.register(pidfd, select.POLLIN)
    poll.register(sock, select.POLLIN)
    try:
        while True:
            ready = {fd for fd, _ in poll.poll(None if pidfd >= 0 else WAIT_MILLISECONDS)}
            if pidfd in ready or (pidfd < 0 and os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT)):
                return
            if not ready:
                continue
            message = sock.recv(64)
            jail.kill(child)
            if not message:
                jail.bury()
                jail.clear()
                os._exit(0)
    finally:
        if pidfd >= 0:
            os.close(pidfd)


def _gather(jail: Jail, guest: Any, files: _Files) -> None:
    """Gather the files that the dead program left, in a process as confined as the program was."""
    child = os.fork()
    if child == 0:
        try:
            jail.confine()
            guest.gather(*files.parts, *files.left)
        finally:
            os._exit(0)  # the host notices if something is missing
    os.waitpid(child, 0)


def _serve_program(act: bytes, fds: list[int], sock: socket.socket, jail: Jail, guest: Any) -> dict[str, Any]:
    jail.begin()
    spec, wire, report, *rest = fds
    # Hide these files from the program.
    later = [tuple(map(_place, rest[3:4])), tuple(map(_place, rest[4:]))]
    files = _Files(spec, _place(wire), _place(report), tuple(rest[:3]), *later)
    child = os.fork()
    if child == 0:
        _become(jail, guest, act, files)
    for fd in (files.spec, files.wire, files.report, *files.standard):
        os.close(fd)
    _await(child, sock, jail)
    _, status, used = os.wait4(child, 0)
    # One second less: the kernel counts differently here than where it kills. Still more than `wall`.
    seconds = used.ru_utime + used.ru_stime
    worked = seconds >= confine.processor_seconds(jail.limits) - 1
    full = jail.bury()
    if files.left:
        _gather(jail, guest, files)
    for fd in (*files.parts, *files.left):
        os.close(fd)
    ended = {"status": status, "full": full, "seconds": seconds}
    return {**ended, "worked": worked and os.WIFSIGNALED(status)}


def _jail_of(config: dict[str, Any]) -> Callable[[dict[str, Any]], Jail]:
    if not config["sandboxed"]:
        return Bare
    if config["own_kernel"]:
        from .own_kernel import OwnKernel

        return OwnKernel
    return IsolatedJail


def main() -> None:
    """Serve programs until the host closes its end."""
    config = json.loads(sys.argv[1])
    sys.argv[:] = [""]
    sock = socket.socket(fileno=config["socket"])
    os.environ.pop("PWD", None)  # bubblewrap adds it
    for path in config["paths"]:
        if path not in sys.path:
            sys.path.append(path)
    for name in WARM:
        importlib.import_module(name)
    make_jail = _jail_of(config)  # before the guest hides its modules
    guest = _load_guest(config)
    if hasattr(guest, "warm"):
        guest.warm(config)
    jail = make_jail(config)
    jail.prepare()
    gc.collect()
    kernel.trim_heap()
    gc.freeze()
    sock.send(json.dumps({"ready": True, "landlock": jail.landlock, "scratch": confine.SCRATCH}).encode())
    while True:
        request, fds, _, _ = socket.recv_fds(sock, 4096, 8)
        if not request:
            return
        if request != b"kill":  # a late `kill` is for a program that has ended
            sock.send(json.dumps(_serve_program(request, fds, sock, jail, guest)).encode())
            if config["own_kernel"]:
                return  # the sandbox ends with its only program
            jail.clear()  # prepare the next program while the host reads the results
            jail.prepare()

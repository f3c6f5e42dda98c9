"""The warm interpreter inside the box: forks one child a program, waits for it, and buries its family.

Runs with the program's interpreter, as the box's only long-lived process besides bubblewrap's own, and imports
nothing of worldline. One request is one datagram with five files: the program's spec, the wire, stdin, stdout,
stderr. The zygote never reads the spec: the child does, after the fork. It holds no secret of the host, and a
program reaches neither its socket nor its process. Deadlines are the host's business; `kill` is how it says so.
"""

from __future__ import annotations

import fcntl
import gc
import importlib
import json
import os
import select
import socket
import sys
from typing import Any, NoReturn

from . import confine
from .ward import Bare, Boxed, Ward

WARM = (  # what small programs import most; not `random`, whose state every program would then share
    "abc", "bisect", "collections", "copy", "dataclasses", "enum", "functools", "heapq", "itertools", "math",
    "operator", "re", "string", "typing",
)  # fmt: skip


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
    moved = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 512 + int.from_bytes(os.urandom(2), "little") % 400)
    os.close(fd)
    return moved


def _arrange_files(fds: list[int], trouble: int) -> tuple[bytes, int, int]:
    """stdin, stdout and stderr in their places, the wire and the trouble pipe out of sight, all else closed."""
    spec, wire, *standard = fds
    text = os.pread(spec, os.fstat(spec).st_size, 0)
    for number, fd in enumerate(standard):
        os.dup2(fd, number)
    wire, trouble = _place(wire), _place(trouble)
    kept = sorted((wire, trouble))
    for low, high in zip((2, *kept), (*kept, 4096), strict=True):
        os.closerange(low + 1, high)
    return text, wire, trouble


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
        if "/" in name:
            os.makedirs(os.path.dirname(path), exist_ok=True)
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o644)
        view = memoryview(text.encode("utf-8", "surrogatepass"))
        while view:
            view = view[os.write(fd, view) :]
        os.close(fd)


def _become(ward: Ward, guest: Any, fds: list[int], trouble: int) -> NoReturn:
    """The child's whole life: arranged, confined, and then the guest's."""
    try:
        os.setsid()
        text, wire, trouble = _arrange_files(fds, trouble)
        spec = json.loads(text)
        ward.enter()
        _write_files(spec)
        ward.confine()
        os.close(trouble)
        gc.collect()  # whatever the zygote did before, the collector of each program starts alike
        guest.run(spec, wire)
    except BaseException as error:
        try:
            os.write(trouble, f"{type(error).__name__}: {error}".encode("utf-8", "backslashreplace")[:4000])
        except OSError:
            sys.excepthook(*sys.exc_info())
    finally:
        os._exit(70)


def _await(child: int, sock: socket.socket, ward: Ward) -> None:
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
            ward.kill(child)
            if not message:
                ward.bury()
                ward.clear()
                os._exit(0)
    finally:
        os.close(pidfd)


def _serve_one(fds: list[int], sock: socket.socket, ward: Ward, guest: Any) -> dict[str, Any]:
    hear, tell = os.pipe()
    ward.begin()
    child = os.fork()
    if child == 0:
        os.close(hear)
        _become(ward, guest, fds, tell)
    for fd in (*fds, tell):
        os.close(fd)
    _await(child, sock, ward)
    status = os.waitpid(child, 0)[1]
    full = ward.bury()
    trouble = os.read(hear, 4096)  # everyone who could write to it is dead
    os.close(hear)
    return {"status": status, "full": full, "trouble": trouble.decode("utf-8", "replace")}


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
        guest.warm(config["native"])
    ward: Ward = Boxed(config) if config["boxed"] else Bare(config)
    ward.prepare()
    gc.collect()
    gc.freeze()
    sock.send(json.dumps({"ready": True, "landlock": ward.landlock, "scratch": confine.SCRATCH}).encode())
    while True:
        request, fds, _, _ = socket.recv_fds(sock, 4096, 8)
        if not request:
            return
        if request != b"kill":  # one that came too late is for a program that has ended
            sock.send(json.dumps(_serve_one(fds, sock, ward, guest)).encode())
            ward.clear()  # while the host reads what the program left, the next one's place is made
            ward.prepare()

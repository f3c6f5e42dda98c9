"""The last steps before bubblewrap, as a script of its own: `python -I -S launch.py JSON`.

Joins the cgroups, turns address randomisation off, gives every signal its default action again (a shell that starts a
command in the background has it ignore SIGINT), and, where it is root, puts what the box needs under a private
mount, becomes an unprivileged user and executes bubblewrap as that user: RLIMIT_NPROC does not bind root. The mounts
are needed because an interpreter may lie where only root can go (/root). It is a process of its own because nothing
of this may happen in a host that has threads. Imports nothing of worldline.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import stat
import sys

TYPE_CHECKING = False  # `typing` takes as long to import as all the rest
if TYPE_CHECKING:
    from typing import Any

ADDR_NO_RANDOMIZE = 0x0040000
CLONE_NEWNS = 0x00020000
MS_BIND, MS_REC, MS_PRIVATE = 4096, 16384, 1 << 18

_libc = ctypes.CDLL(None, use_errno=True)


def _check(result: int, act: str) -> None:
    if result < 0:
        raise OSError(ctypes.get_errno(), f"{act}: {os.strerror(ctypes.get_errno())}")


def _mount(source: str, target: str, kind: bytes | None, flags: int, options: bytes | None = None) -> None:
    _check(
        _libc.mount(source.encode(), target.encode(), kind, ctypes.c_ulong(flags), options),
        f"mount {source} on {target}",
    )


def stage(sources: list[str], at: str) -> None:
    """Bind each source to `at`/<its index>, in a mount namespace that nobody else sees."""
    _check(_libc.unshare(CLONE_NEWNS), "unshare")
    _mount("none", "/", None, MS_REC | MS_PRIVATE)
    handles = [os.open(source, os.O_PATH) for source in sources]  # some may lie under `at` itself
    _mount("tmpfs", at, b"tmpfs", 0, b"mode=755,size=1m")
    for index, handle in enumerate(handles):
        target = f"{at}/{index}"
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            os.mkdir(target)
        else:
            os.close(os.open(target, os.O_CREAT | os.O_WRONLY))
        _mount(f"/proc/self/fd/{handle}", target, None, MS_BIND | MS_REC)
        os.close(handle)


def become(uid: int) -> None:
    """An unprivileged user, for good."""
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    if os.getresuid() != (uid, uid, uid):
        raise PermissionError(f"could not become user {uid}")


def heed_signals() -> None:
    """No signal is ignored or blocked, whatever was inherited: a recorded program begins as one in a fresh shell."""
    for number in signal.valid_signals():
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def main(config: dict[str, Any]) -> None:
    """Everything in order, and then the command; what fails is said on stderr."""
    for path in config["cgroups"]:
        with open(path, "w") as file:
            file.write(str(os.getpid()))
    _check(_libc.personality(ctypes.c_ulong(ADDR_NO_RANDOMIZE)), "personality")
    if config["uid"] is not None:
        stage(config["stage"], config["at"])
        become(config["uid"])
    heed_signals()
    os.execve(config["command"][0], config["command"], config["environment"])


if __name__ == "__main__":
    try:
        main(json.loads(sys.argv[1]))
    except OSError as trouble:
        sys.exit(f"launch: {trouble}")

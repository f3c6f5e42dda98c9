"""Run the last steps before bubblewrap, as a separate script: `python -I -S launch.py JSON`.

It joins the cgroups, disables address randomisation and resets what a shell may have set, so that a
program behaves the same whoever launched it. As root it also binds the files of the sandbox under a
private mount and becomes an unprivileged user, because RLIMIT_NPROC does not bind root. The mounts
are needed for an interpreter that only root can reach (/root). It is a process of its own because a
host with threads must not do this. It imports nothing of worldline.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import signal
import stat
import sys

TYPE_CHECKING = False  # importing `typing` takes as long as everything else
if TYPE_CHECKING:
    from typing import Any

ADDR_NO_RANDOMIZE = 0x0040000
CLONE_NEWNS = 0x00020000
MS_BIND, MS_REC, MS_PRIVATE = 4096, 16384, 1 << 18
PR_SET_TIMERSLACK, PR_SET_THP_DISABLE = 29, 41
SHARES = {"x86_64": (251, 238), "aarch64": (30, 237)}  # ioprio_set and set_mempolicy by number
EVERY_PROCESSOR = range(8192)  # more than Linux supports; missing ones are ignored
KINDS_OF_LIMITS = 16  # the module `resource` does not name all of them
# Soft and hard limits; all others are unlimited. The limits of a program are lower.
LIMITS = {
    resource.RLIMIT_STACK: (8 << 20, resource.RLIM_INFINITY),  # the soft one decides where all else is mapped
    resource.RLIMIT_NOFILE: (4096, 4096),
    resource.RLIMIT_SIGPENDING: (4096, 4096),
    resource.RLIMIT_NICE: (0, 0),
    resource.RLIMIT_RTPRIO: (0, 0),
}

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
    """Bind each source to `at`/<its index>, in a private mount namespace."""
    _check(_libc.unshare(CLONE_NEWNS), "unshare")
    _mount("none", "/", None, MS_REC | MS_PRIVATE)
    handles = [os.open(source, os.O_PATH) for source in sources]  # a source may be below `at`
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
    """Become an unprivileged user permanently."""
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    if os.getresuid() != (uid, uid, uid):
        raise PermissionError(f"could not become user {uid}")


def heed_signals() -> None:
    """Stop ignoring and blocking signals: a shell makes a background command ignore SIGINT."""
    for number in signal.valid_signals():
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def lift_limits() -> None:
    """Set the same rlimits under every shell. A hard limit that cannot be raised stays."""
    for kind in range(KINDS_OF_LIMITS):
        soft, hard = LIMITS.get(kind, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        try:
            resource.setrlimit(kind, (soft, hard))
        except (ValueError, OSError):
            most = resource.getrlimit(kind)[1]
            resource.setrlimit(kind, (_lower(soft, most), _lower(hard, most)))


def _lower(bound: int, most: int) -> int:
    return min(bound, most, key=lambda limit: limit % (1 << 64))  # unlimited is -1


def share_alike() -> None:
    """Undo `nice`, `chrt`, `taskset`, `ionice` and `numactl`: use the default share of the machine.

    A user other than root may not raise its priority again.
    """
    ask = contextlib.suppress(OSError)
    with ask:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    with ask:
        os.setpriority(os.PRIO_PROCESS, 0, 0)
    with ask:
        os.sched_setaffinity(0, EVERY_PROCESSOR)
    for number, whose in zip(SHARES.get(os.uname().machine, ()), (1, 0), strict=False):
        _libc.syscall(ctypes.c_long(number), ctypes.c_long(whose), ctypes.c_long(0), ctypes.c_long(0))


def begin_anew() -> None:
    """Reset the other inherited settings to those of a fresh login."""
    os.umask(0o022)
    _libc.prctl(PR_SET_TIMERSLACK, ctypes.c_ulong(50_000), 0, 0, 0)
    _libc.prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0)
    with contextlib.suppress(OSError), open("/proc/self/coredump_filter", "w") as file:
        file.write("0x33")
    lift_limits()
    share_alike()


def main(config: dict[str, Any]) -> None:
    """Run all steps, then the command. Failures are reported on stderr."""
    for path in config["cgroups"]:
        with open(path, "w") as file:
            file.write(str(os.getpid()))
    _check(_libc.personality(ctypes.c_ulong(ADDR_NO_RANDOMIZE)), "personality")
    heed_signals()
    if config["anew"]:
        begin_anew()
    if config["uid"] is not None:
        stage(config["stage"], config["at"])
        become(config["uid"])
    os.execve(config["command"][0], config["command"], config["environment"])


if __name__ == "__main__":
    try:
        main(json.loads(sys.argv[1]))
    except OSError as trouble:
        sys.exit(f"launch: {trouble}")

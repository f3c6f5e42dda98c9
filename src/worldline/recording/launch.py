"""Run the last steps before bubblewrap, as a separate script: `python -I -S launch.py CONFIG`.

It joins the cgroups, disables address randomisation and resets what a shell may have set, so that a
program behaves the same whoever launched it. It stages the files of the sandbox under a private
mount, each folder through an overlay: locks belong to a file of the overlay, so a program that locks
what it can only read never delays the host. As root it also becomes an unprivileged user, because
RLIMIT_NPROC does not bind root; that user reaches an interpreter below /root only on the stage.

It is a process of its own because a host with threads must not do this. It imports nothing of
worldline, and little else, because every sandbox waits for it: its configuration is marshalled, which
needs no `re`.
"""

from __future__ import annotations

import ctypes
import marshal
import os
import resource
import signal
import stat
import sys

TYPE_CHECKING = False  # importing `typing` takes as long as everything else
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

ADDR_NO_RANDOMIZE = 0x0040000
CLONE_NEWNS, CLONE_NEWUSER = 0x00020000, 0x10000000
MS_RDONLY = 1
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


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)


def _succeeds(act: Callable[..., object], *arguments: object) -> bool:
    """Call a function, and tell whether the system allowed it."""
    try:
        act(*arguments)
    except OSError:
        return False
    return True


def _mount(source: str, target: str, kind: bytes | None, flags: int, options: bytes | None = None) -> None:
    _check(
        _libc.mount(source.encode(), target.encode(), kind, ctypes.c_ulong(flags), options),
        f"mount {source} on {target}",
    )


class _Source:
    """A file or folder of the host, opened before the stage hides it."""

    def __init__(self, path: str, mounts: list[str]) -> None:
        real = os.path.realpath(path)
        self.handle = os.open(path, os.O_PATH)
        self.mode = os.fstat(self.handle).st_mode
        self.is_folder = stat.S_ISDIR(self.mode)
        # An overlay shows nothing of what is mounted below its folder: each mount gets one of its own.
        below = [mount for mount in mounts if mount.startswith(f"{real}/")] if self.is_folder else []
        self.parts = [(os.path.relpath(mount, real), _Source(mount, [mount])) for mount in below]
        # A file is bound out of an overlay of its folder, unless it is mounted over another one there.
        self.name = os.path.basename(real)
        is_plain = stat.S_ISREG(self.mode) and real not in mounts
        self.folder = os.open(os.path.dirname(real), os.O_PATH) if is_plain else None

    def bind(self, target: str) -> None:
        """Mount it as it is: whoever locks it locks the host's file."""
        _mount(f"/proc/self/fd/{self.handle}", target, None, MS_BIND | MS_REC)


def _mount_points() -> list[str]:
    """Return where something is mounted, parents first, each place once."""
    with open("/proc/self/mountinfo", "rb") as file:
        names = [line.split()[4] for line in file]
    for number in (b"040", b"011", b"012", b"134"):  # how the kernel writes a space, tab, line end and backslash
        names = [name.replace(b"\\" + number, bytes([int(number, 8)])) for name in names]
    return list(dict.fromkeys(map(os.fsdecode, names)))


def _overlay(folder: int, target: str, empty: str) -> bool:
    """Mount a read-only overlay of a folder. Return False if this system has none for it."""
    layers = f"lowerdir=/proc/self/fd/{folder}:{empty}"
    flags = ctypes.c_ulong(MS_RDONLY)
    return bool(_libc.mount(b"overlay", target.encode(), b"overlay", flags, layers.encode()) == 0)


def _place(source: _Source, target: str, hidden: str) -> None:
    """Make a source visible at an existing target, with locks of its own if possible."""
    if source.is_folder and _overlay(source.handle, target, hidden):
        for name, part in source.parts:
            _place(part, f"{target}/{name}", hidden)
        return
    if source.folder is not None:
        over = f"{target}.folder"
        os.mkdir(over)
        if _overlay(source.folder, over, hidden):
            _mount(f"{over}/{source.name}", target, None, MS_BIND)
            return
    source.bind(target)


def _make_target(source: _Source, target: str) -> bool:
    """Create the place for a source. Return whether it is complete: a device node of our own is."""
    if source.is_folder:
        os.mkdir(target)
        return False
    if stat.S_ISCHR(source.mode):
        device = os.stat(f"/proc/self/fd/{source.handle}").st_rdev
        if _succeeds(os.mknod, target, stat.S_IFCHR, device):  # only root may, and not in every container
            os.chmod(target, 0o666)
            return True
    os.close(os.open(target, os.O_CREAT | os.O_WRONLY))
    return False


def _enter_namespace() -> None:
    """Enter a mount namespace of our own; without root, as the same user in a user namespace."""
    user, group = os.geteuid(), os.getegid()
    _check(_libc.unshare(CLONE_NEWNS | (CLONE_NEWUSER if user else 0)), "unshare")
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        if user:
            _write(f"/proc/self/{name}", text)
    _mount("none", "/", None, MS_REC | MS_PRIVATE)


def stage(sources: list[str], at: str) -> None:
    """Show each source at `at`/<its index>, in a private mount namespace."""
    _enter_namespace()
    mounts = _mount_points()
    opened = [_Source(source, mounts) for source in sources]  # a source may be below `at`
    _mount("tmpfs", at, b"tmpfs", 0, b"mode=755,size=1m")
    hidden = f"{at}/empty"
    os.mkdir(hidden)
    for index, source in enumerate(opened):
        target = f"{at}/{index}"
        if not _make_target(source, target):
            _place(source, target, hidden)


def can_stage(sources: list[str], at: str) -> bool:
    """Try `stage` in a process of its own: a failure in the middle could not be undone."""
    child = os.fork()
    if not child:
        try:
            stage(sources, at)
        except BaseException:
            os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1] == 0


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
    _succeeds(os.sched_setscheduler, 0, os.SCHED_OTHER, os.sched_param(0))
    _succeeds(os.setpriority, os.PRIO_PROCESS, 0, 0)
    _succeeds(os.sched_setaffinity, 0, EVERY_PROCESSOR)
    for number, whose in zip(SHARES.get(os.uname().machine, ()), (1, 0), strict=False):
        _libc.syscall(ctypes.c_long(number), ctypes.c_long(whose), ctypes.c_long(0), ctypes.c_long(0))


def begin_anew() -> None:
    """Reset the other inherited settings to those of a fresh login."""
    os.umask(0o022)
    _libc.prctl(PR_SET_TIMERSLACK, ctypes.c_ulong(50_000), 0, 0, 0)
    _libc.prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0)
    _succeeds(_write, "/proc/self/coredump_filter", "0x33")
    lift_limits()
    share_alike()


def main(config: dict[str, Any]) -> None:
    """Run all steps, then the command. Failures are reported on stderr."""
    for path in config["cgroups"]:
        _write(path, str(os.getpid()))
    _check(_libc.personality(ctypes.c_ulong(ADDR_NO_RANDOMIZE)), "personality")
    heed_signals()
    if config["anew"]:
        begin_anew()
    command, sources, at = config["command"], config["stage"], config["at"]
    if config["uid"] is not None:
        stage(sources, at)
        become(config["uid"])
    elif sources and can_stage(sources, at):
        stage(sources, at)
    else:
        plain = {f"{at}/{index}": source for index, source in enumerate(sources)}
        command = [plain.get(word, word) for word in command]
    os.execve(command[0], command, config["environment"])


if __name__ == "__main__":
    try:
        main(marshal.loads(bytes.fromhex(sys.argv[1])))
    except OSError as trouble:
        sys.exit(f"launch: {trouble}")

"""System calls that Python does not offer, through ctypes: namespaces, mounts, capabilities, landlock.

Runs inside the sandbox with the interpreter of the program and imports nothing of worldline. Every
function raises OSError if the kernel refuses. confine.py decides what is confined, and in which order.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import signal
import socket
import struct

CLONE_NEWIPC, CLONE_NEWPID, CLONE_NEWNET = 0x08000000, 0x20000000, 0x40000000
_CLONE_VM = 0x100
_SIG_DFL, _SIG_IGN = 0, 1
_SIOCSIFFLAGS, _LO_UP = 0x8914, struct.pack("16sh14x", b"lo", 1)  # IFF_UP
MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_BIND, MNT_DETACH = 2, 4, 8, 4096, 2
_PR_SET_PDEATHSIG, _PR_SET_SECCOMP, _PR_CAPBSET_DROP = 1, 22, 24
_PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS = 36, 38
_SECCOMP_MODE_FILTER = 2
_LANDLOCK_CREATE_RULESET, _LANDLOCK_ADD_RULE, _LANDLOCK_RESTRICT_SELF = 444, 445, 446
_CAPABILITY_VERSION_3 = 0x20080522

# Access bits of landlock. A kernel supports the first ones of them, depending on its ABI.
READ = 1 << 0 | 1 << 2 | 1 << 3  # execute, read files, read directories
WRITE_FILE, TRUNCATE = 1 << 1, 1 << 14
MAKE = 1 << 4 | 1 << 5 | 1 << 7 | 1 << 8 | 1 << 9 | 1 << 10 | 1 << 12  # remove, and make all but device files
REFER = 1 << 13  # rename and link from one directory into another
_KNOWN_BITS = {1: 13, 2: 14, 3: 15, 4: 15}  # ABI 5 added device ioctls, the 16th

_libc = ctypes.CDLL(None, use_errno=True)
_every_signal, _heeded = b"\xff" * 128, ctypes.create_string_buffer(128)
_capset = _libc.capset  # looked up before the fork
_stack = ctypes.create_string_buffer(1 << 14)  # for the process that only waits


def _check(result: int, act: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{act}: {os.strerror(number)}")
    return result


def _syscall(act: str, number: int, *arguments: object) -> int:
    return _check(_libc.syscall(ctypes.c_long(number), *arguments), act)


def _prctl(act: str, option: int, *arguments: int) -> None:
    words = [ctypes.c_ulong(word) for word in (*arguments, 0, 0, 0, 0)[:4]]
    _check(_libc.prctl(ctypes.c_int(option), *words), act)


def unshare(flags: int) -> None:
    """Leave the namespaces of these flags. A new pid namespace holds only the children."""
    _check(_libc.unshare(ctypes.c_int(flags)), "unshare")


def setns(fd: int, kind: int) -> None:
    """Enter a namespace by its file."""
    _check(_libc.setns(ctypes.c_int(fd), ctypes.c_int(kind)), "setns")


def loopback_up() -> None:
    """Enable the loopback interface of the network namespace: 127.0.0.1 and ::1."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, _LO_UP)


def start_idler() -> int:
    """Start a process that waits forever, reaps what it adopts and ignores all signals except SIGKILL.

    It runs one function of libc in our memory: unlike a fork, it copies nothing and writes nothing.
    """
    top = (ctypes.addressof(_stack) + len(_stack)) & ~15
    # Through libc: the module `signal` creates an enum member per signal, which took longest here.
    _libc.sigprocmask(signal.SIG_BLOCK, _every_signal, _heeded)
    _libc.signal(signal.SIGCHLD, ctypes.c_void_p(_SIG_IGN))
    child = _libc.clone(_libc.pause, ctypes.c_void_p(top), _CLONE_VM | signal.SIGCHLD, None)
    _libc.signal(signal.SIGCHLD, ctypes.c_void_p(_SIG_DFL))
    _libc.sigprocmask(signal.SIG_SETMASK, _heeded, None)
    return _check(child, "clone")


def mount(kind: str, target: str, flags: int, options: str = "") -> None:
    """Mount a fresh file system."""
    _check(
        _libc.mount(kind.encode(), target.encode(), kind.encode(), ctypes.c_ulong(flags), options.encode() or None),
        f"mount {kind}",
    )


def cover(target: str, source: str) -> None:
    """Bind one file over another."""
    _check(_libc.mount(source.encode(), target.encode(), None, ctypes.c_ulong(MS_BIND), None), f"cover {target}")


def unmount(target: str) -> None:
    """Unmount the topmost mount of a place, even if it is in use."""
    _check(_libc.umount2(target.encode(), ctypes.c_int(MNT_DETACH)), f"unmount {target}")


def trim_heap() -> None:
    """Return free memory to the system, so that a forked child that allocates it copies nothing."""
    if hasattr(_libc, "malloc_trim"):
        _libc.malloc_trim(ctypes.c_size_t(0))


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent dies."""
    _prctl("subreaper", _PR_SET_CHILD_SUBREAPER, 1)


def die_with_parent() -> None:
    """Ask the kernel to kill this process when its parent dies."""
    _prctl("parent death signal", _PR_SET_PDEATHSIG, 9)


def no_new_privileges() -> None:
    """Forbid every later exec to gain privileges."""
    _prctl("no_new_privs", _PR_SET_NO_NEW_PRIVS, 1)


def drop_bounding_set(capabilities: list[int]) -> None:
    """Forbid every later exec to gain these capabilities."""
    for capability in capabilities:
        _prctl("drop capability", _PR_CAPBSET_DROP, capability)


def drop_capabilities() -> None:
    """Drop every capability that this process holds."""
    header = struct.pack("<Ii", _CAPABILITY_VERSION_3, 0)
    _check(_capset(header, b"\0" * 24), "capset")


class Filter:
    """A seccomp filter, an array of struct sock_filter, in the memory layout of the kernel."""

    def __init__(self, program: bytes) -> None:
        self._array = ctypes.create_string_buffer(program, len(program))
        fprog = struct.pack("@HP", len(program) // 8, ctypes.addressof(self._array))
        self._fprog = ctypes.create_string_buffer(fprog, len(fprog))

    def install(self) -> None:
        """Apply the filter to this process and all that it starts."""
        _prctl("seccomp", _PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.addressof(self._fprog))


def landlock_abi() -> int:
    """Return the landlock version of the kernel; 0 if there is none."""
    return max(0, int(_libc.syscall(ctypes.c_long(_LANDLOCK_CREATE_RULESET), None, ctypes.c_size_t(0), 1)))


def landlock_ruleset(abi: int, allowed: list[tuple[str, int]]) -> int:
    """Create a ruleset that allows `allowed` under each path, and no outgoing signals or abstract sockets."""
    handled = (1 << _KNOWN_BITS.get(abi, 16)) - 1
    ruleset = struct.pack("<QQQ", handled, 0, 3 if abi >= 6 else 0)[: 8 if abi < 4 else 16 if abi < 6 else 24]
    fd = _syscall("landlock", _LANDLOCK_CREATE_RULESET, ruleset, ctypes.c_size_t(len(ruleset)), 0)
    for path, access in allowed:
        where = os.open(path, os.O_PATH | os.O_CLOEXEC)
        rule = struct.pack("<Qi", access & handled, where)
        _syscall(f"landlock {path}", _LANDLOCK_ADD_RULE, fd, 1, rule, 0)
        os.close(where)
    return fd


def landlock(ruleset: int) -> None:
    """Restrict this process to a ruleset."""
    _syscall("landlock", _LANDLOCK_RESTRICT_SELF, ruleset, 0)

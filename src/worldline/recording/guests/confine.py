"""Confine a forked program: resource limits, refused system calls, and the order of the layers.

Runs inside the sandbox and imports nothing of worldline. The filter is a deny list, not an allow
list: namespaces and missing capabilities already refuse these calls, so this layer only reduces the
kernel's attack surface.
"""

from __future__ import annotations

import math
import os
import resource
import struct
from collections.abc import Iterable
from typing import NamedTuple

from . import kernel

SCRATCH = "/box"  # the tmpfs of the program: work (its directory), tmp, shm
EPERM, ENOSYS, EAFNOSUPPORT = 1, 38, 97
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_NEW_NAMESPACES = 0x7E020000 | 0x80
_TERMINAL_IOCTLS = (0x5412, 0x541C, 0x541D)  # TIOCSTI, TIOCLINUX, TIOCCONS
# F_SETLEASE, F_NOTIFY, F_SETDELEG: they observe who opens a file, even on the host.
_WATCHING_FCNTLS = (1024, 1026, 1040)
_SOL_SOCKET, _BUFFER_SIZES = 1, (7, 8)  # SO_SNDBUF, SO_RCVBUF
# unix and IP, which the empty network namespace confines; vsock and others it does not.
_FAMILIES = (1, 2, 10)
_CLONE3 = 435
MAX_FILES = 1024
_PROCESSORS = os.cpu_count() or 1
_MIN_FILES = 32
# The most that the buffers of one socket hold, measured on Linux 6.18 over the loopback.
_SOCKET_BYTES = 4 << 20

_NEW = (
    "425 426 427 428 429 430 431 432 433 438 440 442 443 447 448 451 457 458 467"
    # io_uring x3, open_tree, move_mount, fsopen, fsconfig, fsmount, fspick, pidfd_getfd, process_madvise,
    # mount_setattr, quotactl_fd, memfd_secret, process_mrelease, cachestat, statmount, listmount, open_tree_attr
)


class _Numbers(NamedTuple):
    """The numbers of system calls on one architecture."""

    audit: int  # its own name
    clone: int
    ioctl: int
    socket: int
    fcntl: int
    setsockopt: int
    prlimit: int
    zygotes: str  # what the zygote itself still needs: mount, umount2, unshare, setns
    everyones: str  # what nobody in the sandbox does
    hoards: str  # memory that no process maps: memfd_create, shmget, msgget, semget, vmsplice
    mknods: dict[int, int]  # mknod and mknodat, each with the place of the file's mode
    setpriority: int


_ARCHITECTURES = {
    "x86_64": _Numbers(
        0xC000003E, 56, 16, 41, 72, 54, 302, "165 166 272 308",
        # ptrace syslog uselib personality vhangup modify_ldt pivot_root _sysctl adjtimex chroot acct settimeofday
        "101 103 134 135 153 154 155 156 159 161 163 164 "
        # swapon swapoff reboot sethostname setdomainname iopl ioperm create_module init_module delete_module
        "167 168 169 170 171 172 173 174 175 176 "
        # quotactl nfsservctl io_setup lookup_dcookie clock_settime kexec_load add_key request_key keyctl
        "179 180 206 212 227 246 248 249 250 "
        # inotify_init inotify_add_watch inotify_init1 migrate_pages move_pages perf_event_open fanotify_init
        "253 254 294 256 279 298 300 "
        # name_to_handle_at open_by_handle_at clock_adjtime process_vm_readv process_vm_writev kcmp finit_module
        "303 304 305 310 311 312 313 "
        # kexec_file_load bpf userfaultfd
        "320 321 323 " + _NEW,
        "319 29 68 64 278", {133: 24, 259: 32}, 141,
    ),
    "aarch64": _Numbers(
        0xC00000B7, 220, 29, 198, 25, 208, 261, "40 39 97 268",
        # the same, less what this architecture never had
        "117 116 92 58 41 171 51 89 170 224 225 142 161 162 105 106 60 42 0 18 112 104 217 218 219 "
        "27 26 238 239 241 262 264 265 266 270 271 272 273 294 280 282 " + _NEW,
        "279 194 186 190 75", {33: 32}, 140,
    ),
}  # fmt: skip


def _statement(code: int, value: int, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("<HBBI", code, yes, no, value)


def _load(offset: int) -> bytes:
    return _statement(0x20, offset)


def _verdict(action: int) -> bytes:
    return _statement(0x06, action)


def _unless_equal(value: int, then: bytes) -> bytes:
    """Skip `then` unless the loaded word is `value`."""
    return _statement(0x15, value, 0, len(then) // 8) + then


def _refuse(number: int) -> bytes:
    return _verdict(_ERRNO | number)


def _for_each(numbers: Iterable[int], then: bytes) -> bytes:
    return b"".join(_unless_equal(number, then) for number in numbers)


def _unless_privileged(calls: _Numbers) -> bytes:
    """Refuse what needs a capability, for a kernel that does not ask for it: device files, a higher priority."""
    kind = _statement(0x54, 0xF000) + _for_each((0x2000, 0x6000), _refuse(EPERM)) + _verdict(_ALLOW)
    rules = [_unless_equal(number, _load(place) + kind) for number, place in calls.mknods.items()]
    raised = _load(32) + _statement(0x35, 1 << 31, 0, 1) + _refuse(EPERM) + _verdict(_ALLOW)
    return b"".join((*rules, _unless_equal(calls.setpriority, raised)))


def syscall_filters(machine: str, *, counted: bool, lenient: bool = False) -> tuple[bytes, bytes] | None:
    """Return the seccomp programs of the zygote and, on top of it, of its children.

    Installing a filter costs a third of a millisecond, inheriting one costs nothing. So everything that
    can be inherited is in the filter of the zygote.

    Args:
        machine: The architecture.
        counted: Whether a cgroup counts memory that no process maps. If not, such calls are refused.
        lenient: Whether this is gVisor's kernel, which does not ask for every capability.

    Returns:
        The two programs, or None for an unknown architecture.
    """
    if machine not in _ARCHITECTURES:
        return None
    calls = _ARCHITECTURES[machine]
    # The low words of the arguments, which is what the kernel uses.
    first, second, third = _load(16), _load(24), _load(32)
    flags = first + _statement(0x45, _NEW_NAMESPACES, 0, 1) + _refuse(EPERM) + _verdict(_ALLOW)
    sizes = _unless_equal(_SOL_SOCKET, third + _for_each(_BUFFER_SIZES, _refuse(EPERM))) + _verdict(_ALLOW)
    start = _load(4) + _statement(0x15, calls.audit, 1, 0) + _refuse(EPERM) + _load(0)
    hoards = _for_each(map(int, calls.hoards.split()), _refuse(ENOSYS)) + _unless_equal(
        calls.setsockopt, second + sizes
    )
    zygote = [
        start,
        _statement(0x35, 0x40000000, 0, 1) + _refuse(EPERM),  # x32 has numbers of its own
        _unless_equal(calls.clone, flags),
        _unless_equal(_CLONE3, _refuse(ENOSYS)),  # its flags lie in memory; libc falls back to clone
        _unless_equal(calls.ioctl, second + _for_each(_TERMINAL_IOCTLS, _refuse(EPERM)) + _verdict(_ALLOW)),
        _unless_equal(calls.fcntl, second + _for_each(_WATCHING_FCNTLS, _refuse(EPERM)) + _verdict(_ALLOW)),
        _unless_equal(calls.socket, first + _for_each(_FAMILIES, _verdict(_ALLOW)) + _refuse(EAFNOSUPPORT)),
        _for_each(map(int, calls.everyones.split()), _refuse(EPERM)),
        b"" if counted else hoards,
        _unless_privileged(calls) if lenient else b"",
        _verdict(_ALLOW),
    ]
    child = [
        start,
        _for_each(map(int, calls.zygotes.split()), _refuse(EPERM)),
        # Process 1 only keeps the namespace alive: its limits are not the program's.
        _unless_equal(calls.prlimit, first + _unless_equal(1, _refuse(EPERM))),
        _verdict(_ALLOW),
    ]
    return b"".join(zygote), b"".join(child)


def processor_seconds(limits: dict[str, float]) -> int:
    """Return the processor time of one process: more than its deadline, in case the host is suspended."""
    return math.ceil(limits["wall"]) * _PROCESSORS + 2


def files_at_once(limits: dict[str, float], *, counted: bool) -> int:
    """Return how many files a program may open.

    Without a cgroup that counts their buffers, all sockets together must not hold more than `memory`.
    """
    return MAX_FILES if counted else min(MAX_FILES, max(_MIN_FILES, int(limits["memory"]) // _SOCKET_BYTES))


def set_rlimits(
    limits: dict[str, float],
    *,
    processes: int,
    files: int,
    address_space: int | None,
    wide: bool,
    without: tuple[int, ...] = (),
) -> None:
    """Set the limits of one process. If there is a cgroup, it bounds all processes together.

    Args:
        limits: The limits of the run.
        processes: The most processes; 0 for no limit.
        files: The most open files.
        address_space: The most memory, or None.
        wide: For a virtual machine that maps more than it uses, limit only writable memory.
        without: The limits that this kernel lets nobody set.
    """
    bounds = {
        resource.RLIMIT_CORE: 0,
        # Above the bound of the file system, which has one page to spare, so that it comes first.
        resource.RLIMIT_FSIZE: int(limits["disk"]) + 2 * resource.getpagesize(),
        resource.RLIMIT_NOFILE: files,
        resource.RLIMIT_MEMLOCK: 1 << 20,
        resource.RLIMIT_MSGQUEUE: 1 << 16,
        resource.RLIMIT_CPU: processor_seconds(limits),
    }
    if processes:
        bounds[resource.RLIMIT_NPROC] = processes
    if address_space:
        bounds[resource.RLIMIT_DATA if wide else resource.RLIMIT_AS] = address_space
    for kind, bound in bounds.items():
        if kind in without:
            continue
        bound = _up_to_hard(kind, bound)
        resource.setrlimit(kind, (bound, bound))
    # Only the soft limit: programs that recurse deeply may raise it for their threads.
    stack = _up_to_hard(resource.RLIMIT_STACK, 8 << 20)
    resource.setrlimit(resource.RLIMIT_STACK, (stack, resource.getrlimit(resource.RLIMIT_STACK)[1]))


def _up_to_hard(kind: int, bound: int) -> int:
    hard = resource.getrlimit(kind)[1]
    return bound if hard == resource.RLIM_INFINITY else min(bound, hard)


def _bounding_set() -> list[int]:
    """Return the capabilities that an exec could still gain. bubblewrap has left few of them."""
    with open("/proc/self/status") as file:
        mask = next(int(line.split()[1], 16) for line in file if line.startswith("CapBnd:"))
    return [bit for bit in range(mask.bit_length()) if mask >> bit & 1]


class Confinement:
    """The layers for all programs of one zygote. The zygote confines itself, and its children inherit it."""

    def __init__(self, machine: str, *, counted: bool, lenient: bool = False) -> None:
        filters = syscall_filters(machine, counted=counted, lenient=lenient)
        if filters is None:
            raise OSError(ENOSYS, f"no system call filter is known for {machine}")
        everyones, self.filter = map(kernel.Filter, filters)
        self.abi = kernel.landlock_abi()
        writable = kernel.READ | kernel.WRITE_FILE | kernel.TRUNCATE | kernel.MAKE | kernel.REFER
        self.allowed = [("/", kernel.READ), ("/dev", kernel.READ | kernel.WRITE_FILE), (SCRATCH, writable)]
        kernel.no_new_privileges()
        kernel.drop_bounding_set(_bounding_set())
        everyones.install()

    def ruleset(self) -> tuple[int, ...]:
        """Return the landlock rules for the current tmpfs, or nothing if there is no landlock."""
        return (kernel.landlock_ruleset(self.abi, self.allowed),) if self.abi else ()

    def apply(self, ruleset: tuple[int, ...]) -> None:
        """Confine a child permanently: capabilities, files, system calls."""
        kernel.drop_capabilities()
        for rules in ruleset:
            kernel.landlock(rules)
            os.close(rules)
        self.filter.install()

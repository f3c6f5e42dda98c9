"""What a probe knows of the outside, and how it tells that it got there. Travels into the box with every probe.

A probe prints `attempted`, tries one thing, and calls `escaped` only if it worked. Most leave a second mark by
themselves: a file, a connection, a secret in the output, a process that lives on.
"""

import ctypes
import os
import platform
import sys

MARK, CANARY, HOME, PORT, UNIX, ABSTRACT, VICTIM, TOKEN = sys.argv[1:9]
libc = ctypes.CDLL(None, use_errno=True)

NUMBERS = {
    "x86_64": {
        "ptrace": 101, "syslog": 103, "personality": 135, "pivot_root": 155, "chroot": 161, "acct": 163,
        "settimeofday": 164, "mount": 165, "swapon": 167, "reboot": 169, "sethostname": 170, "iopl": 172,
        "init_module": 175, "quotactl": 179, "clock_settime": 227, "kexec_load": 246, "add_key": 248, "keyctl": 250,
        "unshare": 272, "perf_event_open": 298, "fanotify_init": 300, "name_to_handle_at": 303,
        "open_by_handle_at": 304, "setns": 308, "process_vm_readv": 310, "kcmp": 312, "bpf": 321, "userfaultfd": 323,
        "io_uring_setup": 425, "open_tree": 428, "fsopen": 430, "clone": 56, "clone3": 435, "pidfd_open": 434,
        "pidfd_getfd": 438, "fcntl": 72, "inotify_init": 253, "inotify_init1": 294, "io_setup": 206, "cachestat": 451,
    },
    "aarch64": {
        "ptrace": 117, "syslog": 116, "personality": 92, "pivot_root": 41, "chroot": 51, "acct": 89,
        "settimeofday": 170, "mount": 40, "swapon": 224, "reboot": 142, "sethostname": 161,
        "init_module": 105, "quotactl": 60, "clock_settime": 112, "kexec_load": 104, "add_key": 217, "keyctl": 219,
        "unshare": 97, "perf_event_open": 241, "fanotify_init": 262, "name_to_handle_at": 264,
        "open_by_handle_at": 265, "setns": 268, "process_vm_readv": 270, "kcmp": 272, "bpf": 280, "userfaultfd": 282,
        "io_uring_setup": 425, "open_tree": 428, "fsopen": 430, "clone": 220, "clone3": 435, "pidfd_open": 434,
        "pidfd_getfd": 438, "fcntl": 25, "inotify_init1": 26, "io_setup": 0, "cachestat": 451,
    },
}  # fmt: skip

print("attempted", flush=True)


def escaped(how):
    """Say so, and leave a file outside if that is possible."""
    print("escaped:", how, flush=True)
    try:
        with open(MARK, "a") as file:
            file.write(f"{how}\n")
    except OSError:
        pass


def attempt(act, *arguments):
    """Whether the act raised no OSError, ValueError or KeyError."""
    try:
        result = act(*arguments)
    except (OSError, ValueError, KeyError) as error:
        print("refused:", error)
        return False
    escaped(f"{act.__name__}{arguments[:2]} gave {result!r}"[:300])
    return True


def syscall(name, *arguments):
    """Call the kernel directly; any result but an error is an escape. The result, or minus the error's number."""
    number = NUMBERS[platform.machine()].get(name)
    if number is None:
        return -38
    words = [ctypes.c_long(word) if isinstance(word, int) else word for word in arguments]
    result = libc.syscall(ctypes.c_long(number), *words)
    if result >= 0:
        escaped(f"{name} gave {result}")
        return result
    print("refused:", name, os.strerror(ctypes.get_errno()))
    return -ctypes.get_errno()


def read(path):
    """Print what a file holds, if it can be read."""
    with open(path, "rb") as file:
        data = file.read(4096)
    print(data)
    return len(data)


def name_me():
    """Carry a name that the host can look for among its processes."""
    libc.prctl(15, TOKEN.encode(), 0, 0, 0)

"""A program that prints all it can see of what a process hands down to those it starts. Recorded by test_launch.py."""

import ctypes
import json
import os
import resource
import threading

STATUS = (
    "SigIgn", "SigBlk", "SigPnd", "ShdPnd", "SigCgt", "Umask", "Groups", "CapInh", "CapPrm", "CapEff", "CapBnd",
    "CapAmb", "NoNewPrivs", "Seccomp", "Cpus_allowed_list", "Mems_allowed_list", "THP_enabled",
)  # fmt: skip
FILES = (
    "limits", "oom_score_adj", "personality", "timerslack_ns", "coredump_filter", "loginuid", "sessionid", "cgroup",
    "comm",
)  # fmt: skip
IOPRIO_GET = {"x86_64": 252, "aarch64": 31}
PR_GET_DUMPABLE, PR_GET_SECUREBITS = 3, 27


def look():
    """Everything, by name."""
    libc = ctypes.CDLL(None)
    with open("/proc/self/status") as file:
        status = dict(line.rstrip("\n").split(":", 1) for line in file)
    seen = {name: status.get(name) for name in STATUS}
    for name in FILES:
        if os.path.exists(f"/proc/self/{name}"):
            with open(f"/proc/self/{name}") as file:
                seen[name] = file.read()
    if os.path.exists("/proc/self/numa_maps"):
        with open("/proc/self/numa_maps") as file:
            seen["memory policy"] = file.read().split()[1]
    seen |= {
        "umask": os.umask(0), "nice": os.getpriority(os.PRIO_PROCESS, 0), "policy": os.sched_getscheduler(0),
        "processors": sorted(os.sched_getaffinity(0)), "session": [os.getsid(0), os.getpgid(0), os.getppid()],
        "disk priority": libc.syscall(ctypes.c_long(IOPRIO_GET[os.uname().machine]), 1, 0),
        "dumpable": libc.prctl(PR_GET_DUMPABLE), "secure bits": libc.prctl(PR_GET_SECUREBITS),
        "environment": dict(os.environ), "files": os.listdir("/proc/self/fd"), "place": os.getcwd(),
        "stack": resource.getrlimit(resource.RLIMIT_STACK), "terminal": os.path.exists("/dev/tty"),
        "addresses": [id(json), id(threading.Thread), id(object())],
    }  # fmt: skip
    return seen


print(json.dumps(look()))

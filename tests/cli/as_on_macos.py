"""Executes the command line as on macOS, as far as Linux can show it: its name, and no call that only Linux has.

It cannot show other libraries, another linker or processor. Wheels for macOS are tested where they are built.
"""

from __future__ import annotations

import fcntl
import os
import platform
import resource
import select
import signal
import sys

LINUX_ONLY = {
    os: "memfd_create pidfd_open sched_getaffinity sched_setaffinity eventfd O_PATH O_TMPFILE splice unshare setns "
    "copy_file_range getrandom posix_fallocate posix_fadvise MFD_CLOEXEC MFD_ALLOW_SEALING",
    fcntl: "F_ADD_SEALS F_GET_SEALS F_SETPIPE_SZ F_NOTIFY",
    resource: "prlimit RLIMIT_NICE RLIMIT_RTPRIO RLIMIT_SIGPENDING RLIMIT_MSGQUEUE RLIMIT_RTTIME",
    select: "epoll",
    signal: "sigtimedwait sigwaitinfo pidfd_send_signal",
}

for module, names in LINUX_ONLY.items():
    for name in names.split():
        if hasattr(module, name):
            delattr(module, name)
sys.platform = "darwin"
platform.system = lambda: "Darwin"
platform.mac_ver = lambda *_, **__: ("15.1", ("", "", ""), "arm64")  # type: ignore[assignment]

from worldline.cli import main  # noqa: E402

sys.exit(main(sys.argv[1:]))

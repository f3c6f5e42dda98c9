"""Contain the zygote with gVisor: its command `runsc` executes an OCI bundle on a kernel of its own in user space.

A program's system calls reach that kernel, not the host's. It has no descriptors of processes and
older releases leave no namespace, so a sandbox executes one program and ends with it
(`guests/own_kernel.py`). Proven with the releases 20221219 and 20240729, which Debian 12 and 13 package.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

from worldline.recording import sandbox_plan
from worldline.recording.providers.provider import SandboxLaunch
from worldline.recording.sandbox_plan import SCRATCH, SandboxPlan

# The zygote becomes the program's user in each child, ends its processes and gives up what it holds. None for files.
CAPABILITIES = ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP", "CAP_KILL", "CAP_CHOWN")
NAMESPACES = ("pid", "mount", "ipc", "network", "uts")
OPEN_FILES, STACK = 4096, 8 << 20


class Gvisor:
    """gVisor, with one sandbox for each program."""

    name = "gvisor"
    executable = "runsc"
    package = "runsc"
    changes_user = False  # it confines its own processes, also root's
    single_use = True
    processes = 1024
    socket: int | None = 0  # it hands on nothing but the standard files

    def launch(self, plan: SandboxPlan, zygote: list[str], folder: str) -> SandboxLaunch:
        """Write the bundle into the folder and return the command of runsc."""
        root = Path(folder, "rootfs")
        root.mkdir()
        for path, target in sandbox_plan.links():
            os.symlink(target, root / path.strip("/"))
        Path(folder, "config.json").write_text(json.dumps(_config(plan, zygote)))
        command = [shutil.which(self.executable) or self.executable]
        command += [f"--root={folder}/state", "--network=none", "--ignore-cgroups", "--log=/dev/null"]
        command += ["--rootless"] if os.geteuid() != 0 else []
        return SandboxLaunch([*command, "run", f"--bundle={folder}", os.path.basename(folder)])

    def explain(self, words: str) -> str:
        """Name the likely cause if runsc says that it may not do something."""
        if any(part in words for part in ("permitted", "ermission", "namespace")):
            return (
                f"gVisor may not start here (it needs user namespaces or root; in a container, `--privileged`): {words}"
            )
        return ""


def _config(plan: SandboxPlan, zygote: list[str]) -> dict[str, Any]:
    """Return the configuration of the bundle. Root inside is a user of gVisor's kernel, not of the host."""
    disk = f"size={plan.limits.disk + 4096}"
    mounts: list[dict[str, Any]] = [
        {"destination": "/proc", "type": "proc", "source": "proc"},
        # Empty, instead of one that gVisor makes up.
        {"destination": "/sys", "type": "tmpfs", "source": "tmpfs", "options": ["ro", "size=4096"]},
        _tmpfs("/tmp", disk, "mode=1777"),
        _tmpfs(SCRATCH, disk, "mode=755"),
    ]
    for source, target in sandbox_plan.read_only_files(plan):
        mounts.append({"destination": target, "type": "bind", "source": source, "options": ["rbind", "ro"]})
    limits = {"RLIMIT_NOFILE": OPEN_FILES, "RLIMIT_STACK": STACK}
    return {
        "ociVersion": "1.0.2",
        "process": {
            "user": {"uid": 0, "gid": 0},
            "args": zygote,
            "env": [f"{name}={value}" for name, value in plan.inside.items()],
            "cwd": "/",
            "noNewPrivileges": True,
            "capabilities": dict.fromkeys(("bounding", "effective", "permitted"), CAPABILITIES),
            "rlimits": [{"type": name, "soft": bound, "hard": bound} for name, bound in limits.items()],
        },
        "root": {"path": "rootfs", "readonly": True},
        "hostname": "box",
        "mounts": mounts,
        "linux": {"namespaces": [{"type": name} for name in NAMESPACES]},
    }


def _tmpfs(target: str, *options: str) -> dict[str, Any]:
    return {"destination": target, "type": "tmpfs", "source": "tmpfs", "options": ["nosuid", "nodev", *options]}

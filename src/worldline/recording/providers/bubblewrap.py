"""Contain the zygote with bubblewrap: namespaces of this kernel around it, and read-only binds of the host."""

from __future__ import annotations

import shutil
from pathlib import Path

from worldline.recording import sandbox_plan
from worldline.recording.providers.provider import SandboxLaunch
from worldline.recording.sandbox_plan import INSIDE, SCRATCH, SandboxPlan

STAGE = "/tmp"  # launch.py puts the files of the sandbox here
DEVICES = ("null", "zero", "full", "random", "urandom")
# The zygote needs these to create namespaces and a tmpfs. No program keeps them.
CAPABILITIES = ("CAP_SYS_ADMIN", "CAP_NET_ADMIN", "CAP_SETPCAP")


class Bubblewrap:
    """bubblewrap, with one zygote for many programs."""

    name = "bwrap"
    executable = "bwrap"
    package = "bubblewrap"
    changes_user = True
    single_use = False
    processes = 0
    socket: int | None = None

    def launch(self, plan: SandboxPlan, zygote: list[str], folder: str) -> SandboxLaunch:
        """Return the command of bubblewrap. It binds from the stage; without one, launch.py puts the sources back."""
        devices = [("--dev-bind", f"/dev/{name}", f"/dev/{name}") for name in DEVICES]
        files = [("--ro-bind", source, target) for source, target in sandbox_plan.read_only_files(plan)]
        sources = [source for _, source, _ in (*devices, *files)]
        command = [shutil.which(self.executable) or self.executable]
        command += ["--unshare-all", "--die-with-parent", "--new-session", "--clearenv", "--hostname", "box"]
        command += ["--uid", str(INSIDE), "--gid", str(INSIDE), "--cap-drop", "ALL"]
        for capability in CAPABILITIES:
            command += ["--cap-add", capability]
        for name, value in plan.inside.items():
            command += ["--setenv", name, value]
        binds = [[kind, f"{STAGE}/{number}", target] for number, (kind, _, target) in enumerate((*devices, *files))]
        command += ["--proc", "/proc", "--dir", SCRATCH, "--tmpfs", "/dev"]
        for bind in binds[: len(devices)]:
            command += bind
        command += _device_links()
        for path, target in sandbox_plan.links():
            command += ["--symlink", target, path]
        if not any(Path(path).is_relative_to("/tmp") for path in sandbox_plan.directories(plan)):
            command += ["--symlink", f"{SCRATCH}/tmp", "/tmp"]
        for bind in binds[len(devices) :]:
            command += bind
        command += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/", "--", *zygote]
        return SandboxLaunch(command, sources)

    def explain(self, words: str) -> str:
        """Explain a kernel that grants no namespaces."""
        if "namespace" in words or "uid map" in words or "Operation not permitted" in words:
            return (
                "this system does not let bubblewrap create user namespaces (see kernel.unprivileged_userns_clone, "
                "user.max_user_namespaces, kernel.apparmor_restrict_unprivileged_userns; in a container they need "
                f"`--security-opt seccomp=unconfined` or `--privileged`): {words}"
            )
        return ""


def _device_links() -> list[str]:
    command: list[str] = []
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        command += ["--symlink", f"/proc/self/fd/{number}", f"/dev/{name}"]
    return [*command, "--symlink", "/proc/self/fd", "/dev/fd", "--symlink", f"{SCRATCH}/shm", "/dev/shm"]

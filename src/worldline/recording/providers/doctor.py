"""Find out what this machine offers for executing programs, by trying it: `worldline doctor`.

Each sandbox executes one tiny program. What surrounds it (namespaces, cgroups, seccomp, landlock) is
tried in a child process, so that this process stays as it is.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

from worldline.core.errors import NoSandbox
from worldline.core.machine.report import Capability, MachineReport
from worldline.core.program import Program
from worldline.recording import cgroup, native
from worldline.recording.guests import kernel
from worldline.recording.interpreter import find
from worldline.recording.providers import PROVIDERS, surroundings
from worldline.recording.recorder import record, using_sandbox
from worldline.recording.sandbox import NOTHING_RUNS

TITLES = {"bwrap": "bubblewrap", "gvisor": "gVisor"}
_NEW_USER = "import ctypes, os, sys; l = ctypes.CDLL(None, use_errno=True)\n"
_NEW_USER += "sys.exit(l.unshare(0x10000000) and os.strerror(ctypes.get_errno()))"
_SETTINGS = {
    "kernel/unprivileged_userns_clone": "0",
    "user/max_user_namespaces": "0",
    "kernel/apparmor_restrict_unprivileged_userns": "1",
}


def doctor() -> MachineReport:
    """Find out in which sandbox this machine executes programs, and what is missing.

    Returns:
        The report: each capability with what was found and what to do, and a conclusion.
    """
    kind = surroundings.container() if surroundings.is_linux() else ""
    if not surroundings.is_linux():
        return MachineReport(surroundings.system(), kind, "", (), f"{_elsewhere()} {NOTHING_RUNS}.")
    sandboxes = {name: _sandbox(name) for name in PROVIDERS}
    working = next((name for name, capability in sandboxes.items() if capability.works), "")
    capabilities = (*sandboxes.values(), _namespaces(), _cgroup(), _seccomp(), _landlock(), _recorder(), _engine())
    return MachineReport(surroundings.system(), kind, working, capabilities, _conclusion(working, kind))


def _elsewhere() -> str:
    return (
        f"{surroundings.system()} executes no programs: use Linux, in a container (`docker run --privileged`) or a "
        "virtual machine."
    )


def _conclusion(working: str, kind: str) -> str:
    if working:
        other = "" if working == "bwrap" else f": `--sandbox {working}` is chosen"
        return f"Programs are executed in {TITLES[working]}{other}."
    hint = surroundings.opened(kind) or "install the package bubblewrap"
    return f"No sandbox starts: {hint}. `--trust` executes programs without one, as yourself. {NOTHING_RUNS}."


def _sandbox(name: str) -> Capability:
    """Execute a program in a sandbox."""
    provider = PROVIDERS[name]
    path = shutil.which(provider.executable)
    if path is None:
        advice = f"install the package {provider.package}"
        if name != "bwrap":
            advice = f"only for `--sandbox {name}`: {advice}"
        return Capability(TITLES[name], False, f"no command {provider.executable}", advice)
    version = _printed([path, "--version"]).splitlines() or [""]
    try:
        with using_sandbox(name):
            trace = record(Program(source="pass"))
    except NoSandbox as error:
        return Capability(TITLES[name], False, f"{path} does not start", str(error))
    if trace.outcome.kind != "returned":
        return Capability(TITLES[name], False, f"{path}: {trace.outcome.kind} {trace.outcome.detail}".strip())
    return Capability(TITLES[name], True, f"{path}, {version[0]}")


def _namespaces() -> Capability:
    title = "user namespaces"
    done = subprocess.run([sys.executable, "-c", _NEW_USER], capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return Capability(title, True, "this user may create them")
    refusing = [name.replace("/", ".") for name, value in _SETTINGS.items() if _setting(name) == value]
    why = f"{done.stderr.strip()}" + (f" (see {', '.join(refusing)})" if refusing else "")
    hint = surroundings.opened(surroundings.container()) or "allow them for your user, or at least for bwrap"
    return Capability(title, False, why, f"bubblewrap needs them: {hint}")


def _setting(name: str) -> str:
    path = Path("/proc/sys", name)
    return path.read_text().strip() if path.exists() else ""


def _cgroup() -> Capability:
    group = cgroup.make(f"worldline-{os.getpid()}-doctor")
    if group is None:
        lost = "`memory` then bounds each process, not the whole program: delegate a cgroup, or start as root"
        return Capability("cgroup", False, "none may be created", lost)
    group.remove()
    return Capability("cgroup", True, f"version {group.version}")


def _seccomp() -> Capability:
    if Path("/proc/sys/kernel/seccomp/actions_avail").exists():
        return Capability("seccomp", True, "filters of system calls")
    return Capability("seccomp", False, "the kernel has none", "a sandbox needs it: use a kernel with CONFIG_SECCOMP")


def _landlock() -> Capability:
    version = kernel.landlock_abi()
    if version:
        return Capability("landlock", True, f"version {version}")
    lost = "a layer is missing, and read-only binds remain: use Linux 5.13 or newer with landlock enabled"
    return Capability("landlock", False, "the kernel has none", lost)


def _recorder() -> Capability:
    recorder = native.recorder_for(find(None).executable)
    if recorder is not None:
        return Capability("native recorder", True, Path(recorder).name)
    return Capability(
        "native recorder", False, "not built", "recording is slower: install a C compiler, then worldline again"
    )


def _engine() -> Capability:
    spec = importlib.util.find_spec("worldline._engine")
    if spec is not None and spec.origin is not None:
        return Capability("native engine", True, Path(spec.origin).name)
    return Capability(
        "native engine", False, "not built", "local models predict slower: install a C compiler, then worldline again"
    )


def _printed(command: list[str]) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""

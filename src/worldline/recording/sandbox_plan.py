"""Plan a sandbox: the command lines of bubblewrap and of the zygote, and the user that runs them.

Nothing here starts a process. The sandbox does not contain the host's root, home, /etc, devices
and processes, because nothing binds them. All that is bound is read-only.
"""

from __future__ import annotations

import json
import marshal
import os
import shutil
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from worldline.core.limits import Limits
from worldline.recording.interpreter import Python
from worldline.recording.languages.toolchain import Toolchain

GUESTS = Path(__file__).parent / "guests"
INSIDE = 1000
SCRATCH = "/box"
STAGE = "/tmp"  # launch.py puts the files of the sandbox here
HOME = "/worldline"
# Bubblewrap's first process, the zygote, and the first process of the program's namespace.
EXTRA_PROCESSES = 3
SYSTEM_LINKS = ("/bin", "/lib", "/lib32", "/lib64", "/libx32", "/sbin")
SYSTEM_FILES = ("/etc/ld.so.cache", "/etc/alternatives")
DEVICES = ("null", "zero", "full", "random", "urandom")
ENVIRONMENT = {"PYTHONHASHSEED": "0", "TZ": "UTC", "LC_ALL": "C.UTF-8", "LANG": "C.UTF-8", "PATH": "/usr/bin:/bin"}
_BOOT = """
import sys, importlib.util as util
folder = {folder!r}
spec = util.spec_from_file_location("_worldline", folder + "/__init__.py", submodule_search_locations=[folder])
sys.modules["_worldline"] = module = util.module_from_spec(spec)
spec.loader.exec_module(module)
from _worldline.zygote import main
main()
"""


@dataclass(frozen=True)
class SandboxPlan:
    """All settings of a sandbox, before it is started."""

    python: Python
    native: str | None = None  # the shared object of the native recorder on the host
    # The readable core records; the native one only swaps C functions for it.
    readable: bool = False
    guest: str = "python"
    toolchain: Toolchain | None = None  # for a language other than Python
    preparing: bool = False  # programs are compiled in it, but not executed
    tools: str | None = None  # the folder on the host with the tools built for this toolchain
    guest_folder: str | None = None  # replaces the package's own guests
    limits: Limits = field(default_factory=Limits)
    sandboxed: bool = True
    hash_seed: int = 0
    uid: int | None = None  # the user to switch to; None keeps the current user
    cgroups: tuple[str, ...] = ()

    @property
    def environment(self) -> dict[str, str]:
        """The environment variables of a program, whoever executes it."""
        return {**ENVIRONMENT, "PYTHONHASHSEED": str(self.hash_seed)}

    @property
    def native_inside(self) -> str | None:
        """The path of the native recorder inside the sandbox."""
        if self.native is None or not self.sandboxed:
            return self.native
        return f"{HOME}/native/{os.path.basename(self.native)}"

    @property
    def tools_inside(self) -> str | None:
        """The folder of the tools inside the sandbox."""
        return self.tools if self.tools is None or not self.sandboxed else f"{HOME}/tools"


@dataclass
class _Binds:
    """Binds from the stage. Without one, launch.py puts the sources back into the command."""

    sources: list[str] = field(default_factory=list)

    def add(self, kind: str, source: str, target: str) -> list[str]:
        self.sources.append(source)
        return [kind, f"{STAGE}/{len(self.sources) - 1}", target]


def launch_config(plan: SandboxPlan, socket: int) -> str:
    """Return the configuration of launch.py, which the same interpreter reads."""
    binds = _Binds()
    command = zygote_command(plan, socket)
    if plan.sandboxed:
        command = [*_bwrap(plan, binds), "--", *command]
    config: dict[str, Any] = {
        "cgroups": plan.cgroups,
        "uid": plan.uid,
        "stage": binds.sources,
        "at": STAGE,
        "command": command,
        "anew": plan.sandboxed,
        "environment": {} if plan.sandboxed else plan.environment,
    }
    return marshal.dumps(config).hex()


def zygote_command(plan: SandboxPlan, socket: int) -> list[str]:
    """Return the command of the zygote.

    The interpreter ignores the environment except for the hash seed, site packages, the user site and
    cached bytecode.
    """
    folder, stand_in = f"{HOME}/guests", plan.guest_folder and f"{HOME}/guest"
    if not plan.sandboxed:
        folder, stand_in = str(GUESTS), plan.guest_folder
    config = {
        "socket": socket,
        "sandboxed": plan.sandboxed,
        "paths": plan.python.libraries,
        "guest": plan.guest,
        "guest_folder": stand_in,
        "machine": plan.python.machine,
        "cgroup": bool(plan.cgroups),
        "native": plan.native_inside,
        "readable": plan.readable,
        "toolchain": plan.toolchain and plan.toolchain.as_config(),
        "wide": bool(plan.toolchain and plan.toolchain.kind.wide),
        "preparing": plan.preparing,
        "tools": plan.tools_inside,
        "extra_processes": EXTRA_PROCESSES,
        "limits": asdict(plan.limits),
    }
    options = ["-S", "-s", "-P", "-B"]
    return [plan.python.executable, *options, "-c", _BOOT.format(folder=folder), json.dumps(config)]


def _bwrap(plan: SandboxPlan, binds: _Binds) -> list[str]:
    command = [
        shutil.which("bwrap") or "bwrap",
        "--unshare-all",
        "--die-with-parent",
        "--new-session",
        "--clearenv",
        "--hostname",
        "box",
        "--uid",
        str(INSIDE),
        "--gid",
        str(INSIDE),
        # The zygote needs these to create namespaces and a tmpfs. No program keeps them.
        "--cap-drop",
        "ALL",
        "--cap-add",
        "CAP_SYS_ADMIN",
        "--cap-add",
        "CAP_NET_ADMIN",
        "--cap-add",
        "CAP_SETPCAP",
    ]
    for name, value in {**plan.environment, "HOME": f"{SCRATCH}/work", "TMPDIR": f"{SCRATCH}/tmp"}.items():
        command += ["--setenv", name, value]
    command += ["--proc", "/proc", "--dir", SCRATCH, *_system(binds), *_devices(binds)]
    needed = (*plan.python.directories, *(plan.toolchain.directories if plan.toolchain else ()))
    directories = [path for path in dict.fromkeys(needed) if not Path(path).is_relative_to("/usr")]
    if not any(Path(path).is_relative_to("/tmp") for path in directories):
        command += ["--symlink", f"{SCRATCH}/tmp", "/tmp"]
    for path in directories:
        command += binds.add("--ro-bind", path, path)
    command += binds.add("--ro-bind", str(GUESTS), f"{HOME}/guests")
    if plan.guest_folder:
        command += binds.add("--ro-bind", plan.guest_folder, f"{HOME}/guest")
    if plan.native and plan.native_inside:
        command += binds.add("--ro-bind", plan.native, plan.native_inside)
    if plan.tools and plan.tools_inside:
        command += binds.add("--ro-bind", plan.tools, plan.tools_inside)
    return [*command, "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/"]


def _system(binds: _Binds) -> list[str]:
    """Bind shared libraries and the commands beside them; of /etc only the files of the dynamic linker."""
    command = binds.add("--ro-bind", "/usr", "/usr")
    for path in SYSTEM_LINKS:
        if os.path.islink(path):
            command += ["--symlink", os.readlink(path), path]
        elif os.path.isdir(path):
            command += binds.add("--ro-bind", path, path)
    for path in SYSTEM_FILES:
        if os.path.exists(path):
            command += binds.add("--ro-bind", path, path)
    return command


def _devices(binds: _Binds) -> list[str]:
    command = ["--tmpfs", "/dev"]
    for name in DEVICES:
        command += binds.add("--dev-bind", f"/dev/{name}", f"/dev/{name}")
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        command += ["--symlink", f"/proc/self/fd/{number}", f"/dev/{name}"]
    return [*command, "--symlink", "/proc/self/fd", "/dev/fd", "--symlink", f"{SCRATCH}/shm", "/dev/shm"]

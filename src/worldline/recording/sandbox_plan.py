"""Plan a sandbox: its settings, the command line of the zygote, and the files of the host that are inside.

Nothing here starts a process. The sandbox does not contain the host's root, home, /etc, devices
and processes, because nothing binds them. All that is bound is read-only. How a plan becomes a
command, `providers/` knows.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path

from worldline.core.limits import Limits
from worldline.recording.interpreter import Python
from worldline.recording.languages.libraries import HostLibrary
from worldline.recording.languages.toolchain import Toolchain

GUESTS = Path(__file__).parent / "guests"
INSIDE = 1000
SCRATCH = "/box"
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
    libraries: tuple[HostLibrary, ...] = ()  # that programs of another language than Python may use
    guest_folder: str | None = None  # replaces the package's own guests
    limits: Limits = field(default_factory=Limits)
    sandboxed: bool = True
    provider: str = "bwrap"  # what contains the programs, if `sandboxed`
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

    @property
    def libraries_inside(self) -> list[str]:
        """The paths of the libraries inside the sandbox."""
        if not self.sandboxed:
            return [library.path for library in self.libraries]
        names = [os.path.basename(library.path) for library in self.libraries]
        return [f"{HOME}/libraries/{number}/{name}" for number, name in enumerate(names)]

    @property
    def inside(self) -> dict[str, str]:
        """The environment variables inside the sandbox."""
        return {**self.environment, "HOME": f"{SCRATCH}/work", "TMPDIR": f"{SCRATCH}/tmp"}


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
        "own_kernel": plan.sandboxed and plan.provider == "gvisor",
        "limits": asdict(plan.limits),
    }
    options = ["-S", "-s", "-P", "-B"]
    return [plan.python.executable, *options, "-c", _BOOT.format(folder=folder), json.dumps(config)]


def read_only_files(plan: SandboxPlan) -> list[tuple[str, str]]:
    """Return the files and folders of the host that are inside, each with its path there.

    These are shared libraries and the commands beside them, of /etc only the files of the dynamic
    linker, then the interpreter, the toolchain, the recorder and the libraries that the user named.
    """
    system = ["/usr", *(path for path in SYSTEM_LINKS if os.path.isdir(path) and not os.path.islink(path))]
    system += [path for path in SYSTEM_FILES if os.path.exists(path)]
    pairs = [(path, path) for path in (*system, *directories(plan))]
    pairs.append((str(GUESTS), f"{HOME}/guests"))
    if plan.guest_folder:
        pairs.append((plan.guest_folder, f"{HOME}/guest"))
    if plan.native and plan.native_inside:
        pairs.append((plan.native, plan.native_inside))
    if plan.tools and plan.tools_inside:
        pairs.append((plan.tools, plan.tools_inside))
    pairs += zip((library.path for library in plan.libraries), plan.libraries_inside, strict=True)
    return pairs


def directories(plan: SandboxPlan) -> list[str]:
    """Return the directories of the interpreter and the toolchain outside /usr."""
    needed = (*plan.python.directories, *(plan.toolchain.directories if plan.toolchain else ()))
    return [path for path in dict.fromkeys(needed) if not Path(path).is_relative_to("/usr")]


def links() -> list[tuple[str, str]]:
    """Return the symbolic links at the root of the host, each with its target."""
    return [(path, os.readlink(path)) for path in SYSTEM_LINKS if os.path.islink(path)]

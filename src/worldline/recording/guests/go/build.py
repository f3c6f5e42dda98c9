"""Compile the Go code of the guest with the Go of the user: the pass, a program, and the recorder, a package.

This happens once per toolchain, in a sandbox without a program and without a network.
"""

from __future__ import annotations

import os
import platform
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from ..refused import Refused
from . import runtime

PASS = "pass"
_HERE = Path(__file__).parent
_KNOWN = "1.19"  # the recorder reads maps and panics as its runtime has them
_MACHINES = {"x86_64": "amd64", "aarch64": "arm64"}


def check_version(toolchain: dict[str, Any]) -> None:
    """Refuse a Go whose runtime the recorder does not know."""
    if not f"{toolchain['version']}.".startswith(f"{_KNOWN}."):
        raise Refused("toolchain", f"go {toolchain['version']}; the recorder needs Go {_KNOWN}")


def root(go: str) -> str:
    """Return the folder of the toolchain, by its command."""
    return str(Path(go).parents[1])


def build(go: str) -> dict[str, bytes]:
    """Build the pass, the recorder, the runtime of recorded programs and the list of the library's packages."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder, "output")
        output.mkdir()
        environment = {
            **os.environ,
            "GOROOT": root(go),
            "GOPATH": f"{folder}/path",
            "GOCACHE": f"{folder}/cache",
            "GOFLAGS": "",
            "GO111MODULE": "off",
            "GOTOOLCHAIN": "local",
            "GOPROXY": "off",
        }
        _list_packages(go, output)
        _compile_runtime(go, output, environment)
        _compile_recorder(go, output, environment)
        _compile_pass(go, output, environment)
        return {path.name: path.read_bytes() for path in sorted(output.iterdir())}


def _run(environment: dict[str, str], *command: str, where: str | None = None) -> str:
    done = subprocess.run(command, capture_output=True, env=environment, cwd=where, stdin=subprocess.DEVNULL)
    if done.returncode:
        message = (done.stderr + done.stdout).decode(errors="replace")
        first = next(iter(message.splitlines()), f"ended with {done.returncode}")
        raise Refused("toolchain", f"{' '.join(command[:3])}: {first}", message)
    return done.stdout.decode()


def _list_packages(go: str, output: Path) -> None:
    """Write which compiled package of the toolchain each import means."""
    folder = _installed(go)
    archives = [path.relative_to(folder) for path in sorted(folder.rglob("*.a"))]
    if not archives:
        raise Refused("toolchain", f"{folder} has no compiled packages; install the package golang-go")
    lines = [f"packagefile {path.with_suffix('')}={folder / path}" for path in archives if path.parts[0] != "cmd"]
    lines.append("packagefile worldline=${TOOLS}/worldline.a")
    (output / "importcfg").write_text("\n".join(lines) + "\n")


def _installed(go: str) -> Path:
    return Path(root(go), "pkg", f"linux_{_machine()}")


def _compile_runtime(go: str, output: Path, environment: dict[str, str]) -> None:
    """Compile the edited runtime, and link programs with it. Without it they are linked with the installed one."""
    folder = output.parent / "toolchain"
    folder.mkdir()
    installed = _installed(go) / runtime.ARCHIVE
    archive = runtime.compile_runtime(go, Path(root(go)), installed, folder, environment)
    if not archive:
        return
    (output / runtime.ARCHIVE).write_bytes(archive)
    config = (output / "importcfg").read_text()
    line = "packagefile runtime="
    config = config.replace(f"{line}{installed}\n", f"{line}${{TOOLS}}/{runtime.ARCHIVE}\n")
    (output / "importcfg").write_text(config)


def _machine() -> str:
    return _MACHINES.get(platform.machine(), platform.machine())


def _compile_recorder(go: str, output: Path, environment: dict[str, str]) -> None:
    """Compile the recorder into an archive, with the one function of it that is assembly."""
    config = output.parent / "importcfg"
    config.write_text((output / "importcfg").read_text().replace("${TOOLS}", str(output)))
    assembly = str(_HERE / "recorder" / f"getg_{_machine()}.s")
    symbols, extra, archive = str(output.parent / "symabis"), str(output.parent / "getg.o"), str(output / "worldline.a")
    sources = [str(path) for path in sorted((_HERE / "recorder").glob("*.go"))]
    _run(environment, go, "tool", "asm", "-p", "worldline", "-gensymabis", "-o", symbols, assembly)
    compiled = ("-p", "worldline", "-pack", "-trimpath", str(_HERE), "-importcfg", str(config), "-symabis", symbols)
    _run(environment, go, "tool", "compile", *compiled, "-o", archive, *sources)
    _run(environment, go, "tool", "asm", "-p", "worldline", "-o", extra, assembly)
    _run(environment, go, "tool", "pack", "r", archive, extra)


def _compile_pass(go: str, output: Path, environment: dict[str, str]) -> None:
    """Compile and link the pass without `go build`, which would compile the library again."""
    config, archive = str(output.parent / "importcfg"), str(output.parent / "pass.a")
    sources = [str(path) for path in sorted((_HERE / "pass").glob("*.go"))]
    _run(environment, go, "tool", "compile", "-p", "main", "-pack", "-importcfg", config, "-o", archive, *sources)
    _run(environment, go, "tool", "link", "-s", "-w", "-importcfg", config, "-o", str(output / PASS), archive)

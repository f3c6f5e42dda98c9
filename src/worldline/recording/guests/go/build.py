"""Compile the Go code of the guest with the Go of the user: the pass, a program, and the recorder, a package.

This happens once per toolchain, in a sandbox without a program and without a network.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from ..refused import Refused
from . import runtime

PASS = "pass"
_HERE = Path(__file__).parent
# The recorder reads maps, panics and channels as these runtimes have them (recorder/*_NNN.go).
_KNOWN = ("1.19", "1.21", "1.22", "1.23", "1.24", "1.25", "1.26", "1.27")
_MACHINES = {"x86_64": "amd64", "aarch64": "arm64"}


def check_version(toolchain: dict[str, Any]) -> None:
    """Refuse a Go whose runtime the recorder does not know."""
    if _release(toolchain) not in _KNOWN:
        raise Refused("toolchain", f"go {toolchain['version']}; the recorder knows Go {', '.join(_KNOWN)}")


def _release(toolchain: dict[str, Any]) -> str:
    return ".".join(re.findall(r"\d+", toolchain["version"])[:2])


def link_flags(toolchain: dict[str, Any]) -> list[str]:
    """Return the flags with which the linker lets the recorder refer to names of the runtime."""
    return ["-checklinkname=0"] if int(_release(toolchain).split(".")[1]) >= 23 else []


def root(go: str) -> str:
    """Return the folder of the toolchain, by its command."""
    return str(Path(go).parents[1])


def build(toolchain: dict[str, Any]) -> dict[str, bytes]:
    """Build the pass, the recorder, the packages of recorded programs and the list of these packages."""
    go = toolchain["executables"]["go"]
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
            "GOTELEMETRY": "off",
            "CGO_ENABLED": "0",
        }
        packages = _installed_packages(go)
        if packages:
            _compile_runtime(go, packages, output, environment)
        else:
            packages = _compile_library(go, output, environment)
        packages["worldline"] = "${TOOLS}/worldline.a"
        lines = [f"packagefile {path}={archive}\n" for path, archive in packages.items()]
        (output / "importcfg").write_text("".join(lines))
        _compile_recorder(go, output, environment)
        _compile_pass(go, output, environment, link_flags(toolchain))
        return {path.name: path.read_bytes() for path in sorted(output.iterdir())}


def _run(environment: dict[str, str], *command: str, where: str | None = None) -> str:
    done = subprocess.run(command, capture_output=True, env=environment, cwd=where, stdin=subprocess.DEVNULL)
    if done.returncode:
        message = (done.stderr + done.stdout).decode(errors="replace")
        first = next(iter(message.splitlines()), f"ended with {done.returncode}")
        raise Refused("toolchain", f"{' '.join(command[:3])}: {first}", message)
    return done.stdout.decode()


def _installed(go: str) -> Path:
    return Path(root(go), "pkg", f"linux_{_machine()}")


def _installed_packages(go: str) -> dict[str, str]:
    """Return the compiled packages of the toolchain. Go 1.20 and later have none."""
    folder = _installed(go)
    archives = [path.relative_to(folder) for path in sorted(folder.rglob("*.a"))]
    return {str(path.with_suffix("")): str(folder / path) for path in archives if path.parts[0] != "cmd"}


def _compile_library(go: str, output: Path, environment: dict[str, str]) -> dict[str, str]:
    """Compile the standard library."""
    if not Path(root(go), "src", "runtime").is_dir():
        raise Refused("toolchain", f"{root(go)} has no source of the library; install the package golang-src")
    listed = "{{if .Export}}{{.ImportPath}}={{.Export}}{{end}}"
    lines = _run(environment, go, "list", "-export", "-gcflags=all=-dwarf=false", "-f", listed, "std").splitlines()
    packages = {}
    for line in lines:
        path, _, archive = line.partition("=")
        name = f"std+{path.replace('/', '+')}.a"
        shutil.move(archive, output / name)
        packages[path] = f"${{TOOLS}}/{name}"
    return packages


def _compile_runtime(go: str, packages: dict[str, str], output: Path, environment: dict[str, str]) -> None:
    """Compile the edited runtime, and link programs with it. Without it they are linked with the installed one."""
    folder = output.parent / "toolchain"
    folder.mkdir()
    installed = Path(packages["runtime"])
    archive = runtime.compile_runtime(go, Path(root(go)), installed, folder, environment)
    if archive:
        (output / runtime.ARCHIVE).write_bytes(archive)
        packages["runtime"] = f"${{TOOLS}}/{runtime.ARCHIVE}"


def _machine() -> str:
    return _MACHINES.get(platform.machine(), platform.machine())


def _compile_recorder(go: str, output: Path, environment: dict[str, str]) -> None:
    """Compile the recorder into an archive, with the one function of it that is assembly."""
    config = output.parent / "importcfg"
    config.write_text((output / "importcfg").read_text().replace("${TOOLS}", str(output)))
    assembly = str(_HERE / "recorder" / f"getg_{_machine()}.s")
    symbols, extra, archive = str(output.parent / "symabis"), str(output.parent / "getg.o"), str(output / "worldline.a")
    _run(environment, go, "tool", "asm", "-p", "worldline", "-gensymabis", "-o", symbols, assembly)
    compiled = ("-p", "worldline", "-pack", "-trimpath", str(_HERE), "-importcfg", str(config), "-symabis", symbols)
    sources = _sources(go, _HERE / "recorder", environment)
    _run(environment, go, "tool", "compile", *compiled, "-o", archive, *sources)
    _run(environment, go, "tool", "asm", "-p", "worldline", "-o", extra, assembly)
    _append_member(Path(archive), Path(extra))


def _sources(go: str, folder: Path, environment: dict[str, str]) -> list[str]:
    """Return the Go files of a folder that are for this version."""
    names = _run(environment, go, "list", "-f", "{{range .GoFiles}}{{.}}\n{{end}}", where=str(folder)).split()
    return [str(folder / name) for name in names]


def _append_member(archive: Path, member: Path) -> None:
    """Do what `go tool pack r` does: later toolchains have no `pack`."""
    data = member.read_bytes()
    header = f"{member.name:<16}{0:<12}{0:<6}{0:<6}{0o644:<8o}{len(data):<10}`\n".encode()
    with archive.open("ab") as file:
        file.write(header + data + b"\n" * (len(data) % 2))


def _compile_pass(go: str, output: Path, environment: dict[str, str], flags: list[str]) -> None:
    """Compile and link the pass without `go build`, which would compile the library again."""
    config, archive = str(output.parent / "importcfg"), str(output.parent / "pass.a")
    sources = [str(path) for path in sorted((_HERE / "pass").glob("*.go"))]
    _run(environment, go, "tool", "compile", "-p", "main", "-pack", "-importcfg", config, "-o", archive, *sources)
    linked = ("-s", "-w", *flags, "-importcfg", config, "-o", str(output / PASS), archive)
    _run(environment, go, "tool", "link", *linked)

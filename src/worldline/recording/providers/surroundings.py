"""Tell what this process runs on: the system, and the kind of container around it. It only looks; it starts nothing."""

from __future__ import annotations

import os
import platform
import sys
from pathlib import Path

CONTAINERS = {"docker": "Docker", "podman": "Podman", "kubernetes": "Kubernetes", "lxc": "LXC", "wsl": "WSL 1"}
# How a container is started in which bubblewrap works. It must create namespaces and mount a /proc of its own.
OPENED = {
    "docker": "docker run --privileged",
    "podman": "podman run --privileged",
    "kubernetes": "securityContext: {privileged: true}",
    "lxc": "lxc config set NAME security.nesting true",
    "wsl": "wsl --set-version NAME 2",
}


def system() -> str:
    """Return the name and version of the system."""
    if sys.platform == "darwin":
        return f"macOS {platform.mac_ver()[0]}".strip()
    return f"{platform.system()} {platform.release()}".strip()


def is_linux() -> bool:
    """Tell whether programs can be executed at all: there is no sandbox, and no recorder, for another system."""
    return sys.platform.startswith("linux")


def container(root: Path = Path("/")) -> str:
    """Return the kind of container around this process, a key of `CONTAINERS`, or an empty string.

    Args:
        root: The root of the files that tell it.
    """
    if os.environ.get("KUBERNETES_SERVICE_HOST") or (root / "var/run/secrets/kubernetes.io").exists():
        return "kubernetes"
    if (root / "run/.containerenv").exists():
        return "podman"
    if (root / ".dockerenv").exists():
        return "docker"
    release = _text(root / "proc/sys/kernel/osrelease")
    if "Microsoft" in release:  # version 2 is a virtual machine, and says `microsoft`
        return "wsl"
    marks = _text(root / "proc/1/environ") + _text(root / "run/systemd/container")
    return "lxc" if "lxc" in marks else ""


def opened(kind: str) -> str:
    """Return what to do in a container of this kind, as a sentence that begins in lower case."""
    if not kind:
        return ""
    return f"this is a container of {CONTAINERS[kind]}: start it with `{OPENED[kind]}`"


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""

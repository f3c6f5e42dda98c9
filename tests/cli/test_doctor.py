"""`worldline doctor` on this machine and where the kernel, the path or the system takes something away."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import worldline
from worldline.cli import main
from worldline.recording.providers import surroundings

# Refuses new namespaces as the seccomp profile of Docker does: clone with a namespace, clone3, unshare.
AS_IN_DOCKER = """
import os, sys
from worldline.recording.guests import confine, kernel
calls = confine._ARCHITECTURES[os.uname().machine]
unshare = {"x86_64": 272, "aarch64": 97}[os.uname().machine]
flags = confine._load(16) + confine._statement(0x45, confine._NEW_NAMESPACES, 0, 1) + confine._refuse(1)
rules = [
    confine._load(0),
    confine._unless_equal(unshare, confine._refuse(1)),
    confine._unless_equal(435, confine._refuse(38)),
    confine._unless_equal(calls.clone, flags + confine._verdict(0x7FFF0000)),
    confine._verdict(0x7FFF0000),
]
kernel.no_new_privileges()
kernel.Filter(b"".join(rules)).install()
from worldline.cli import main
sys.exit(main(sys.argv[1:]))
"""


def report(*command: str, **environment: str) -> tuple[int, dict[str, Any]]:
    """The exit code and the report of `doctor --json`, started by a command."""
    done = subprocess.run(
        [*command, "doctor", "--json"], capture_output=True, text=True, env={**os.environ, **environment}, check=False
    )
    assert done.stdout, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    found["works"] = {row["name"]: row["works"] for row in found["capabilities"]}
    return done.returncode, found


@pytest.mark.usefixtures("sandbox")
def test_a_machine_with_a_sandbox_is_told_which(capsys: pytest.CaptureFixture[str]) -> None:
    found = worldline.doctor()
    assert found.has_sandbox
    assert found.sandbox in ("bwrap", "gvisor")
    assert found.as_json()["capabilities"][0]["name"] == "bubblewrap"
    assert main(["doctor"]) == 0
    said = capsys.readouterr().out
    assert "Programs are executed in" in said
    assert all(capability.name in said for capability in found.capabilities)


def test_without_the_commands_their_packages_are_named() -> None:
    code, found = report(sys.executable, "-m", "worldline", PATH="")
    assert (code, found["sandbox"], found["has_sandbox"]) == (1, "", False)
    assert not found["works"]["bubblewrap"]
    assert not found["works"]["gVisor"]
    assert "install the package bubblewrap" in found["capabilities"][0]["advice"]
    assert "--trust" in found["conclusion"]
    assert "imagine" in found["conclusion"]


@pytest.mark.usefixtures("sandbox")
def test_where_the_kernel_refuses_namespaces_it_is_said(tmp_path: Path) -> None:
    code, found = report(sys.executable, "-c", AS_IN_DOCKER)
    assert (code, found["sandbox"]) == (1, "")
    assert (found["works"]["user namespaces"], found["works"]["bubblewrap"]) == (False, False)
    program = tmp_path / "x.py"
    program.write_text("x = 1\n")
    words = [sys.executable, "-c", AS_IN_DOCKER, "record", str(program)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 3
    for word in ("error[no-sandbox]", "worldline doctor", "--trust", "imagine"):
        assert word in done.stderr
    assert subprocess.run([*words, "--trust"], capture_output=True, check=False).returncode == 0


def test_an_exhausted_setting_of_the_kernel_is_named() -> None:
    """Inside a user namespace of its own that allows no further one."""
    inner = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"'
    start = ["unshare", "--user", "--map-root-user", "sh", "-c", inner, "sh"]
    if subprocess.run([*start, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this machine lets nobody create a user namespace with its own limits")
    code, found = report(*start, sys.executable, "-m", "worldline")
    rows = {row["name"]: row for row in found["capabilities"]}
    assert (code, rows["user namespaces"]["works"]) == (1, False)
    assert "user.max_user_namespaces" in rows["user namespaces"]["detail"]


@pytest.mark.unit
@pytest.mark.parametrize(
    ("file", "text", "kind"),
    [
        (".dockerenv", "", "docker"),
        ("run/.containerenv", 'engine="podman"', "podman"),
        ("var/run/secrets/kubernetes.io/token", "", "kubernetes"),
        ("run/systemd/container", "lxc", "lxc"),
        ("proc/sys/kernel/osrelease", "4.4.0-19041-Microsoft", "wsl"),
        ("proc/sys/kernel/osrelease", "6.6.36.3-microsoft-standard-WSL2", ""),
        ("etc/hostname", "", ""),
    ],
)
def test_containers_are_recognised(file: str, text: str, kind: str, tmp_path: Path) -> None:
    (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / file).write_text(text)
    assert surroundings.container(tmp_path) == kind
    assert bool(surroundings.opened(kind)) == bool(kind)


@pytest.mark.unit
def test_another_system_is_told_what_works_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    found = worldline.doctor()
    assert (found.sandbox, found.capabilities) == ("", ())
    assert "macOS" in found.system
    for word in ("Linux", "container", "imagine", "report"):
        assert word in found.conclusion

"""The GitHub Action: its scripts, as a runner executes them, in a repository with committed traces."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml

from worldline.cli import main

REPOSITORY = Path(__file__).parents[2]
ACTION: dict[str, Any] = yaml.safe_load((REPOSITORY / "action.yml").read_text("utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
SHOP = "def price(n):\n    unit = 4\n    return unit * n\n"
TIMEOUT = 300


def step(name: str) -> dict[str, Any]:
    """The step whose command has this name."""
    (chosen,) = [entry for entry in STEPS if entry.get("run", "").strip('"').endswith(f"/{name}")]
    return chosen


def execute(name: str, folder: Path, path: str = "", **inputs: str) -> subprocess.CompletedProcess[str]:
    """Execute a step as a runner does: its shell, its environment from the inputs, a file for the summary."""
    values = {key: str(entry.get("default", "")) for key, entry in ACTION["inputs"].items()} | inputs
    chosen = step(name)
    environment = {
        variable: values[text.removeprefix("${{ inputs.").removesuffix(" }}")]
        for variable, text in chosen["env"].items()
    }
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", chosen["run"]]
    bin_folder = path or str(Path(sys.executable).parent)
    environment |= {
        "PATH": f"{bin_folder}:{os.environ['PATH']}",
        "GITHUB_ACTION_PATH": str(REPOSITORY),
        "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
    }
    return subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )


def test_every_input_reaches_a_step_by_the_environment_alone() -> None:
    """An expression inside a script would execute what a pull request writes into it."""
    used = [value for entry in STEPS for part in ("env", "with") for value in entry.get(part, {}).values()]
    used += [entry["working-directory"] for entry in STEPS if "working-directory" in entry]
    assert sorted(used) == sorted(f"${{{{ inputs.{name} }}}}" for name in ACTION["inputs"])
    assert all("${{" not in entry.get("run", "") for entry in STEPS)
    assert all(entry["description"] for entry in ACTION["inputs"].values())


@pytest.mark.usefixtures("sandbox")
def test_a_change_fails_the_job_and_is_in_its_summary(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(SHOP)
    (tmp_path / "calls.txt").write_text("price(3)\nprice(5)\n")
    words = [str(tmp_path / "shop.py"), "--call-list", str(tmp_path / "calls.txt"), "-o", str(tmp_path / "traces")]
    assert main(["record", *words]) == 0

    inputs = {"expect": "traces", "file": "shop.py", "calls": "calls.txt", "arguments": "--max-steps\n500\n"}
    done = execute("check-traces", tmp_path, **inputs)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "summary.md").read_text().startswith("### Traces unchanged\n\n    unchanged: shop.py compared")

    (tmp_path / "summary.md").unlink()
    (tmp_path / "shop.py").write_text(SHOP.replace("unit = 4", "unit = 5"))
    done = execute("check-traces", tmp_path, **inputs, html="page.html")
    assert done.returncode == 1, done.stdout + done.stderr
    summary = (tmp_path / "summary.md").read_text()
    assert summary.startswith("### Traces changed\n\n    changed: shop.py compared with traces: 2 of 2 runs\n")
    assert "    first divergence  shop.py, price, line 2: unit = 4 before, 5 after\n" in summary
    assert all(line.startswith(("    ", "###")) for line in summary.splitlines() if line)
    assert "::error title=worldline::Traces changed" in done.stdout
    assert "unit = 4 before" in (tmp_path / "page.html").read_text()

    done = execute("check-traces", tmp_path, **{**inputs, "expect": "nowhere"})
    assert done.returncode == 2
    assert "there are no traces at nowhere" in (tmp_path / "summary.md").read_text()


@pytest.mark.usefixtures("sandbox")
def test_a_program_cannot_give_the_runner_commands(tmp_path: Path) -> None:
    (tmp_path / "say.py").write_text("def f(n):\n    print('::set-env name=A::B')\n    return n\n")
    done = execute("check-traces", tmp_path, expect="traces", file="say.py", call="f(1)", arguments="--update")
    assert done.returncode == 0, done.stdout + done.stderr
    (tmp_path / "say.py").write_text("def f(n):\n    print('\\n::set-env name=C::D')\n    return n\n")
    done = execute("check-traces", tmp_path, expect="traces", file="say.py")
    assert done.returncode == 1
    first, *inside, last, error = done.stdout.splitlines()
    token = first.removeprefix("::stop-commands::")
    assert (len(token), last) == (32, f"::{token}::")
    assert any("set-env" in line for line in inside)
    assert error.startswith("::error")


@pytest.mark.usefixtures("sandbox")
def test_the_install_step_installs_what_it_is_told_and_starts_the_sandbox(tmp_path: Path) -> None:
    wheel = tmp_path / "tiny-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("tiny.py", "here = 1\n")
        archive.writestr("tiny-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n")
        archive.writestr("tiny-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr("tiny-1.0.dist-info/RECORD", "")
    venv.create(tmp_path / "env", system_site_packages=True)  # with the pip of the interpreter itself
    done = execute("install", tmp_path, path=str(tmp_path / "env" / "bin"), install=str(wheel))
    assert done.returncode == 0, done.stdout + done.stderr
    python = tmp_path / "env" / "bin" / "python"
    assert subprocess.run([python, "-c", "import tiny"], check=False).returncode == 0

"""Wheels hold the package and nothing else, and the README's examples work where only a wheel is installed."""

from __future__ import annotations

import re
import shlex
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from bare_environment import ROOT, VERSIONS, BareEnvironment
from quoted_commands import normalized, quoted_commands, quoted_parts
from repository_files import tracked

pytestmark = pytest.mark.long(reason="builds wheels and installs them from the package index")

README = ROOT / "README.md"
NATIVE = ("_engine", "_recorder", "_wire", "recording/guests/node/node_wire")
MAX_CORE_BYTES = 120 * 10**6


def wheels(dist: Path) -> list[Path]:
    """All wheels under test, at least one."""
    found = sorted(dist.glob("worldline-*.whl"))
    assert found
    return found


def test_a_wheel_holds_the_package_and_nothing_else(dist: Path) -> None:
    """Guests, templates, the shipped model and `py.typed` are files of the package; caches and tests are not."""
    copied = {f"native/{name}" for name in tracked("native")} | {"editors/worldline.vsix", "docs/reference/figures.md"}
    copied |= {f"recipes/{name}" for name in tracked("recipes") if name.endswith((".py", ".txt"))}
    for wheel in wheels(dist):
        names = {name for name in zipfile.ZipFile(wheel).namelist() if not name.endswith("/")}
        inside = {name.removeprefix("worldline/") for name in names if name.startswith("worldline/")}
        assert {name.split("/")[0] for name in names if name.split("/")[0] != "worldline"} == {
            wheel.name.split("-cp")[0] + ".dist-info"
        }
        tag = wheel.name.split("-")[2].replace("cp", "cpython-")
        compiled = {name for name in inside if name.endswith(".so")}
        assert {name.split(f".{tag}-")[0] for name in compiled} == set(NATIVE)
        assert len(compiled) == len(NATIVE)
        assert inside - compiled == tracked("src/worldline") | copied


def test_a_wheel_for_linux_says_on_which_systems_it_works(dist: Path) -> None:
    assert all(re.search(r"-(manylinux|musllinux)_\d+_\d+_", wheel.name) for wheel in wheels(dist))


@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize("version", VERSIONS)
def test_the_examples_of_the_readme_work(version: str, bare: Callable[[str], BareEnvironment]) -> None:
    environment = bare(version)
    shutil.copytree(ROOT / "examples", environment.work / "examples")
    commands = list(quoted_commands(README))
    assert {command.split()[0] for command, _ in commands} >= {"record", "debug", "bench", "report"}
    for command, output in commands:
        few = re.sub(r"(?<=--max-programs )\d+", "3", command)
        done = environment.run("worldline", *shlex.split(few))
        assert done.returncode in (0, 1), f"{few}\n{done.stdout}{done.stderr}"
        assert "native" not in done.stderr, "the native modules of the wheel are used"
        if few.split()[0] in ("record", "debug"):
            assert all(part in normalized(done.stdout + done.stderr) for part in quoted_parts(output)), few
    assert (environment.work / "runs" / "mine" / "report.html").stat().st_size > 10_000

    (snippet,) = re.findall(r"^```python\n(.*?)^```$", README.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    done = environment.run("python", "-c", snippet)
    assert done.stdout == "Outcome(kind='returned', detail='[3, 3]')\nright\n", done.stderr


@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize("version", VERSIONS)
def test_what_needs_an_extra_names_it(version: str, bare: Callable[[str], BareEnvironment]) -> None:
    environment = bare(version)
    (environment.work / "x.py").write_text("x = 1\n")
    for words, extra in (
        (["record", "x.py", "-o", "traces"], "data"),
        (["view", "x.py"], "view"),
        (["serve"], "serve"),
        (["debug", "x.py", "--model", "server:http://localhost:9#m"], "server"),
        (["debug", "x.py", "--model", "hub:some/model"], "hub"),
    ):
        done = environment.run("worldline", *words)
        assert done.returncode == 2, done.stdout + done.stderr
        assert f"pip install 'worldline[{extra}]'" in done.stderr
    assert not (environment.work / "traces").exists()


@pytest.mark.parametrize("version", VERSIONS)
def test_the_core_is_small(version: str, bare: Callable[[str], BareEnvironment]) -> None:
    """Without the bytecode that Python writes on top; docs/how-to/install.md has both."""
    (packages,) = bare(version).bin.parent.glob("lib/python*/site-packages")
    installed = [path for path in packages.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    own = [
        path
        for path in installed
        if not re.match(r"pip|setuptools|pkg_resources|_distutils", path.relative_to(packages).parts[0])
    ]
    assert sum(path.stat().st_size for path in own) < MAX_CORE_BYTES

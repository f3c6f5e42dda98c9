"""The notebook for hosted machines installs the wheel and runs to its end, with a sandbox and without."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from bare_environment import ROOT, BareEnvironment

pytestmark = pytest.mark.long(reason="runs a notebook in a new environment with packages from the index")

NOTEBOOK = ROOT / "examples" / "first-divergence.ipynb"
EXECUTE = """
import nbclient, nbformat
notebook = nbformat.read("first-divergence.ipynb", as_version=4)
nbclient.NotebookClient(notebook, timeout=1800, kernel_name="python3").execute()
nbformat.write(notebook, "executed.ipynb")
"""
# What the environment itself needs of the system; neither bubblewrap nor a package manager.
PROGRAMS = ("bash", "env", "id", "mount", "unshare", "true", "uname")


def newest_wheel(dist: Path) -> Path:
    """The wheel for the newest Python version."""
    return sorted(dist.glob("worldline-*.whl"))[-1]


@pytest.fixture(scope="module")
def hosted(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> BareEnvironment:
    """An environment with a notebook's kernel and no worldline."""
    version = newest_wheel(dist).name.split("-")[2].replace("cp3", "3.")
    environment = BareEnvironment.create(version, tmp_path_factory.mktemp("hosted"))
    if environment.run("true").returncode:
        pytest.skip("this machine lets nobody mount in a namespace of its own")
    environment.install("ipykernel", "nbclient")
    shutil.copy(NOTEBOOK, environment.work)
    return environment


def executed(hosted: BareEnvironment, dist: Path, **environment: str) -> list[str]:
    """Execute the notebook and return the text that each code cell prints."""
    variables = {"WORLDLINE_WHEEL": str(newest_wheel(dist)), **hosted.network(), **environment}
    done = hosted.run("python", "-c", EXECUTE, **variables)
    assert done.returncode == 0, done.stdout + done.stderr
    notebook: dict[str, Any] = json.loads((hosted.work / "executed.ipynb").read_text("utf-8"))
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    return ["".join("".join(output.get("text", "")) for output in cell["outputs"]) for cell in cells]


def check_findings(texts: list[str]) -> None:
    """The divergence, its cause, an intervention that fixes it, and the measured rates."""
    recorded, predicted, debugged, measured = texts[2:]
    assert "6 grid=[[1, 9], [3, 4]] copy=[[1, 9], [3, 4]]\n" in recorded
    assert "copy=[[1, 9], [3, 4]]" not in predicted
    assert "cause: missed change at step 2\n" in debugged
    assert "intervention repair: fixed\n" in debugged
    assert re.search(r"answers right: \d of 8 = \d+ % \(\d+ to \d+\)", measured)


def test_it_is_stored_without_outputs() -> None:
    cells = json.loads(NOTEBOOK.read_text("utf-8"))["cells"]
    assert all(not cell.get("outputs") and not cell.get("execution_count") for cell in cells)


@pytest.mark.usefixtures("sandbox")
def test_it_runs_from_the_wheel(hosted: BareEnvironment, dist: Path) -> None:
    texts = executed(hosted, dist)
    assert "Programs are executed in" in texts[1]
    check_findings(texts)


def test_it_runs_where_no_sandbox_starts(hosted: BareEnvironment, dist: Path, tmp_path: Path) -> None:
    for name in PROGRAMS:
        (tmp_path / name).symlink_to(str(shutil.which(name)))
    texts = executed(hosted, dist, PATH=f"{hosted.bin}:{tmp_path}")
    assert "No sandbox starts" in texts[1]
    check_findings(texts)

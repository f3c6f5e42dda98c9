"""The notebook runs from its first cell to its last, in a real kernel, and shows what it promises."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.long(reason="runs a notebook in its own kernel")

nbformat = pytest.importorskip("nbformat", reason="not installed: make harness, or pip install 'worldline[notebook]'")
nbclient = pytest.importorskip("nbclient", reason="not installed: make harness, or pip install 'worldline[notebook]'")
pytest.importorskip("ipykernel", reason="not installed: make harness, or pip install 'worldline[notebook]'")
pytest.importorskip("matplotlib")

NOTEBOOK = Path(__file__).parents[2] / "examples" / "from-model-to-figures.ipynb"


def told(cell: Any, kind: str) -> str:
    """What a cell shows of one kind, all together."""
    texts = []
    for output in cell["outputs"]:
        if kind == "text" and output["output_type"] == "stream":
            texts.append(output["text"])
        elif kind in output.get("data", {}):
            texts.append(output["data"][kind])
    return "\n".join(texts)


def test_from_a_model_to_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    assert all(not cell.get("outputs") for cell in notebook.cells), "it is stored without outputs"
    for old, new in (("SAMPLES, CURED = 10, 2", "SAMPLES, CURED = 3, 1"), ("EXTRAS = {}", 'EXTRAS = {"threads": "1"}')):
        assert old in notebook.cells[1]["source"]
        notebook.cells[1]["source"] = notebook.cells[1]["source"].replace(old, new)
    nbclient.NotebookClient(notebook, timeout=1800, kernel_name="python3").execute(cwd=str(tmp_path))
    cells = [cell for cell in notebook.cells if cell["cell_type"] == "code"]
    assert "<Debugged " in told(cells[1], "text/plain")
    assert re.search(r"\| all \| (\d)/3 = .* \| (\d)/3 = ", told(cells[2], "text/markdown"))
    assert "| depth 2/string | " in told(cells[2], "text/markdown")
    assert "| cause | failures |" in told(cells[3], "text/markdown")
    assert "| flatten |" in told(cells[4], "text/markdown")
    assert "causes: " in told(cells[5], "text")
    drawn = re.findall(r"^([\w-]+)\.svg$", told(cells[6], "text"), re.MULTILINE)
    assert {"by-length", "by-group", "by-type", "interventions"} <= set(drawn)
    assert told(cells[6], "image/svg+xml").count("<svg") == len({"by-group", "causes", "interventions"} & set(drawn))
    (out,) = tmp_path.glob("worldline-*")
    assert (out / "composition" / "report.html").stat().st_size > 10_000
    assert list((out / "composition" / "tables").glob("*.csv"))
    assert (out / "composition" / "figures" / "by-group.pdf").read_bytes().startswith(b"%PDF")

"""Data flows one way: imports point downward and never in a circle. The table is docs/concepts/architecture.md's."""

from __future__ import annotations

import graphlib
import re
from pathlib import Path

import pytest
from imports import NATIVE, Edge, edges, modules

import worldline

pytestmark = pytest.mark.unit

ROOT = Path(worldline.__file__).parent
PAGE = Path(__file__).parents[2] / "docs" / "concepts" / "architecture.md"
EVERYWHERE = {"core"}  # every package may import it
ROW = re.compile(r"^\| `([\w.]+)` \| ([^|]+) \| [^|]+ \| [^|]+ \|$", re.MULTILINE)
CELLS = dict(ROW.findall(PAGE.read_text("utf-8")))
TOP = {"__main__", "", *(name for name, cell in CELLS.items() if cell == "everything")}  # "": the public API
PACKAGES = {name: set(re.findall(r"`([\w.]+)`", cell)) for name, cell in CELLS.items() if name not in TOP}
STANDALONE = {name for name, cell in CELLS.items() if "not even" in cell}  # where worldline is not importable


def package(module: str) -> str:
    """The package of a module: `worldline.recording.guests.x` is in `recording.guests`, `worldline.cli` in `cli`."""
    inside = module.removeprefix("worldline").removeprefix(".")
    nested = [name for name in PACKAGES if "." in name and (inside + ".").startswith(name + ".")]
    return nested[0] if nested else inside.split(".")[0]


def upward(found: list[Edge]) -> list[Edge]:
    """The edges that the table forbids."""
    return [edge for edge in found if not _allowed(package(edge.importer), package(edge.imported))]


def _allowed(importer: str, imported: str) -> bool:
    if importer == imported or importer in TOP:
        return True
    return importer not in STANDALONE and imported in EVERYWHERE | PACKAGES[importer]


def test_every_module_is_in_a_package_of_the_table_and_every_package_has_one() -> None:
    parents = {name.partition(".")[0] for name in PACKAGES if "." in name} - {*PACKAGES}
    assert {package(name) for name in modules(ROOT)} - parents == {*PACKAGES, *TOP}


def test_the_table_names_only_its_own_packages() -> None:
    packages = {*PACKAGES, *(name.removeprefix("worldline.") for name in NATIVE)}
    assert {name for below in PACKAGES.values() for name in below} <= packages
    assert {"recording.guests"} == STANDALONE


def test_imports_point_downward() -> None:
    found = edges(ROOT)
    assert len(found) > 20
    assert upward(found) == []


def test_imports_make_no_circle() -> None:
    graph: dict[str, set[str]] = {}
    for edge in edges(ROOT):
        if edge.importer != edge.imported:
            graph.setdefault(edge.importer, set()).add(edge.imported)
    assert list(graphlib.TopologicalSorter(graph).static_order())


@pytest.mark.parametrize(
    "statement",
    [
        "from worldline.recording import recorder",
        "import worldline.recording.recorder",
        "def f():\n    from worldline.recording.recorder import record",
        "from ..recording import recorder",
        "from ..recording.recorder import record",
        "import importlib\nimportlib.import_module('worldline.recording.recorder')",
        "if TYPE_CHECKING:\n    from worldline.recording.recorder import record",
    ],
)
def test_an_upward_import_is_seen_however_it_is_written(tmp_path: Path, statement: str) -> None:
    for folder in ("core", "recording"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "__init__.py").write_text("")
    (tmp_path / "recording" / "recorder.py").write_text("")
    (tmp_path / "core" / "trace.py").write_text(statement + "\n")
    assert [(edge.importer, edge.imported) for edge in upward(edges(tmp_path))] == [
        ("worldline.core.trace", "worldline.recording.recorder")
    ]


def test_a_guest_may_import_nothing_of_the_package(tmp_path: Path) -> None:
    (tmp_path / "recording" / "guests").mkdir(parents=True)
    (tmp_path / "core").mkdir()
    (tmp_path / "core" / "limits.py").write_text("")
    (tmp_path / "recording" / "guests" / "python.py").write_text("from worldline.core.limits import Limits\n")
    assert len(upward(edges(tmp_path))) == 1

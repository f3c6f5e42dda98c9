"""The published tables, one record each, and their captions in `captions.toml`."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files

from worldline.core.errors import UsageError
from worldline.ui.report.paper import build
from worldline.ui.report.paper.record import PaperRun, PaperTable

ALL = "all"  # every table
# Sizes that the shipped model predicts on two cores in about half an hour, all tables together.
_FAILURES = PaperRun(
    name="failures",
    suite="generated",
    data_suite="crux",
    programs=300,
    options={"scratchpad": "none"},
    interventions=("flatten", "chars"),
)
_TABLES = (
    PaperTable(
        name="cruxeval",
        runs={"crux": PaperRun(name="crux", suite="crux", data_suite="crux", programs=200)},
        build=build.cruxeval,
        needs_data=True,
    ),
    PaperTable(
        name="permutation",
        runs={
            "own": PaperRun(name="permutation", suite="permutation", programs=50, cells=5),
            "forced": PaperRun(
                name="permutation-forced", suite="permutation", programs=50, cells=5, options={"force": "actions"}
            ),
        },
        build=build.permutation,
    ),
    PaperTable(name="failures", runs={"failures": _FAILURES}, build=build.failures),
    PaperTable(name="strings", runs={"failures": _FAILURES}, build=build.strings),
    PaperTable(
        name="composition",
        runs={"chains": PaperRun(name="composition", suite="composition", programs=100, cells=10)},
        build=build.composition,
    ),
    PaperTable(
        name="tokenizers",
        runs={"values": PaperRun(name="values", suite="states", programs=100, options={"force": "next"})},
        build=build.tokenizers,
    ),
)
TABLES = {table.name: table for table in _TABLES}


def paper_tables() -> dict[str, str]:
    """List the tables that `paper` writes.

    Returns:
        The caption of each table by its name.
    """
    return {name: caption(name) for name in TABLES}


def caption(name: str) -> str:
    """Return what a table shows, in one or two sentences."""
    return _captions()[name]


@cache
def _captions() -> dict[str, str]:
    return tomllib.loads(files(__package__).joinpath("captions.toml").read_text("utf-8"))


def chosen_tables(names: tuple[str, ...]) -> list[PaperTable]:
    """Return the tables of these names, in their usual order; `all` stands for every one.

    Raises:
        UsageError: No table was named, or a name is unknown.
    """
    unknown = [name for name in names if name not in (*TABLES, ALL)]
    if unknown or not names:
        problem = f"unknown table {', '.join(unknown)}" if unknown else "no table was named"
        raise UsageError(f"{problem}; choose from {', '.join(TABLES)}, or {ALL}")
    return [table for table in TABLES.values() if table.name in names or ALL in names]

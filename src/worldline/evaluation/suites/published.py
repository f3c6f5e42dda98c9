"""Figures that others published for the suites, with their sources: `published.toml`. None was measured here."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

ANSWER = "answer"  # the figure of a suite of judged traces


@dataclass(frozen=True)
class PublishedSource:
    """Where figures were published, and what exactly was measured there."""

    title: str
    url: str
    measured: str


@dataclass(frozen=True)
class PublishedRow:
    """What was published for one model, asked in one way, on one suite.

    Attributes:
        way: How the model was asked; empty if the source does not distinguish.
        figures: In %, by name: `answer`, or the columns of a suite's own tables.
        n: The number of samples; None if it is not known.
    """

    suite: str
    model: str
    way: str
    figures: Mapping[str, float]
    source: PublishedSource
    n: int | None = None


@cache
def published_rows(suite: str) -> tuple[PublishedRow, ...]:
    """Return the published rows of a suite, in the order of the file."""
    return tuple(row for row in _all_rows() if row.suite == suite)


@cache
def _all_rows() -> tuple[PublishedRow, ...]:
    table = tomllib.loads(files(__package__).joinpath("published.toml").read_text("utf-8"))
    sources = {name: PublishedSource(**source) for name, source in table["source"].items()}
    return tuple(
        PublishedRow(
            suite=row["suite"],
            model=row["model"],
            way=row.get("way", ""),
            figures={name: float(value) for name, value in row["figures"].items()},
            source=sources[row["source"]],
            n=row.get("n"),
        )
        for row in table["row"]
    )

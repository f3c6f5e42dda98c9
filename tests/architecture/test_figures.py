"""A figure that stands in two documents has one source, docs/reference/figures.md; the others repeat it word for word.

Whether a figure is true is not asked here: its command says how to find out. Of the shipped model's size the source is
the file that ships.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import worldline

pytestmark = pytest.mark.unit

REPOSITORY = Path(__file__).parents[2]
SHIPPED = Path(worldline.__file__).parent / "model" / "shipped"
ROW = re.compile(r"^\| (?!figure )[^|]+ \| [^|]+ \| [^|]*`[^|]+ \|$", re.MULTILINE)  # figure, value, command
README_FIGURES = 6


def page(name: str) -> str:
    """The text of a document, on one line where it was wrapped."""
    return " ".join((REPOSITORY / name).read_text("utf-8").split())


def rows(name: str) -> list[str]:
    """The rows of a document's tables of figures."""
    return ROW.findall((REPOSITORY / name).read_text("utf-8").partition("| figure |")[2])


def figure(begins: str) -> str:
    """The value of a figure in docs/reference/figures.md, by what its row begins with."""
    (row,) = (row for row in rows("docs/reference/figures.md") if row.startswith(f"| {begins}"))
    return row.split(" | ")[1]


def test_the_readme_repeats_some_figures_word_for_word() -> None:
    chosen, known = rows("README.md"), rows("docs/reference/figures.md")
    assert len(chosen) == README_FIGURES < len(known)
    assert [row for row in chosen if row not in known] == []


def test_every_figure_has_one_row() -> None:
    names = [row.split(" | ")[0] for row in rows("docs/reference/figures.md") if not row.startswith("| the same")]
    assert sorted(names) == sorted(set(names))


def test_the_permutation_table_is_one() -> None:
    task = "permutation of five names"
    count = figure(task).partition(" at each")[0]
    assert f"| {' | '.join([count] * 5)} |" in page("docs/concepts/study.md")
    published = re.search(rf"{task}.*?CWM 32B (\d+ %), GPT-5 (\d+ %)", page("docs/reference/figures.md"))
    assert published is not None
    last = dict(
        re.findall(
            r"\| published: (CWM 32B|GPT-5) \|[^\n]*?(\d+ %) \|\n",
            (REPOSITORY / "docs/concepts/study.md").read_text("utf-8"),
        )
    )
    assert (last["CWM 32B"], last["GPT-5"]) == published.groups()


def test_the_model_is_described_as_it_ships() -> None:
    weights = (SHIPPED / "model.safetensors").read_bytes()
    header = json.loads(weights[8 : 8 + int.from_bytes(weights[:8], "little")])
    stored = {name: entry for name, entry in header.items() if not name.endswith(("__metadata__", ".scale"))}
    numbers = sum(_numbers(entry["shape"]) for entry in stored.values())
    shape = json.loads((SHIPPED / "manifest.json").read_text("utf-8"))["shape"]
    millions, model = f"{numbers / 1e6:.1f}M", page("docs/concepts/model.md")
    assert f"| parameters | {millions}; {len(weights) / 1e6:.1f} MB" in model
    assert f"| layers | {shape['stack'] or shape['depth']}, " in model
    assert f"newest {shape['window']:,} bytes" in model
    assert f"{millions} parameters" in page("docs/reference/figures.md")
    assert f"{millions} parameters" in page("docs/concepts/study.md")
    assert f"A model of {numbers / 1e6:.0f}M parameters ships" in page("README.md")


def _numbers(shape: list[int]) -> int:
    product = 1
    for size in shape:
        product *= size
    return product


def test_the_minutes_of_training_are_the_logs() -> None:
    log, model = page("LOG.md"), page("docs/concepts/model.md")
    runs = re.search(r"\(([\d., and]+) minutes\), (\d+) minutes of one H200 in all", model)
    assert runs is not None
    spent = re.findall(r"[\d.]*\d", runs[1])
    assert int(sum(map(float, spent))) == int(runs[2])
    for minutes in spent:
        assert re.search(rf"\b{re.escape(minutes)} (more )?minutes", log), minutes
    assert f"After {runs[2]} minutes of training" in page("docs/reference/figures.md")
    studied = re.search(
        r"after (\d+) minutes of training", page("docs/concepts/study.md")
    )  # of these or of earlier weights
    assert studied is not None
    assert int(studied[1]) in {int(sum(map(float, spent[:run]))) for run in range(1, len(spent) + 1)}


def test_the_studies_figures_are_the_studies() -> None:
    study = page("docs/concepts/study.md")
    given, flat = figure("true actions given"), figure("one operation a line")
    assert f"| the true next lines given, own state kept | {given.replace('; ', ' | ')} |" in study
    assert f"| expressions decomposed, one operation a line | {flat.replace('; ', ' | ')} |" in study
    swap = page("docs/concepts/tokenizers.md")
    arms = re.findall(r"([A-Z\w'\- ]+?) ([\d.]+) and ([\d.]+) %", figure("bytes against tokens"))
    assert len(arms) == 3
    for arm, strings, others in arms:
        name = arm.strip().replace("the corpus", "this corpus")
        assert re.search(rf"\| {name} \| {strings}% [^|]+\|[^|]+\| {others}% ", swap), name


def test_hostile_programs_are_counted_once() -> None:
    told = re.match(
        r"(\d+) of (\d+); exit status compared in (\d+) of them, the other (\d+)", figure("hostile programs")
    )
    assert told is not None
    same, all_, compared, tampered = told.groups()
    limits = page("docs/reference/limits.md")
    assert f"of the {all_} programs that are compared with a plain run, {same} print the same" in limits
    assert f"{tampered} of those {same}" in limits
    assert int(compared) + int(tampered) == int(same)

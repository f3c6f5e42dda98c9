"""How a page opens: the conclusion, then the failures; and what it leaves out for a file that holds only failures."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from page_layout import layout
from small_run import Changed, suite

from worldline.core.stats import RateDifference, Share
from worldline.evaluation.run.run import run
from worldline.evaluation.runs import score
from worldline.evaluation.selection import FAILURES
from worldline.evaluation.table import Chance, Table
from worldline.ui.report.debug_page import STYLE as ROW_STYLE
from worldline.ui.report.export import tables as exported
from worldline.ui.report.markup import document
from worldline.ui.report.page import STYLE, charts, render
from worldline.ui.report.report import report
from worldline.ui.report.table_markup import table_markup

CODE = "def f(n):\n    m = n + 1\n    return m\n"
SIZE = 60


@pytest.mark.usefixtures("sandbox")
def test_the_page_opens_with_its_conclusion_and_shows_failures_before_tables(tmp_path: Path) -> None:
    run(suite(), Changed((b"=10", b"=11"), (b")10", b")11"), (b"ABCABC", b"ABCABD")), out=tmp_path / "run")
    text, findings = render(tmp_path / "run")
    order = [text.index(mark) for mark in ('class="conclusion"', 'class="lead"', "id=failures", "id=accuracy")]
    assert order == sorted(order)
    assert text.index('class="failure"') < text.index('<table class="sums"')
    for label, sentence in findings.conclusion.sentences:
        assert f"<dt>{label}</dt>" in text
        assert re.sub("`([^`]*)`", r"<code>\1</code>", sentence) in text
    assert report(tmp_path / "run", out=tmp_path / "page.html").conclusion == findings.conclusion


def rows(path: Path, numbers: range | list[int], wrong: set[int]) -> Path:
    """Compact outputs of some tasks, some of them wrong."""
    lines = []
    for n in numbers:
        m = n + 1 + (n in wrong)
        lines.append(json.dumps({"id": f"task_{n}", "generation": f"(1 n={n}\n2 m={m}\n3\n){m}\n.\n"}))
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / "own.jsonl"
    lines = [json.dumps({"id": f"task_{n}", "source": CODE, "call": f"f({n})"}) for n in range(SIZE)]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.usefixtures("sandbox")
def test_a_file_of_failures_has_counts_and_no_rates(own: Path, tmp_path: Path) -> None:
    failed = [1, 4, 5, 13, 22, 23, 31, 44, 58]
    summed = score(own, rows(tmp_path / "failed.jsonl", failed, set(failed)), out=tmp_path / "run")
    assert summed.selection is not None
    assert (summed.selection.kind, summed.selection.rows, summed.selection.size) == (FAILURES, 9, SIZE)
    assert summed.as_json()["answer"]["rate"] is None
    text, findings = render(tmp_path / "run")
    assert findings.sums.selection == summed.selection
    assert "cannot be determined from this file" in text
    assert "Failure rate of each operation" not in text
    assert "Strings compared with other values" not in text
    assert "0 of 9 answers and 0 whole traces right; these are no rates" in text
    assert not [chart.name for chart in charts(findings) if chart.name in ("by-type", "by-length", "operation-rates")]
    assert "By cause" in text
    assert "operation-rates" not in exported(tmp_path / "run")


@pytest.mark.usefixtures("sandbox")
def test_a_bad_model_with_a_whole_file_keeps_its_rates(own: Path, tmp_path: Path) -> None:
    everything = range(SIZE)
    summed = score(own, rows(tmp_path / "all.jsonl", everything, set(everything)), out=tmp_path / "run")
    assert summed.has_rates
    assert summed.as_json()["answer"]["rate"] == 0.0
    text, findings = render(tmp_path / "run")
    assert findings.sums.has_rates
    assert "Failure rate of each operation" in text
    first = score(own, rows(tmp_path / "first.jsonl", range(10), set(everything)))
    assert first.has_rates


@pytest.mark.usefixtures("sandbox")
def test_a_run_stored_before_selections_were_is_looked_at_again(own: Path, tmp_path: Path) -> None:
    failed = [1, 4, 5, 13, 22, 23, 31, 44, 58]
    score(own, rows(tmp_path / "failed.jsonl", failed, set(failed)), out=tmp_path / "run")
    stored = json.loads((tmp_path / "run" / "report.json").read_text())
    del stored["selection"]
    (tmp_path / "run" / "report.json").write_text(json.dumps(stored))
    _, findings = render(tmp_path / "run")
    assert findings.sums.selection is not None
    assert (findings.sums.selection.kind, findings.sums.selection.size) == (FAILURES, None)


def widest_tables() -> list[Table]:
    """The tables with p-values, with figures as wide as they get."""
    share, apart = Share(123_456, 1_234_567), RateDifference(-0.123, -0.234, 0.111)
    tests = (Chance(1.2e-300), Chance(1.2e-300))
    heads = ("these wrong", "those wrong", "difference", "at equal length", "p", "p, Holm")
    compared = ("strings: in large tokens, others", share, share, apart, apart, *tests)
    flips = ("intervention", "", "net", "recovered of failed", "regressed of passing", "net, all samples")
    meaning = "string methods decomposed into loops over characters"
    effect = ("chars", meaning, -12_345, share, share, "+12,345 (-12,345 to +23,456)", *tests, 12_345, 12)
    return [
        Table("Strings", ("compared", *heads), (compared,)),
        Table("Interventions", (*flips, "McNemar's p", "p, Holm", "not fit", "faults"), (effect,)),
    ]


def test_no_p_value_hides_behind_a_scroll_bar_at_1300_pixels(tmp_path: Path) -> None:
    page = document("tables", ROW_STYLE + STYLE, [table_markup(table) for table in widest_tables()])
    wide = layout(page, 1300, tmp_path)
    assert wide.scrolling == ()
    assert wide.needs <= wide.width
    assert len(layout(page, 390, tmp_path).scrolling) == 2  # the measure sees a table that scrolls


@pytest.mark.usefixtures("sandbox")
def test_a_page_fits_a_phone(tmp_path: Path) -> None:
    run(suite(), Changed((b"=10", b"=11"), (b")10", b")11"), (b"ABCABC", b"ABCABD")), out=tmp_path / "run")
    narrow = layout(render(tmp_path / "run")[0], 390, tmp_path)
    assert narrow.needs <= narrow.width <= 390

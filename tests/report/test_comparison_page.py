"""Several runs on one page: the figures are those of `compare`, every flip shows both traces, nothing is hidden."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from small_run import EVIL, Changed, suite
from test_report import Dom, interventions, is_alone

from worldline.cli.runs import report as verb
from worldline.core.clusters.shares import clustered
from worldline.core.errors import UsageError
from worldline.core.stats import Paired, RateDifference, Share, holm, tango
from worldline.evaluation.compare import align, compare
from worldline.evaluation.run.directory import INTERVENTIONS_FILE
from worldline.evaluation.run.run import run
from worldline.evaluation.suites.suite import Suite
from worldline.evaluation.table import Chance
from worldline.predict.interpreter import Interpreter
from worldline.ui.report.comparison.data import gather_runs
from worldline.ui.report.comparison.flips import joined
from worldline.ui.report.comparison.main_table import main_latex
from worldline.ui.report.comparison.page import charts, render_comparison
from worldline.ui.report.comparison.tables import tables
from worldline.ui.report.report import report
from worldline.ui.session.side_by_side import CellPiece, ComparedRow

pytestmark = pytest.mark.usefixtures("sandbox")
WRONG_SUM = ((b"=10", b"=11"), (b")10", b")11"))
WRONG_WORD = ((b"ABCABC", b"ABCABD"),)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory, sandbox: None) -> list[Path]:
    """Three runs of one suite: one gets a sum wrong, one a word, one nothing."""
    folder = tmp_path_factory.mktemp("compared")
    run(suite(), Changed(*WRONG_SUM, name="sums"), out=folder / "a")
    run(suite(), Changed(*WRONG_WORD, name="words"), out=folder / "b")
    run(suite(), Interpreter(), out=folder / "c")
    return [folder / name for name in "abc"]


def test_the_page_has_every_part_and_every_flip(runs: list[Path]) -> None:
    text, compared, chosen, unread = render_comparison(runs, limit=10)
    dom = Dom(text)
    is_alone(dom, text)
    assert unread == 0
    # The sum at place 1 flips against both others, the word at place 4 against one.
    assert [flip for flip in dom.ids if flip.startswith("flip-")] == ["flip-1-1", "flip-2-4", "flip-2-1"]
    assert len(chosen) == 3
    figures = ["models", "differences", "by-length", "by-type", "causes", "operations"]
    assert [each for each in dom.ids if each.startswith("figure-")] == [f"figure-{name}" for name in figures]
    links = {value[1:] for _, name, value in dom.attributes if name == "href"}
    assert links <= set(dom.ids)
    assert links == {"models", "conclusions", "flips", "accuracy", "causes", "costs"}
    assert compared.labels == ("sums", "interpreter", "words")
    assert len(dict.fromkeys(dom.ids)) == len(dom.ids)


def test_the_main_table_is_that_of_the_paired_comparison(runs: list[Path]) -> None:
    compared = gather_runs(runs)
    main = tables(compared)["models"]
    assert [row[0] for row in main.rows] == ["sums", "interpreter", "words"]
    assert main.rows[0][3:6] == (None, None, None)
    for row, path in ((main.rows[1], runs[2]), (main.rows[2], runs[1])):
        pairs = compare(runs[0], path).answer
        assert isinstance(row[2], Share)
        assert (row[1], row[2].some) == (5, pairs.right + pairs.recovered)
        assert isinstance(row[3], RateDifference)
        assert row[3].rate == pytest.approx(pairs.net / 5)
    ps = [cell.p for row in main.rows[1:] if isinstance(cell := row[4], Chance)]
    assert [row[5] for row in main.rows[1:]] == [Chance(p) for p in holm(ps)]
    assert "Tango's score interval" in main.note
    assert "Holm's correction for 2 comparisons" in main.note
    two = tables(gather_runs(runs[:2]))["models"]
    assert "Holm" not in two.note


def test_calls_of_one_function_are_one_cluster(runs: list[Path]) -> None:
    """Three samples are calls of one function, two of another: five samples of two programs."""
    compared = gather_runs(runs)
    assert compared.is_clustered
    share = compared.baseline.right("answer")
    assert (share.some, share.n, share.clusters) == (4, 5, 2)
    assert share == clustered([(2, 3), (2, 2)])
    assert "clustered by program" in tables(compared)["models"].note
    change = compared.change(compared.others[0], "answer")
    plain = tango(Paired(4, 0, 1, 0))
    assert plain is not None
    assert change.difference is not None
    assert change.difference.high >= plain.high


def test_the_order_of_the_other_runs_changes_nothing(runs: list[Path]) -> None:
    first, *others = runs
    assert render_comparison([first, *others], limit=9)[0] == render_comparison([first, *others[::-1]], limit=9)[0]


def test_a_flip_shows_who_is_right_why_the_other_is_not_and_both_traces(runs: list[Path]) -> None:
    text, *_ = render_comparison(runs[:2], limit=9)
    start = text.index('id="flip-1-1"')
    card = text[start : text.index("</pre>", start)]
    assert "words right; sums: wrong value" in card
    assert "<th>actual<th>sums<th>words" in card
    assert card.count('<tr class="first">') == 1
    row = card[card.index('<tr class="first">') :].partition("</tr>")[0]
    cells = [re.sub("<[^>]+>", "", cell) for cell in row.split("<td")[4:]]
    assert [cell.partition(">")[2] for cell in cells] == ["s=10", "✗ s=11", "s=10"]
    assert "<dt>sums</dt><dd>answer wrong, trace wrong; return 11. wrong value: s is 10, predicted 11" in card
    assert "<dt>words</dt><dd>answer right, trace right; return 10</dd>" in card
    other = text[text.index('id="flip-1-4"') :]
    assert "sums right; words: wrong value" in other.partition("</summary>")[0]


def test_flips_are_spread_over_the_runs_and_what_is_left_out_is_said(runs: list[Path]) -> None:
    text, _, chosen, _ = render_comparison(runs, limit=2)
    assert [flip.run for flip in chosen] == [1, 2]
    assert "1 of 2" in Dom(text).text
    assert "--max-failures shows more" in text
    none, _, chosen, _ = render_comparison(runs, limit=0)
    assert chosen == []
    assert Dom(none).tags["details"] == 0


def test_runs_in_other_notations_are_compared_in_two_tables(tmp_path: Path) -> None:
    run(suite(), Changed(*WRONG_SUM, name="compact"), out=tmp_path / "a")
    run(suite(), Changed(codec="cwm", name="cwm"), out=tmp_path / "b")
    text, *_ = render_comparison([tmp_path / "a", tmp_path / "b"], limit=9)
    card = text[text.index('id="flip-1-1"') :].partition("</pre>")[0]
    assert card.count('class="flip-traces"') == 2
    assert "<th>actual<th>compact</tr>" in card
    assert "<th>actual<th>cwm</tr>" in card


def test_samples_that_another_run_lacks_are_named_and_in_no_rate(runs: list[Path], tmp_path: Path) -> None:
    whole = suite()
    run(Suite(name="generated", tasks=list(whole.tasks)[:3]), Interpreter(), out=tmp_path / "short")
    aligned = align([runs[0], runs[1], tmp_path / "short"])
    assert [len(names) for names in aligned.unpaired] == [2, 2, 0]
    assert len(aligned.places) == 3
    text, compared, *_ = render_comparison([runs[0], runs[1], tmp_path / "short"], limit=9)
    assert compared.n == 3
    assert "sums: 2 samples that another run lacks, not compared: abc/1, abc/2." in Dom(text).text
    assert "flip-1-4" not in text


def test_runs_of_one_model_are_told_apart_by_their_folders(runs: list[Path], tmp_path: Path) -> None:
    shutil.copytree(runs[0], tmp_path / "again")
    compared = gather_runs([runs[0], tmp_path / "again", runs[1]])
    assert compared.labels == ("sums (a)", "words", "sums (again)")
    shutil.copytree(runs[0], tmp_path / "other" / "a")
    assert gather_runs([runs[0], tmp_path / "other" / "a"]).labels == ("sums (a) 1", "sums (a) 2")


def test_interventions_stand_side_by_side(runs: list[Path], tmp_path: Path) -> None:
    assert "interventions" not in Dom(render_comparison(runs[:2], limit=0)[0]).ids
    shutil.copytree(runs[0], tmp_path / "tried")
    (tmp_path / "tried" / INTERVENTIONS_FILE).write_text(json.dumps(interventions().as_json()))
    text, compared, *_ = render_comparison([tmp_path / "tried", runs[1]], limit=0)
    assert "interventions" in Dom(text).ids
    table = tables(compared)["interventions"]
    assert table.rows[0] == ("repair", Share(1, 1), 1)
    assert table.heads == ("intervention", "sums: fixed of failed", "net")
    assert "Not tried: words" in table.note


def test_hostile_names_and_values_do_nothing(tmp_path: Path) -> None:
    evil = EVIL.encode() + b"\xff\xfe"
    run(suite(evil=True), Changed((b"=10", b"='" + evil + b"'"), (b"!", evil), name=EVIL), out=tmp_path / "a")
    run(suite(evil=True), Interpreter(), out=tmp_path / "b")
    text, compared, *_ = render_comparison([tmp_path / "a", tmp_path / "b"], limit=9)
    dom = Dom(text)
    is_alone(dom, text)
    assert "<script>alert(1)</script>" in dom.text
    latex = main_latex(tables(compared)["models"], EVIL)
    assert "\x1b" not in latex
    assert r"\textless{}" in latex


def test_the_main_table_is_latex_with_a_row_for_each_run(runs: list[Path]) -> None:
    latex = main_latex(tables(gather_runs(runs))["models"], "generated")
    body = latex.partition(r"\midrule")[2].partition(r"\bottomrule")[0].strip().splitlines()
    assert len(body) == 3
    assert all(row.count(" & ") == 7 and row.endswith(r" \\") for row in body)
    assert re.fullmatch(
        r"sums & 5 & 80\.0 \[[\d.]+, [\d.]+\] & -- & -- & 60\.0 \[[\d.]+, [\d.]+\] & -- & -- \\\\", body[0]
    )
    assert re.search(r"& \$\+20\.0\$ \[\$[-+][\d.]+\$, \$\+[\d.]+\$\] & 1\.000 &", body[1])
    assert latex.count(r"\begin{") == latex.count(r"\end{") == 2
    assert r"\toprule" in latex
    assert "after Holm" in latex


def test_all_right_runs_have_no_causes_and_no_flips(tmp_path: Path) -> None:
    for name in "ab":
        run(suite(), Interpreter(), out=tmp_path / name)
    text, *_ = render_comparison([tmp_path / "a", tmp_path / "b"], limit=9)
    dom = Dom(text)
    assert "causes" not in dom.ids
    assert dom.tags["details"] == 0
    assert "No significant difference from interpreter (a) with 5 samples: interpreter (b)." in dom.text


def test_runs_without_a_common_sample_or_suite_are_refused(runs: list[Path], tmp_path: Path) -> None:
    run(Suite(name="other", tasks=suite().tasks), Interpreter(), out=tmp_path / "other")
    with pytest.raises(UsageError, match="only runs of one suite"):
        gather_runs([runs[0], runs[1], tmp_path / "other"])
    tasks = list(suite().tasks)
    for name, part in (("first", tasks[:2]), ("last", tasks[3:])):
        run(Suite(name="generated", tasks=part), Interpreter(), out=tmp_path / name)
    with pytest.raises(UsageError, match="no sample in common"):
        gather_runs([tmp_path / "first", tmp_path / "last"])


def row(step: int | None, *, actual: bool, predicted: str | None, kind: str = "same") -> ComparedRow:
    """A row of one comparison."""
    wanted = (CellPiece("x"),) if actual else None
    return ComparedRow(kind=kind, step=step, wanted=wanted, got=None if predicted is None else (CellPiece(predicted),))


def test_rows_are_joined_by_true_step_and_others_stand_between() -> None:
    first = [row(0, actual=True, predicted="a0"), row(1, actual=True, predicted="a1", kind="first")]
    second = [row(0, actual=True, predicted="b0"), row(1, actual=False, predicted="b extra", kind="first")]
    second += [row(1, actual=True, predicted=None, kind="alone"), row(2, actual=True, predicted="b2")]
    rows = joined([first, second])
    texts = [[cell.got[0].text if cell and cell.got else "" for cell in joined_row.cells] for joined_row in rows]
    assert texts == [["a0", "b0"], ["", "b extra"], ["a1", ""], ["", "b2"]]
    assert [joined_row.is_first for joined_row in rows] == [False, True, True, False]


def test_the_command_writes_one_page_about_one_run_and_a_comparison_of_several(
    runs: list[Path], tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib")
    names = [str(path) for path in runs]
    out, figures, latex = (str(tmp_path / name) for name in ("page.html", "figures", "main.tex"))
    done = CliRunner().invoke(verb, [*names, "-o", out, "--figures", figures, "--main-table", latex])
    assert done.exit_code == 0, done.output
    assert done.output.startswith(f"{out}: 3 runs, 5 samples, 3 of 3 flips\n{latex}\n")
    compared = gather_runs(runs)
    drawn = {chart.name for chart in charts(compared, tables(compared))}
    assert {path.name for path in Path(figures).iterdir()} == {f"{n}.{kind}" for n in drawn for kind in ("pdf", "svg")}
    done = CliRunner().invoke(verb, [names[0], "-o", out])
    assert done.exit_code == 0
    assert "flips" not in done.output
    with pytest.raises(UsageError, match="--main-table needs several runs"):
        report(names[0], main_table=latex)
    shutil.copytree(runs[0], tmp_path / "mine")
    assert report(tmp_path / "mine", runs[1]).page == tmp_path / "mine" / "comparison.html"

"""A leaderboard: who shares a column, a row and a rank; real runs and outputs made elsewhere on one page."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest
from small_run import EVIL, Changed, suite
from test_report import Dom

import worldline
from worldline.cli import main
from worldline.core.errors import UsageError
from worldline.core.stats import Share
from worldline.evaluation.leaderboard.asking import model_name, settings_of, way_of_asking
from worldline.evaluation.leaderboard.board import Board, BoardCell, BoardRow, arrange
from worldline.evaluation.leaderboard.entry import BoardEntry, BoardFlag, headline, read_entry
from worldline.evaluation.leaderboard.find import FoundRun, find_runs
from worldline.evaluation.leaderboard.stored import CSV, DATA, PAGE
from worldline.evaluation.run.directory import MANIFEST, REPORT
from worldline.evaluation.run.run import run
from worldline.evaluation.selection import Selection
from worldline.evaluation.suites import SUITES
from worldline.evaluation.suites.published import _all_rows, published_rows
from worldline.evaluation.table import Table
from worldline.predict.interpreter import Interpreter
from worldline.predict.prediction import PredictionRequest
from worldline.ui.report.leaderboard.board_page import board_page

# ---- which runs compare: pure data


def entry(
    model: str = "m",
    right: int = 5,
    n: int = 10,
    *,
    suite: str = "generated",
    programs: range | None = None,
    row: str = "",
    is_ranked: bool = True,
    settings: dict[str, str] | None = None,
    seed: str = "0",
    flags: tuple[BoardFlag, ...] = (),
    weights: str = "",
    withheld: Share | None = None,
) -> BoardEntry:
    """A run of which `right` of `n` answers are right, on programs that are numbers."""
    judged = programs if programs is not None else range(n)
    name = f"{model}{row}-{suite}-{judged}-{seed}-{right}"
    return BoardEntry(
        run=FoundRun(Path(name), name, name),
        row=model + row,
        model=model,
        way=(),
        suite=suite,
        settings=settings or {},
        seed=seed,
        weights=weights,
        programs=frozenset(map(str, judged)),
        n=n,
        figures={} if withheld else {"answer": Share(right, n)},
        withheld=withheld,
        flags=flags,
        is_ranked=is_ranked,
    )


def cell(board: Board, model: str, column: int = 0) -> BoardCell:
    """The measured cell of a model."""
    found = next(row.cells[column] for row in board.rows if row.model == model and row.source is None)
    assert found is not None
    return found


def test_runs_of_the_same_programs_share_a_column() -> None:
    board = arrange([entry("a"), entry("b", 7)])
    assert [(column.suite, column.settings, column.programs) for column in board.columns] == [("generated", (), 10)]
    assert [row.model for row in board.rows] == ["b", "a"]


@pytest.mark.parametrize(
    ("other", "label"),
    [
        (entry("b", programs=range(100, 110), seed="7"), "seed 7"),
        (entry("b", programs=range(100, 110)), "programs 2"),
        (entry("b", settings={"language": "js"}), "language js"),
        (entry("b", settings={"calls": "0"}), "calls 0"),
    ],
)
def test_other_programs_or_settings_are_another_column(other: BoardEntry, label: str) -> None:
    board = arrange([entry("a"), other])
    assert len(board.columns) == 2
    assert label in [phrase for column in board.columns for phrase in column.settings]
    assert all(sum(cell is not None for cell in row.cells) == 1 for row in board.rows)


def test_a_part_of_the_programs_is_flagged_and_has_no_rank() -> None:
    board = arrange([entry("a", 5), entry("b", 9), entry("part", 3, 4, programs=range(4))])
    assert len(board.columns) == 1
    assert [flag.name for flag in cell(board, "part").flags] == ["part"]
    assert cell(board, "part").ranks == {}
    assert cell(board, "a").ranks == {"answer": (1, 2)}


def test_ranks_are_the_range_that_the_intervals_allow() -> None:
    board = arrange([entry("best", 99, 100), entry("good", 90, 100), entry("same", 85, 100), entry("bad", 10, 100)])
    ranks = {row.model: row.cells[0].ranks["answer"] for row in board.rows if row.cells[0] is not None}
    assert ranks == {"best": (1, 1), "good": (2, 3), "same": (2, 3), "bad": (4, 4)}


def test_whoever_does_not_compete_has_no_rank_and_takes_none() -> None:
    forced = entry("forced", 10, is_ranked=False, flags=(BoardFlag("forced", "fed"),))
    board = arrange([entry("a", 5), entry("b", 5), forced])
    assert cell(board, "forced").ranks == {}
    assert cell(board, "a").ranks == cell(board, "b").ranks == {"answer": (1, 2)}


def test_one_run_alone_has_no_rank() -> None:
    assert cell(arrange([entry("a")]), "a").ranks == {}


def test_repeats_share_a_cell_and_the_worst_of_equal_size_counts() -> None:
    board = arrange([entry("a", 9), entry("a", 4), entry("a", 2, 3, programs=range(3))])
    shown = cell(board, "a")
    assert shown.figures["answer"] == Share(4, 10)
    assert [len(one.programs) for one in shown.entries] == [10, 10, 3]


def test_rows_that_look_alike_are_told_apart() -> None:
    board = arrange([entry("a", row="1", weights="12345678ff"), entry("a", row="2", weights="87654321ff")])
    assert sorted(row.way for row in board.rows) == ["weights 12345678", "weights 87654321"]
    board = arrange([entry("a", row="1"), entry("a", row="2")])
    assert sorted(row.way for row in board.rows) == ["setting 1", "setting 2"]


def test_rows_without_a_figure_come_last() -> None:
    withheld = entry("selected", withheld=Share(1, 10), is_ranked=False)
    board = arrange([withheld, entry("a", 1), entry("b", 2), entry("elsewhere", 10, suite="horizon")])
    assert [row.model for row in board.rows] == ["b", "a", "elsewhere", "selected"]


# ---- published rows


def test_every_published_row_has_a_source_and_a_possible_figure() -> None:
    rows = _all_rows()
    assert len(rows) > 60
    assert {row.suite for row in rows} <= set(SUITES)
    # A study of this project has a page in its documentation.
    assert all(row.source.url.startswith(("https://", "docs/concepts/")) and row.source.measured for row in rows)
    assert all(0 <= figure <= 100 for row in rows for figure in row.figures.values())
    assert len({(row.suite, row.model, row.way, row.source) for row in rows}) == len(rows)


def test_published_rows_stand_only_in_the_column_of_their_suite() -> None:
    crux = entry("a", 400, 800, suite="crux")
    js = entry("a", 400, 800, suite="crux", settings={"language": "js"}, programs=range(1000, 1800))
    board = arrange([crux, js, entry("a", suite="generated")])
    at = next(at for at, column in enumerate(board.columns) if column.suite == "crux" and not column.settings)
    cited = [row for row in board.rows if row.source is not None]
    assert {(row.model, row.way) for row in cited} == {(row.model, row.way) for row in published_rows("crux")}
    assert all([place for place, cell in enumerate(row.cells) if cell is not None] == [at] for row in cited)
    assert all(row.cells[at].ranks == {} for row in cited if row.cells[at] is not None)


def test_a_published_row_for_another_number_of_samples_says_so() -> None:
    board = arrange([entry("a", 4, 8, suite="crux")])
    gpt = next(row for row in board.rows if row.model == "GPT-4 (0613)" and row.way == "direct")
    assert gpt.cells[0] is not None
    assert gpt.cells[0].figures == {"answer": 68.7}
    assert [flag.name for flag in gpt.cells[0].flags] == ["n = 800"]


# ---- what a configuration says


@pytest.mark.parametrize(
    ("config", "model", "way"),
    [
        ({"model": "default, scratchpad auto", "scheme": "default", "scratchpad": "auto"},
         "worldline, shipped model", ("scratchpad auto",)),
        ({"scheme": "server:http://10.0.0.1:8000#cwm", "how": {"way": "chat", "codec": "cwm"}},
         "cwm", ("asked by chat", "Meta's format")),
        ({"scheme": "models/mine/", "force": ["queries"], "queries": 3}, "mine", ("queries forced (3)",)),
        ({"scheme": "hub:a/b", "samples": 5, "voters": [{"scheme": "default"}], "extras": {"temperature": "1"}},
         "hub:a/b", ("vote of 5 samples", "voters worldline, shipped model", "temperature 1")),
        ({"scheme": "m", "extras": {"seed": "3", "threads": "2"}}, "m", ()),
        ({"suite": "generated", "model": "file.jsonl", "predictions": "0f", "options": {"seed": 0}},
         "file.jsonl", ("outputs of a file",)),
    ],
)  # fmt: skip
def test_a_row_is_the_model_and_how_it_was_asked(config: dict[str, object], model: str, way: tuple[str, ...]) -> None:
    assert (model_name(config), way_of_asking(config)) == (model, way)


def test_settings_are_those_that_choose_the_programs() -> None:
    options = {"seed": 3, "data": "x", "calls": 0, "reveal": 4, "language": None}
    config = {"suite": "humaneval", "options": options}
    assert settings_of(config) == {"calls": "0"}
    assert way_of_asking(config) == ("reveal 4",)
    assert settings_of({"suite": "humaneval", "options": {"calls": 3}}) == {}


def test_a_measured_suite_shows_the_row_that_sums_up() -> None:
    table = Table("t", ("row", "n", "right"), (("a", 2, Share(1, 2)), ("all", 4, Share(3, 4))))
    assert headline("branches", table) == {"right": Share(3, 4)}
    outcomes = Table("t", ("right", "wrong"), ((Share(1, 4), Share(3, 4)),))
    assert headline("crux-input", outcomes) == {"right": Share(1, 4)}


# ---- the page


def links(text: str) -> list[str]:
    return re.findall(r'href="([^"]+)"', text)


def test_the_page_runs_its_own_script_alone_and_escapes_everything() -> None:
    entries = [entry(EVIL, suite="crux"), entry("b", 1, suite=EVIL, flags=(BoardFlag(EVIL, EVIL),))]
    board = arrange(entries)
    text = board_page(board, {one.run.origin: f"{at}.html" for at, one in enumerate(entries)})
    dom = Dom(text)
    assert dom.tags["script"] == 1
    assert dom.tags["main"] == 1
    assert not [name for _, name, _ in dom.attributes if name.startswith("on") or name in ("src", "style")]
    policy = next(value for tag, _, value in dom.attributes if tag == "meta" and "default-src" in value)
    assert re.fullmatch(r"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-[\w+/]+='", policy)
    assert "</script><img" not in text
    assert "alert(1)</script>" not in text


def test_the_published_rows_are_marked_and_linked() -> None:
    one = entry("mine", 400, 800, suite="crux")
    text = board_page(arrange([one]), {one.run.origin: "r.html"})
    rows = re.findall(r'<tr class="(measured|published)">(.*?)</tr>', text)
    kinds = [kind for kind, _ in rows]
    assert kinds.count("measured") == 1
    assert kinds.count("published") == len(published_rows("crux"))
    assert all("not measured" not in cells and ">published</a>" in cells for kind, cells in rows if kind == "published")
    assert "published, not measured here" in text
    assert {row.source.url for row in published_rows("crux")} <= set(links(text))


def test_selected_samples_show_counts_and_no_rate() -> None:
    one = entry("picked", withheld=Share(2, 10), is_ranked=False)
    text = board_page(arrange([one, entry("b")]), dict.fromkeys((one.run.origin, entry("b").run.origin), "r.html"))
    row = next(line for line in text.split("<tr ") if "picked" in line)
    assert "2 of 10 right" in row
    assert "data-value" not in row


# ---- real runs


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory, sandbox: None) -> Path:
    """Two runs of five programs in nested folders: one is right, one gets an answer wrong."""
    folder = tmp_path_factory.mktemp("board") / "runs"
    run(suite(), Changed(name="right"), out=folder / "right")
    run(suite(), Changed((b"=10", b"=11"), (b")10", b")11"), name="wrong"), out=folder / "nested" / "wrong")
    return folder


@pytest.fixture(scope="module")
def board(runs: Path) -> Path:
    out = runs.parent / "board"
    worldline.leaderboard([runs], out, labels={str(runs / "nested"): "My model"})
    return out


def test_every_cell_links_to_its_report(board: Path) -> None:
    text = (board / PAGE).read_text()
    pages = [link for link in links(text) if link.endswith(".html")]
    assert len(set(pages)) == 2
    assert all((board / page).read_text().startswith("<!doctype html>") for page in pages)
    data = json.loads((board / DATA).read_text())
    rows = {row["model"]: row["cells"][0] for row in data["rows"]}
    assert set(rows) == {"right", "My model"}
    assert rows["right"]["figures"]["answer"]["percent"] == 100.0
    assert rows["My model"]["figures"]["answer"]["percent"] == 80.0
    assert "1 of 5 answers" in rows["My model"]["runs"][0]["conclusion"]["where"]
    assert rows["My model"]["runs"][0]["run"] == "runs/nested/wrong"


def test_the_csv_has_one_line_per_figure(board: Path) -> None:
    lines = list(csv.DictReader((board / CSV).read_text().splitlines()))
    figures = {(line["model"], line["figure"]): (line["percent"], line["n"], line["kind"]) for line in lines}
    assert figures["My model", "answer"] == ("80.00", "5", "measured")
    assert len(lines) == 4


def test_verify_reads_it_and_finds_a_changed_byte(board: Path, tmp_path: Path) -> None:
    assert worldline.verify(board) == []
    copy = tmp_path / "copy"
    copy.mkdir()
    for file in board.iterdir():
        (copy / file.name).write_bytes(file.read_bytes())
    (copy / PAGE).write_bytes((copy / PAGE).read_bytes().replace(b"My model", b"No model"))
    assert [PAGE in finding for finding in worldline.verify(copy)] == [True]
    (copy / MANIFEST).unlink()
    assert "has no manifest.json" in worldline.verify(copy)[0]


def test_it_is_written_again_and_drops_old_reports(runs: Path, tmp_path: Path) -> None:
    out = tmp_path / "board"
    worldline.leaderboard([runs], out)
    assert len(list(out.glob("report-*.html"))) == 2
    worldline.leaderboard([runs / "right", runs / "right"], out)
    assert [path.name for path in out.glob("report-*.html")] == ["report-1-generated-right.html"]
    assert worldline.verify(out) == []


def test_a_run_without_its_end_is_flagged(runs: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut"
    cut.mkdir()
    for file in (runs / "right").iterdir():
        if file.name not in (REPORT, MANIFEST):
            (cut / file.name).write_bytes(file.read_bytes())
    (found,) = find_runs([cut])
    read = read_entry(found)
    assert [flag.name for flag in read.flags] == ["incomplete"]
    assert not read.is_ranked


def test_selected_samples_have_no_rate(runs: Path, tmp_path: Path) -> None:
    """A scored file of failures says so in the report that it stores."""
    picked = tmp_path / "picked"
    picked.mkdir()
    for file in (runs / "right").iterdir():
        (picked / file.name).write_bytes(file.read_bytes())
    report = json.loads((picked / REPORT).read_text())
    selection = Selection("failures", rows=5, right=1, judged=5, size=100)
    (picked / REPORT).write_text(json.dumps(report | {"selection": selection.as_json()}))
    read = read_entry(find_runs([picked])[0])
    assert read.figures == {}
    assert read.withheld == Share(5, 5)
    assert [(flag.name, flag.note) for flag in read.flags] == [("selected", selection.note)]
    assert not read.is_ranked


def test_a_run_of_the_first_format_is_read() -> None:
    read = read_entry(find_runs([Path(__file__).parents[1] / "formats" / "run-v1"])[0])
    assert read.n == len(read.programs) > 0
    assert set(read.figures) == {"answer", "trace"}


def test_outputs_in_metas_format_share_the_column_of_a_run(runs: Path, tmp_path: Path) -> None:
    """There the program has a `main`, but it is the same program."""
    tasks = list(suite().tasks)
    asks = [PredictionRequest(program=task.program) for task in tasks]
    texts = [prediction.text.decode() for prediction in Interpreter(codec="cwm").predict(asks)]
    programs = [task.program for task in tasks]
    rows = [
        {"id": task.name, "text": text, "code": program.source, "call": program.call}
        for task, text, program in zip(tasks, texts, programs, strict=True)
    ]
    outputs = tmp_path / "meta.jsonl"
    outputs.write_text("".join(json.dumps(row) + "\n" for row in rows))
    worldline.score("generated", outputs, out=tmp_path / "meta")
    written = worldline.leaderboard([runs, tmp_path / "meta"], tmp_path / "board")
    assert [(column.suite, column.programs) for column in written.board.columns] == [("generated", 5)]
    assert cell(written.board, "meta.jsonl").figures["answer"] == Share(5, 5)
    assert cell(written.board, "meta.jsonl").flags == ()


def test_several_outputs_of_a_task_are_one_cluster(runs: Path, tmp_path: Path) -> None:
    records = [json.loads(line) for line in (runs / "nested" / "wrong" / "records.jsonl").read_text().splitlines()]
    rows = [
        {"id": record["name"], "text": record["text"], "code": record["source"], "call": record["run"]["call"]}
        for record in records
    ]
    outputs = tmp_path / "samples.jsonl"
    outputs.write_text("".join(json.dumps(row) + "\n" for row in rows * 4))
    worldline.score("generated", outputs, out=tmp_path / "samples")
    once, often = (read_entry(find_runs([path])[0]) for path in (runs / "nested", tmp_path / "samples"))
    assert (often.n, len(often.programs)) == (20, 5)
    single, repeated = once.figures["answer"], often.figures["answer"]
    assert isinstance(single, Share)
    assert isinstance(repeated, Share)
    assert repeated.rate == single.rate == 0.8
    # Four equal samples of a program tell nothing new.
    assert repeated.interval[1] - repeated.interval[0] >= single.interval[1] - single.interval[0]


@pytest.mark.parametrize(
    ("places", "labels", "why"),
    [
        (["missing"], {}, "does not exist"),
        (["empty"], {}, "contains no run"),
        (["runs"], {"elsewhere": "x"}, "is not among the runs"),
    ],
)
def test_what_cannot_be_a_leaderboard_is_refused(
    runs: Path, tmp_path: Path, places: list[str], labels: dict[str, str], why: str
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "elsewhere").mkdir()
    folders = {"runs": runs}
    named = {str(tmp_path / where): label for where, label in labels.items()}
    with pytest.raises(UsageError, match=why):
        worldline.leaderboard([folders.get(place, tmp_path / place) for place in places], tmp_path / "o", labels=named)


def test_a_folder_with_something_else_is_not_overwritten(runs: Path, tmp_path: Path) -> None:
    (tmp_path / PAGE).write_text("mine")
    with pytest.raises(UsageError, match="not a leaderboard"):
        worldline.leaderboard([runs], tmp_path)
    assert (tmp_path / PAGE).read_text() == "mine"


def test_outputs_made_elsewhere_enter_through_score(
    tmp_path: Path, sandbox: None, capsys: pytest.CaptureFixture[str]
) -> None:
    """The whole path of docs/how-to/leaderboard.md: bench, score, leaderboard, verify."""
    runs = tmp_path / "runs"
    assert main(["bench", "generated", "--model", "interpreter", "--max-programs", "6", "-o", str(runs / "a")]) == 0
    records = [json.loads(line) for line in (runs / "a" / "records.jsonl").read_text().splitlines()]
    outputs = tmp_path / "outputs.jsonl"
    texts = [record["text"] if at else record["text"][:5] for at, record in enumerate(records)]
    rows = [{"id": record["name"], "text": text} for record, text in zip(records, texts, strict=True)]
    outputs.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert main(["score", "generated", str(outputs), "-o", str(runs / "b")]) == 0
    out = str(tmp_path / "board")
    capsys.readouterr()
    assert main(["leaderboard", str(runs), "--label", f"{runs / 'b'}=Their model", "-o", out]) == 0
    assert "2 runs, 2 rows, 0 published, 1 column" in capsys.readouterr().out
    assert main(["verify", out]) == 0
    data = json.loads((tmp_path / "board" / DATA).read_text())
    (column,) = data["columns"]
    assert (column["suite"], column["programs"]) == ("generated", 6)
    truth, theirs = data["rows"]
    assert [flag["name"] for flag in truth["cells"][0]["flags"]] == ["executed"]
    assert (theirs["model"], theirs["way"]) == ("Their model", "outputs of a file")
    assert theirs["cells"][0]["n"] == 6
    assert round(theirs["cells"][0]["figures"]["answer"]["percent"], 1) == 83.3


def test_a_measured_suite_has_its_figures_and_its_own_report(tmp_path: Path, sandbox: None) -> None:
    worldline.bench("states", "interpreter", max_programs=2, out=tmp_path / "run")
    written = worldline.leaderboard([tmp_path / "run"], tmp_path / "board")
    (column,) = written.board.columns
    assert column.figures[:2] == ("answers", "steps")
    row: BoardRow = written.board.rows[0]
    assert row.cells[0] is not None
    (page,) = (tmp_path / "board").glob("report-*.html")
    assert "by forcing" in page.read_text()

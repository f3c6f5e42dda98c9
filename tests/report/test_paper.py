"""Published tables for any model: right for the interpreter, beside their sources, said first, stored, resumed."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner
from plain_predictor import PlainPredictor
from small_run import Changed

import worldline
from worldline.cli import cli
from worldline.core.errors import UsageError
from worldline.core.stats import Share
from worldline.evaluation.run.directory import RECORDS, read_records
from worldline.evaluation.suites.published import published_rows
from worldline.predict.interpreter import Interpreter
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.ui.report.paper.estimate import PaperEstimate, RunEstimate, duration
from worldline.ui.report.paper.record import PaperRun
from worldline.ui.report.paper.tables import TABLES
from worldline.ui.report.paper.write import WrittenPaper, paper

REPOSITORY = Path(__file__).parents[2]
SVG = "{http://www.w3.org/2000/svg}"
ROWS = (
    {"code": "def f(s):\n    return s.upper()[::-1]", "input": "'abc'", "output": "'CBA'", "id": "sample_0"},
    {"code": "def f(n):\n    n = n * 2\n    return n", "input": "4", "output": "8", "id": "sample_1"},
    {"code": "def f(xs):\n    xs.append(3)\n    return xs", "input": "[1]", "output": "[1, 3]", "id": "sample_2"},
)
CITED = {
    "cruxeval": "2510.02387",
    "permutation": "2602.07672",
    "failures": "2602.07672",
    "strings": "2602.07672",
    "composition": "2602.07672",
    "tokenizers": "docs/concepts/tokenizers.md",
}


class Counting(PlainPredictor):
    """The truth, and how often it was asked for."""

    name = "counting"

    def __init__(self) -> None:
        self.requests = 0

    def predict(self, asks: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        for prediction in Interpreter().predict(asks):
            self.requests += 1
            yield replace(prediction, seconds=0.5)


@pytest.fixture(scope="module")
def crux(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file like CRUXEval's."""
    path = tmp_path_factory.mktemp("data") / "cruxeval.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, crux: Path, sandbox: None) -> WrittenPaper:
    """Every table of the interpreter, in small."""
    pytest.importorskip("matplotlib")
    out = tmp_path_factory.mktemp("paper")
    return paper("all", model="interpreter", out=out, data=crux, max_programs=10)


# ---- the tables


def test_there_is_a_caption_for_every_table_and_no_other() -> None:
    assert list(worldline.paper_tables()) == list(TABLES) == list(CITED)
    path = REPOSITORY / "src/worldline/ui/report/paper/captions.toml"
    assert tomllib.loads(path.read_text("utf-8")).keys() == TABLES.keys()


def test_the_interpreter_is_right_in_every_table(whole: WrittenPaper) -> None:
    assert list(whole.tables) == list(TABLES)
    for name, written in whole.tables.items():
        measured = [row for row in written.table.rows if row[-1] == "measured"]
        shares = [cell for row in measured for cell in row if isinstance(cell, Share) and cell.n]
        assert shares or name == "failures", name
        assert {share.rate for share in shares} <= ({0.0} if name in ("strings", "tokenizers") else {1.0}), name


@pytest.mark.parametrize("name", CITED)
def test_published_rows_stand_beside_with_their_sources(whole: WrittenPaper, name: str) -> None:
    written = whole.tables[name]
    marks = [re.match(r"\[(\d+)\]", str(row[-1])) for row in written.table.rows if row[-1] not in ("measured", None)]
    assert marks
    assert all(marks)
    assert {int(mark[1]) for mark in marks if mark} == set(range(1, len(written.sources) + 1))
    assert any(CITED[name] in source for source in written.sources)
    assert CITED[name].rpartition("/")[2] in written.latex.read_text("utf-8")


def test_every_published_answer_of_crux_is_in_its_table(whole: WrittenPaper) -> None:
    rows = {(row[0], row[1]): row[2] for row in whole.tables["cruxeval"].table.rows}
    for row in published_rows("crux"):
        if "answer" in row.figures:
            assert rows[row.model, row.way] == row.figures["answer"]


def test_the_figures_of_the_tokenizer_study_are_the_studys() -> None:
    page = (REPOSITORY / "docs/concepts/tokenizers.md").read_text("utf-8")
    for row in published_rows("states"):
        cells = [f"{row.figures[group]}%" for group in ("string", "holding strings", "other")]
        assert re.search(rf"^\| {re.escape(row.model)} \| " + r"[^|]*\| ".join(cells), page, re.MULTILINE), row.model


def test_failures_are_counted_by_cause_and_type(tmp_path: Path, crux: Path, sandbox: None) -> None:
    model = Changed((b")'CBA'", b")'CAB'"), (b")8", b")9"))
    rows = paper("failures", "strings", model=model, out=tmp_path, data=crux).tables
    found = {row[1]: row[2] for row in rows["failures"].table.rows}
    assert found["wrong value"] == Share(2, 2)
    assert (found["str"], found["int"], found["list"]) == (Share(1, 2), Share(1, 2), Share(0, 2))
    assert [str(cell) for cell in rows["strings"].table.rows[0][:2]] == ["changed", "crux, n = 3"]
    strings, others = rows["strings"].table.rows[0][2:4]
    assert isinstance(strings, Share)
    assert isinstance(others, Share)
    assert ((strings.some, strings.n), (others.some, others.n)) == ((1, 1), (1, 2))


# ---- files


@pytest.mark.parametrize("name", CITED)
def test_a_figure_is_valid_svg_with_its_labels(whole: WrittenPaper, name: str) -> None:
    (path,) = (path for path in whole.tables[name].figures if path.suffix == ".svg")
    texts = [text.text or "" for text in ElementTree.parse(path).iter(f"{SVG}text")]
    joined = " ".join(texts)
    assert "%" in joined
    assert "interpreter" in joined
    published = {"tokenizers": "Llama-3's tokens", "cruxeval": "GPT-4 (0613), direct"}.get(name, "CWM 32B")
    assert published in joined
    assert "…" not in joined


def test_the_latex_is_whole(whole: WrittenPaper) -> None:
    document = (whole.folder / "paper.tex").read_text("utf-8")
    for name, written in whole.tables.items():
        text = written.latex.read_text("utf-8")
        assert rf"\input{{{name}.tex}}" in document
        assert f"{{{name}.pdf}}" in document
        assert rf"\label{{tab:{name}}}" in text
        assert text.count(r"\begin{") == text.count(r"\end{") == 2
        assert text.replace(r"\{", "").replace(r"\}", "").count("{") == text.count("}") - text.count(r"\}")
        body = text.partition(r"\midrule")[2].partition(r"\bottomrule")[0].strip().splitlines()
        assert len(body) == len(written.table.rows)
        assert {re.sub(r"\\&", "", row).count("&") for row in body} == {len(written.table.heads) - 1}


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no TeX engine")
def test_the_document_compiles(whole: WrittenPaper, tmp_path: Path) -> None:
    words = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", f"-output-directory={tmp_path}", "paper.tex"]
    done = subprocess.run(words, cwd=whole.folder, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout[-2000:]


# ---- what is said first, and what is stored


def test_the_estimate_is_said_before_the_work(tmp_path: Path, sandbox: None) -> None:
    model, said = Counting(), list[tuple[int, str]]()
    written = paper(
        "composition",
        model=model,
        out=tmp_path,
        max_programs=10,
        notify=lambda text: said.append((model.requests, text)),
    )
    asked, text = said[-1]
    assert asked == 2 < model.requests == 10
    assert re.match(r"8 programs, about [\d,]+ bytes to predict at [\d,]+ per second: about ", text)
    assert written.estimate.programs == 8
    assert written.estimate.seconds >= 8 * 0.5 / 4


def test_a_second_call_executes_nothing(tmp_path: Path, sandbox: None) -> None:
    model = Counting()
    first = paper("permutation", "tokenizers", model=model, out=tmp_path, max_programs=5)
    asked, said = model.requests, list[str]()
    # A sandbox that this machine lacks: whoever records a program fails.
    with worldline.using_sandbox("gvisor"):
        again = paper("permutation", "tokenizers", model=model, out=tmp_path, max_programs=5, notify=said.append)
    assert model.requests == asked
    assert said == ["every run is stored: no program is executed or predicted"]
    assert {name: table.as_json() for name, table in first.tables.items()} == {
        name: table.as_json() for name, table in again.tables.items()
    }


def test_more_programs_continue_the_stored_run(tmp_path: Path, sandbox: None) -> None:
    model = Counting()
    paper("composition", model=model, out=tmp_path, max_programs=4)
    paper("composition", model=model, out=tmp_path, max_programs=10)
    assert model.requests == 10


def test_a_time_budget_makes_runs_smaller() -> None:
    run = PaperRun(name="a", suite="permutation", programs=50, cells=5)
    long = RunEstimate(run=run, stored=2, programs=48, bytes=48_000, speed=100.0)
    work = PaperEstimate(runs=(long,))
    assert (work.seconds, duration(work.seconds)) == (480.0, "8 min")
    assert work.fitted(8) == {"a": 50}
    assert work.fitted(4) == {"a": 26}
    assert work.fitted(0.1) == {"a": 5}


def test_replayed_predictions_give_the_same_table(whole: WrittenPaper, tmp_path: Path) -> None:
    records = [record for run in ("composition",) for record in read_records(whole.folder / "runs" / run)]
    rows = ({"digest": record.program, "text": record.found.text.decode()} for record in records)
    outputs = tmp_path / "outputs.jsonl"
    outputs.write_text("".join(json.dumps(row) + "\n" for row in rows))
    written = paper("composition", model=f"replay:{outputs}", out=tmp_path, max_programs=10)
    assert [row[1:] for row in written.tables["composition"].table.rows] == [
        row[1:] for row in whole.tables["composition"].table.rows
    ]


# ---- the command


def test_the_command_prints_what_the_function_returns(whole: WrittenPaper, crux: Path) -> None:
    out = str(whole.folder.parent)
    words = ["paper", "all", "--model", "interpreter", "-o", out, "--data", str(crux), "--max-programs", "10"]
    done = CliRunner().invoke(cli, [*words, "--json"])
    assert done.exit_code == 0, done.output
    printed, returned = json.loads(done.stdout), whole.as_json()
    assert printed.pop("estimate") == {"seconds": 0, "programs": 0}
    returned.pop("estimate")
    assert printed == returned
    plain = CliRunner().invoke(cli, words)
    assert plain.exit_code == 0, plain.output
    assert "every run is stored" in plain.stderr
    assert "[1] CWM: An Open-Weights LLM" in plain.stdout


def test_without_a_table_the_tables_are_listed() -> None:
    done = CliRunner().invoke(cli, ["paper"])
    assert done.exit_code == 0
    assert [line.partition(":")[0] for line in done.stdout.splitlines()] == list(TABLES)


def test_without_its_data_a_table_is_left_out(tmp_path: Path, sandbox: None) -> None:
    said = list[str]()
    written = paper("cruxeval", "composition", model="interpreter", out=tmp_path, max_programs=2, notify=said.append)
    assert list(written.tables) == ["composition"]
    assert "pass --data cruxeval.jsonl" in written.skipped["cruxeval"]
    assert said[0].startswith("cruxeval is left out: it needs CRUXEval's file: pass --data")
    with pytest.raises(UsageError, match="it needs CRUXEval's file"):
        paper("cruxeval", model="interpreter", out=tmp_path)


@pytest.mark.parametrize(
    ("names", "out", "message"),
    [
        ((), "x", "no table was named; choose from cruxeval"),
        (("swaps",), "x", "unknown table swaps; choose from cruxeval"),
        (("composition",), "s3://bucket/x", "pass -o DIR"),
    ],
)
def test_impossible_requests_are_refused(names: tuple[str, ...], out: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        paper(*names, model="interpreter", out=out)


# ---- kills


@pytest.mark.long(reason="starts the command several times")
def test_a_killed_call_resumes(tmp_path: Path, sandbox: None) -> None:
    words = [sys.executable, "-m", "worldline", "paper", "permutation", "composition", "--model", "interpreter"]
    words += ["--max-programs", "40", "-o", str(tmp_path)]
    runs = tmp_path / "interpreter" / "runs"
    for name in ("permutation", "composition"):
        log, deadline = runs / name / RECORDS, time.monotonic() + 600
        process = subprocess.Popen(words, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
        while process.poll() is None and time.monotonic() < deadline:
            if log.exists() and log.read_bytes().count(b"\n") >= 12:
                break
        process.send_signal(signal.SIGKILL)
        process.wait(600)
    before = {path: path.read_bytes() for path in runs.glob(f"*/{RECORDS}")}
    done = subprocess.run(words, capture_output=True, text=True, timeout=1200)
    assert done.returncode == 0, done.stderr
    for path, data in before.items():
        assert path.read_bytes().startswith(data[: data.rfind(b"\n") + 1]), "a stored prediction is lost"
    counts = {run.name: sum(record.counts for record in read_records(run)) for run in runs.iterdir()}
    assert counts == {"permutation": 40, "permutation-forced": 40, "composition": 40}


@pytest.mark.long(reason="a real model")
def test_the_shipped_model_has_a_table(tmp_path: Path, sandbox: None) -> None:
    written = paper("strings", "failures", out=tmp_path, max_programs=6)
    assert written.faults == 0
    assert written.model == "default"

"""A run's tables as data frames: typed, whole, the same from Python and from files, and readable by others."""

from __future__ import annotations

import base64
import csv
import io
import os
import shutil
import subprocess
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from small_run import EVIL, Changed, suite

import worldline
from worldline.cli.export import export as verb
from worldline.core.errors import BusyError, NoSandbox, UsageError
from worldline.core.program import Program
from worldline.core.stats import RateDifference, Share
from worldline.evaluation.run.run import run
from worldline.evaluation.table import Chance, Table
from worldline.predict.interpreter import Interpreter
from worldline.recording.recorder import record
from worldline.storage.files import Lock
from worldline.ui.report.data import gather
from worldline.ui.report.export import columns, latex
from worldline.ui.report.page import render
from worldline.ui.report.tables import tables


@pytest.fixture(scope="module", autouse=True)
def sandbox() -> None:
    """A machine without a box refuses, as it should; then there is no run to export."""
    try:
        record(Program(source="pass"))
    except NoSandbox as error:
        pytest.skip(f"no box on this machine: {error}")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run in which a sum, the middle of a longer one (not its answer) and a string go wrong."""
    path = tmp_path_factory.mktemp("runs") / "small"
    run(suite(), Changed((b"=10", b"=11"), (b")10", b")11"), (b"ABCABC", b"ABCABD")), out=path)
    return path


@pytest.fixture(scope="module")
def ranks(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A tiktoken file with a few merges, as `--tokenizer` takes it."""
    pytest.importorskip("tiktoken")
    path = tmp_path_factory.mktemp("ranks") / "tiny.tiktoken"
    tokens = [bytes([byte]) for byte in range(256)] + [b"AB", b"ABC", b"BD"]
    path.write_bytes(b"".join(base64.b64encode(token) + b" %d\n" % i for i, token in enumerate(tokens)))
    return f"{path}#llama3"


def test_two_exports_into_one_folder_do_not_mix(made: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    with Lock(tmp_path / "out"):
        refused = CliRunner().invoke(verb, [str(made), "--csv", "-o", str(tmp_path / "out")])
    assert isinstance(refused.exception, BusyError)
    assert f"{tmp_path}/out is being written by process {os.getpid()}" in str(refused.exception)
    assert list((tmp_path / "out").iterdir()) == []
    worldline.export_tables(made, tmp_path / "out")
    assert (tmp_path / "out" / "samples.csv").exists()
    assert not (tmp_path / "out" / ".lock").exists()


def test_two_exports_of_a_model_do_not_mix(tmp_path: Path) -> None:
    with Lock(tmp_path, only=tmp_path / "out"):
        refused = CliRunner().invoke(verb, ["default", "-o", str(tmp_path / "out")])
        assert isinstance(refused.exception, BusyError)
        assert f"{tmp_path}/out is being written by process {os.getpid()}" in str(refused.exception)
    assert list(tmp_path.iterdir()) == []


def test_from_python_every_table_is_an_arrow_table(made: Path) -> None:
    found = worldline.tables(made)
    assert set(found) >= {
        "samples", "summary", "by-length", "by-group", "by-type", "causes", "operations", "types", "strings",
        "value-types", "value-lengths", "costs", "costs-by-steps", "costs-by-value", "causes-by-operation", "settings",
    }  # fmt: skip
    rows = found["samples"].to_pylist()
    assert [row["name"] for row in rows] == ["sum/2", "sum/5", "sum/9", "abc/1", "abc/2"]
    wrong = rows[4]
    assert (wrong["cause"], wrong["operation"], wrong["failed_type"]) == ("wrong value", "upper", "str")
    assert (wrong["step"], wrong["line"], wrong["variable"], wrong["character"]) == (1, 2, "t", 5)
    assert (wrong["wanted"], wrong["got"]) == ("'ABCABC'", "'ABCABD'")
    assert len(wrong["program"]) == 64
    assert rows[0]["cause"] is None
    assert rows[0]["step"] is None
    summary = found["summary"].to_pylist()[0]
    assert (summary["answer_right_some"], summary["answer_right_n"]) == (3, 5)
    assert summary["answer_right_rate"] == 0.6
    low, high = Share(3, 5).interval
    assert (summary["answer_right_low"], summary["answer_right_high"]) == (low, high)


def test_columns_have_the_same_types_whatever_failed(made: Path, tmp_path: Path) -> None:
    run(suite(), Interpreter(), out=tmp_path / "right")
    right, wrong = (worldline.tables(path)["samples"].schema for path in (tmp_path / "right", made))
    assert right.equals(wrong)
    assert wrong.field("step").type == pa.int64()
    assert wrong.field("seconds").type == pa.float64()
    assert wrong.field("cause").type == pa.string()


def test_pandas_reads_what_comes_of_it(made: Path) -> None:
    pandas = pytest.importorskip("pandas")
    frame = worldline.tables(made)["samples"].to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame[frame.answer == "wrong"].name) == ["sum/5", "abc/2"]


def test_cells_become_typed_columns() -> None:
    rows = (
        ("a", 1, 2.5, Share(1, 4), RateDifference(0.1, -0.2, 0.3), Chance(0.04), True, None),
        ("b", None, 3, None, None, None, None, None),
    )
    heads = ("what it is", "n", "x", "right, %", "difference", "p", "is", "n")
    found = columns(Table("t", heads, rows, "a note"))
    assert found.schema.names == [
        "what_it_is", "n", "x", "right_some", "right_n", "right_rate", "right_low", "right_high", "difference_rate",
        "difference_low", "difference_high", "p", "is", "n_2",
    ]  # fmt: skip
    assert found.schema.field("n").type == pa.int64()
    assert found.schema.field("x").type == pa.float64()
    assert found.schema.field("is").type == pa.bool_()
    assert found["right_rate"].to_pylist() == [0.25, None]
    assert found["p"].to_pylist() == [0.04, None]
    assert found.schema.metadata == {b"title": b"t", b"note": b"a note"}


def test_the_verb_writes_every_table_in_every_form(made: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(verb, [str(made), "--csv", "--parquet", "--latex", "-o", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    found = worldline.tables(made)
    names = {f"{name}.{kind}" for name in found for kind in ("csv", "parquet", "tex")}
    assert {path.name for path in (tmp_path / "out").iterdir()} == names
    assert {Path(line).name for line in done.output.splitlines()} == names
    for name, table in found.items():
        stored = pq.read_table(tmp_path / "out" / f"{name}.parquet")
        assert stored.equals(table), name
        assert stored.schema.metadata[b"title"] == table.schema.metadata[b"title"]
        heads, *rows = csv.reader(io.StringIO((tmp_path / "out" / f"{name}.csv").read_text("utf-8")))
        assert heads == table.schema.names
        assert len(rows) == len(table)
        tex = (tmp_path / "out" / f"{name}.tex").read_text("utf-8")
        assert r"\toprule" in tex
        assert tex.count("\\begin{") == tex.count("\\end{") == 1


def test_without_a_folder_the_tables_go_into_the_run(made: Path, tmp_path: Path) -> None:
    shutil.copytree(made, tmp_path / "copy")
    assert CliRunner().invoke(verb, [str(tmp_path / "copy"), "--csv"]).exit_code == 0
    assert (tmp_path / "copy" / "tables" / "samples.csv").is_file()
    run(suite(), Changed((b"=10", b"=11"), (b")10", b")11"), (b"ABCABC", b"ABCABD")), out=tmp_path / "copy")


def test_what_is_no_run_or_says_no_form_is_refused(made: Path, tmp_path: Path) -> None:
    def refused(*words: str) -> str:
        found = CliRunner().invoke(verb, [*words])
        assert isinstance(found.exception, UsageError), found.output
        return str(found.exception)

    assert "--csv, --parquet or --latex" in refused(str(made))
    assert "is not a run" in refused(str(tmp_path), "--csv")
    assert "-o DIR" in refused("default")
    assert "for a model" in refused(str(made), "--csv", "--half")
    assert "for a run" in refused("default", "-o", str(tmp_path / "m"), "--tokenizer", "bytes")


def test_hostile_text_stays_in_its_cell(tmp_path: Path) -> None:
    word = 'a,"b"\n\r\n' + EVIL + "\ud800"
    predictor = Changed((b"=10", b"='" + EVIL.encode() + b"\xff'"), (b"!", b"?\xfe"), name=word)
    run(suite(evil=True), predictor, out=tmp_path / "evil")
    done = CliRunner().invoke(verb, [str(tmp_path / "evil"), "--csv", "--parquet", "--latex"])
    assert done.exit_code == 0, done.output
    for path in (tmp_path / "evil" / "tables").iterdir():
        if path.suffix == ".csv":
            text = path.read_bytes().decode("utf-8")
            heads, *rows = csv.reader(io.StringIO(text, newline=""))
            assert len(text.splitlines()) == len(rows) + 1  # a row is a line
            assert all(len(row) == len(heads) for row in rows)
        elif path.suffix == ".tex":
            assert "\x1b" not in path.read_text("utf-8")


def test_latex_is_escaped() -> None:
    text = latex(Table("100 % of $x_1$", ("a & b", "n"), (('\\{#}~^<>|"-', 1_000), ("x", None)), "50 % more"))
    assert r"a \& b & n \\" in text
    assert r"\textbackslash{}\{\#\}\textasciitilde{}\textasciicircum{}" in text
    assert r"1,000 \\" in text
    assert text.startswith("% 100 % of $x_1$\n% 50 % more\n")


def test_latex_itself_reads_every_table(made: Path, tmp_path: Path, ranks: str) -> None:
    compiler = shutil.which("pdflatex")
    if compiler is None:
        pytest.skip("no pdflatex on this machine")
    folder = tmp_path / "tex"
    done = CliRunner().invoke(verb, [str(made), "--latex", "--tokenizer", ranks, "-o", str(folder)])
    assert done.exit_code == 0, done.output
    inputs = "\n".join(rf"\input{{{path.stem}}}\par" for path in sorted(folder.iterdir()))
    head = "\\documentclass{article}\\usepackage[T1]{fontenc}\\usepackage{booktabs,longtable}\\begin{document}\n"
    (folder / "all.tex").write_text(f"{head}{inputs}\n\\end{{document}}\n", "utf-8")
    command = [compiler, "-interaction=nonstopmode", "-halt-on-error", "all"]
    told = subprocess.run(command, cwd=folder, capture_output=True, timeout=300, check=False)
    assert told.returncode == 0, told.stdout.decode("utf-8", "replace")[-2_000:]


def test_a_tokenizer_shows_where_the_failing_value_is_cut(made: Path, ranks: str, tmp_path: Path) -> None:
    found = worldline.tables(made, tokenizer=ranks)
    rows = found["failing-values"].to_pylist()
    one = next(row for row in rows if row["type"] == "str")
    assert (one["true_value"], one["predicted_value"]) == ("'|ABC|AB«C»|'", "'|ABC|AB|«D»|'")
    assert (one["token"], one["in_token_at"], one["begins_token"]) == ("ABC", 2, False)
    assert sum(row["strings_n"] or 0 for row in found["value-densities"].to_pylist()) == 5  # of abc/2, none after t
    assert found["samples"]["true_tokens"].null_count == 0
    text, _ = render(made, tokenizer=ranks)
    assert "AB«C»" in text
    assert "figure-value-densities" in text


def test_the_page_shows_every_table_that_is_exported(made: Path, ranks: str) -> None:
    text, _ = render(made, tokenizer=ranks)
    for name, table in tables(gather(made, limit=5, tokenizer=ranks)).items():
        if name not in ("samples", "settings", "summary", "causes-by-operation"):  # shown as failures, as a list, cut
            assert table.title in text, name


def test_a_tokenizers_file_cuts_metas_notation_too(tmp_path: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    built = tokenizers.Tokenizer(tokenizers.models.BPE())
    built.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=258, initial_alphabet=alphabet, show_progress=False)
    built.train_from_iterator(["ABCABC"] * 9, trainer)
    (tmp_path / "t.json").write_text(built.to_str(), "utf-8")
    run(suite(), Changed((b"ABCABC", b"ABCABD"), codec="cwm"), out=tmp_path / "run")
    out = tmp_path / "out"
    words = [str(tmp_path / "run"), "--parquet", "--tokenizer", str(tmp_path / "t.json"), "-o", str(out)]
    assert CliRunner().invoke(verb, words).exit_code == 0
    (one,) = pq.read_table(out / "failing-values.parquet").to_pylist()
    assert (one["sample"], one["variable"], one["type"]) == ("abc/2", "t", "str")
    assert "«C»" in one["true_value"]
    assert "«D»" in one["predicted_value"]
    assert one["true_value"].replace("|", "") == "'ABCAB«C»'"
    assert 0 < one["tokens"] < one["characters"]
    assert pq.read_table(out / "samples.parquet")["true_tokens"].null_count == 0

"""The verbs that make a model and measure it, as a user types them: `data build`, `data mine`, `train`, `bench`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from plain_predictor import PlainPredictor

from worldline.cli import main
from worldline.data.build.shards import read_rows, verify
from worldline.data.frames import encode_frame
from worldline.data.mine.extract import ExtractedFunction
from worldline.data.mine.mined import MinedCall, read_mined
from worldline.evaluation import bench_plan
from worldline.model import checkpoint, model_folder
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.recording.recorder import SandboxWorker
from worldline.storage.compression import decompress

Capture = pytest.CaptureFixture[str]
TALLY = {"right", "n", "rate", "interval", "wrong", "truncated", "malformed"}
CRUX = {"code": "def f(s):\n    return s[::-1]", "input": "'abc'", "output": "'cba'", "id": "a"}
TINY = """
from worldline.data.mixture import TASKS, Mixture
from worldline.data.sources import Files
from worldline.model.shape import Shape
from worldline.model.train.config import Training

def data():
    return Mixture(sources=(TASKS,))

def training():
    return Training(shape=Shape(depth=2, window=32), sources=(Files(paths=({documents!r},)),), rows=2, time=64, steps=9)
"""
REAL = '''
def vowels(text: str) -> int:
    """How many vowels."""
    count = 0
    for letter in text:
        if letter in "aeiou":
            count += 1
    return count
'''


pytestmark = pytest.mark.usefixtures("sandbox")


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    """A recipe of a tiny mixture and of a tiny training."""
    documents = tmp_path / "documents.bin"
    documents.write_bytes(b"".join(encode_frame((b">f(a)\n", b"(1\n)a\n.\n")) for _ in range(50)))
    path = tmp_path / "tiny.py"
    path.write_text(TINY.format(documents=str(documents)))
    return path


def done(capsys: Capture, *words: object) -> str:
    """What a verb that ends well prints."""
    code = main([*map(str, words)])
    printed = capsys.readouterr()
    assert (code, printed.err) == (0, "")
    return printed.out


def refused(capsys: Capture, *words: object) -> str:
    """The one line that a verb refuses with."""
    code = main([*map(str, words)])
    printed = capsys.readouterr()
    assert (code, printed.out) == (2, "")
    assert printed.err.startswith(("error[usage]: ", "error[no-model]: "))
    assert printed.err.count("\n") == 1
    return printed.err


# ---- data


def test_a_dataset_is_built_once_and_goes_on(recipe: Path, tmp_path: Path, capsys: Capture) -> None:
    words = ("data", "build", recipe, "-o", tmp_path / "set", "--workers", 1, "--seed", 3, "--unit", 8, "--count", 6)
    said = done(capsys, *words)
    assert said.startswith("6 documents, ")
    assert said.endswith(f"in {tmp_path / 'set'}\n")
    rows = list(read_rows(tmp_path / "set"))
    assert len({row.run for row in rows}) == 6
    assert json.loads((tmp_path / "set" / ".coverage.json").read_bytes())["event line"] > 0
    assert done(capsys, *words).startswith("6 documents, ")
    assert list(read_rows(tmp_path / "set")) == rows
    assert done(capsys, *words[:-1], 12).startswith("12 documents, ")
    assert list(read_rows(tmp_path / "set"))[:6] == rows
    assert verify(tmp_path / "set") == []


def test_what_cannot_be_built_is_refused(recipe: Path, tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / "set"
    assert "there is no recipe" in refused(capsys, "data", "build", "nonsense", "-o", out)
    assert "--count" in refused(capsys, "data", "build", recipe, "-o", out, "--count", 0)
    assert "--out" in refused(capsys, "data", "build", recipe)
    recipe.write_text("def data():\n    return 7\n")
    assert "not a frozen dataclass" in refused(capsys, "data", "build", recipe, "-o", out)
    assert not out.exists()


RECIPE = """
def data():
    from worldline.data.mixture import Mixture, Mode
    return Mixture(modes=(Mode(weight=1.0),), split="all")

def quarry():
    from worldline.data.mine.mining_source import MiningSource
    return MiningSource(places=({place!r},))
"""


def test_a_recipe_says_where_to_mine_and_how_to_write(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "real.py").write_text(REAL)
    recipe, documents = tmp_path / "recipe.py", tmp_path / "mined.docs.xz"
    recipe.write_text(RECIPE.format(place=str(tmp_path / "real.py")))
    out = tmp_path / "mined.jsonl.xz"
    said = done(capsys, "data", "mine", "--recipe", recipe, "-o", out, "--documents", documents)
    count = int(said.splitlines()[-1].partition(" documents in ")[0])
    assert len(list(read_mined(out))) < count <= 2 * len(list(read_mined(out)))


def test_the_name_of_a_mined_file_decides_its_compression(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "real.py").write_text(REAL)
    recipe = tmp_path / "recipe.py"
    recipe.write_text(RECIPE.format(place=str(tmp_path / "real.py")))
    starts = {"mined.jsonl": b'{"source": ', "mined.jsonl.xz": b"\xfd7zXZ\x00", "mined.jsonl.gz": b"\x1f\x8b"}
    for name, start in starts.items():
        out, documents = tmp_path / name, tmp_path / name.replace("jsonl", "docs")
        done(capsys, "data", "mine", "--recipe", recipe, "-o", out, "--documents", documents)
        assert out.read_bytes().startswith(start)
        assert documents.read_bytes().startswith(start) == (name != "mined.jsonl")
        (tmp_path / "renamed").write_bytes(out.read_bytes())
        assert read_mined(tmp_path / "renamed") == read_mined(tmp_path / "mined.jsonl") != []
    written = [(tmp_path / name.replace("jsonl", "docs")).read_bytes() for name in starts]
    assert len({decompress(data) for data in written}) == 1


def test_a_file_is_mined(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "real.py").write_text(REAL)
    out = tmp_path / "mined.jsonl.xz"
    said = done(capsys, "data", "mine", tmp_path / "real.py", "-o", out)
    found = list(read_mined(out))
    assert said.startswith(
        f"1 functions, {len(found)} calls, 0 of them written by people, from 1 files, 0 failed, in {out}\n"
    )
    assert "not checked against a benchmark" in said
    assert all(each.call.startswith("vowels(") and "letter in" in each.source for each in found)
    assert "error[usage]" in refused(capsys, "data", "mine", "no_such_package_here", "-o", out)
    assert "name packages" in refused(capsys, "data", "mine", "-o", out)


@pytest.mark.filterwarnings("ignore:.*only this once")
def test_a_mining_with_failures_says_so_and_is_repeated_for_them_alone(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried, is_broken = list[str](), True

    def fuzz(worker: SandboxWorker, function: ExtractedFunction, *others: Any) -> list[MinedCall]:
        tried.append(function.node.name)
        if is_broken and function.node.name == "vowels":
            raise RecursionError("only this once")
        return [MinedCall(function.source, "f()", function.origin, function.node.name)]

    monkeypatch.setattr("worldline.data.mine.mine.find_calls", fuzz)
    other = "\n\ndef others(text: str) -> str:\n    half = len(text) // 2\n    return text[half:]\n"
    (tmp_path / "real.py").write_text(REAL + other)
    out = tmp_path / "mined.jsonl"
    assert main(["data", "mine", str(tmp_path / "real.py"), "-o", str(out)]) == 3
    said = capsys.readouterr()
    assert "1 failed" in said.out
    assert "1 of the files and functions failed in the tool; the first: " in said.err
    assert "only this once" in json.loads((tmp_path / "mined.jsonl.report.json").read_text())["failures"][0]
    assert [call.origin.rpartition(":")[2] for call in read_mined(out)] == ["others"]
    is_broken = False
    assert "0 failed" in done(capsys, "data", "mine", tmp_path / "real.py", "-o", out)
    assert tried == ["vowels", "others", "vowels"]
    assert [call.origin.rpartition(":")[2] for call in read_mined(out)] == ["vowels", "others"]


# ---- train


def test_a_tiny_model_is_trained_goes_on_and_is_measured(recipe: Path, tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / "run"
    words = ("train", recipe, "-o", out, "--device", "cpu")
    assert done(capsys, *words, "--train-steps", 2).splitlines()[-1] == str(out / "step-00000002")
    assert checkpoint.read_manifest(out / "step-00000002")["shape"]["depth"] == 2
    assert [json.loads(line)["step"] for line in (out / "metrics.jsonl").open()] == [2]
    assert done(capsys, *words, "--train-steps", 3).splitlines()[-1] == str(out / "step-00000003")
    assert done(capsys, *words, "--train-steps", 1, "--fresh").splitlines()[-1] == str(out / "step-00000001")
    report = benched(capsys, "permutation", "--model", out, "--length", 2, "--max-programs", 1)
    assert (report["model"], report["n"], report["answer"]["right"]) == ("run", 1, 0)


def test_what_cannot_be_trained_is_refused(recipe: Path, tmp_path: Path, capsys: Capture) -> None:
    words = ("train", recipe, "-o", tmp_path / "run")
    assert "either --train-steps or --minutes" in refused(capsys, *words, "--train-steps", 2, "--minutes", 1)
    assert "has no function other()" in refused(capsys, *words, "--recipe-function", "other")
    assert "not Training" in refused(capsys, *words, "--recipe-function", "data")
    assert "--device" in refused(capsys, *words, "--device", "abacus")
    assert "there is no recipe" in refused(capsys, "train", "nonsense", "-o", tmp_path / "run")


def test_a_run_is_exported_and_what_rounding_costs_is_said(recipe: Path, tmp_path: Path, capsys: Capture) -> None:
    run, out = tmp_path / "run", tmp_path / "weights"
    done(capsys, "train", recipe, "-o", run, "--device", "cpu", "--train-steps", 1)
    first, second, *rest = done(capsys, "export", run, "-o", out, "--check-rounding", 2).splitlines()
    entry = checkpoint.read_manifest(out)["files"][model_folder.MODEL]
    assert first == f"{entry['bytes']:,} bytes in {out}, sha256 {entry['sha256']}"
    assert second.startswith("2 programs, ")
    names = [line.partition(":")[0] for line in rest]
    assert names == ["logits", "bits per byte of the true traces", "identical predictions"]
    assert done(capsys, "export", out, "-o", tmp_path / "half", "--half").count("\n") == 1
    sizes = [(tmp_path / name / model_folder.MODEL).stat().st_size for name in ("half", "weights")]
    assert sizes[0] > 1.2 * sizes[1]  # twice, but for what a model so small has in float32
    assert "there is no such name or folder" in refused(capsys, "export", tmp_path / "none", "-o", out)


def test_a_run_is_packed_for_the_documents_of_a_recipe(
    recipe: Path, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("worldline.model.export.CALIBRATION_BYTES", 500)
    run, half, out = tmp_path / "run", tmp_path / "half", tmp_path / "packed"
    done(capsys, "train", recipe, "-o", run, "--device", "cpu", "--train-steps", 1)
    done(capsys, "export", run, "-o", half, "--half")
    line = done(capsys, "export", half, "-o", out, "--bits", 8, "--calibrate", recipe)
    manifest = checkpoint.read_manifest(out)
    entry = manifest["files"][model_folder.MODEL]
    assert line == f"{entry['bytes']:,} bytes in {out}, sha256 {entry['sha256']}\n"
    assert manifest["version"] == model_folder.PACKED_VERSION
    assert entry["bytes"] <= (half / model_folder.MODEL).stat().st_size / 2
    assert "how many bits" in refused(capsys, "export", half, "-o", out, "--calibrate", recipe)
    assert "not both" in refused(capsys, "export", half, "-o", out, "--bits", 5, "--half")
    assert "3 to 8 bits per weight" in refused(capsys, "export", half, "-o", out, "--bits", 9)


# ---- bench


def benched(capsys: Capture, *words: object) -> dict[str, Any]:
    """The object that `bench --json` prints."""
    found: dict[str, Any] = json.loads(done(capsys, "bench", *words, "--json"))
    return found


def test_the_report_is_the_object_that_was_promised(capsys: Capture) -> None:
    found = benched(capsys, "generated", "--model", "interpreter", "--max-programs", 3, "--seed", 5)
    assert list(found)[:10] == [
        "conclusion", "suite", "model", "n", "answer", "trace", "by_length", "by_type", "seconds", "bytes",
    ]  # fmt: skip
    assert set(list(found)[10:]) == {
        "skipped", "faults", "disagrees", "left_out", "causes", "operations", "tables",
    }  # fmt: skip
    assert (found["suite"], found["model"], found["n"]) == ("generated", "interpreter", 3)
    for tally in (found["answer"], found["trace"]):
        assert set(tally) == TALLY
        assert (tally["right"], tally["n"], tally["rate"]) == (3, 3, 1.0)
        assert tally["interval"] == pytest.approx([0.4385, 1.0], abs=1e-4)
    for parts in (found["by_length"], found["by_type"]):
        assert sum(part["n"] for part in parts.values()) == 3
        assert all(set(part) == {*TALLY, "trace"} and set(part["trace"]) == TALLY for part in parts.values())
    assert found["seconds"] > 0
    assert found["bytes"] > 0


def test_the_shipped_model_is_asked_unless_another_is_named(capsys: Capture) -> None:
    found = benched(capsys, "permutation", "--length", "8", "--max-programs", "1", "-M", "batch=1")
    assert (found["model"], found["n"], found["answer"]["right"]) == ("default", 1, 1)


def test_a_grid_is_a_table_for_readers(capsys: Capture) -> None:
    words = ("--model", "interpreter", "--length", "8,16", "--reveal", "1,8", "--max-programs", 4, "--arbitrary")
    said = done(capsys, "bench", "permutation", *words)
    assert all(f"{cell} answer" in said for cell in ("8/1", "8/8", "16/1", "16/8"))
    assert "100.0 %" in said


def test_calls_of_a_problem_are_an_option(tmp_path: Path, capsys: Capture) -> None:
    row = {
        "task_id": "Own/0", "prompt": "def add(a, b):\n", "canonical_solution": "    return a + b\n",
        "test": "def check(candidate):\n    for i in range(5):\n        assert candidate(i, 1) == i + 1\n",
        "entry_point": "add",
    }  # fmt: skip
    path = tmp_path / "own.jsonl"
    path.write_text(json.dumps(row))
    words = ("humaneval", "--model", "interpreter", "--data", path)
    asked = [benched(capsys, *words, *more)["n"] for more in ((), ("--calls", 1), ("--calls", 0))]
    assert asked == [3, 1, 5]
    assert "has no option calls" in refused(capsys, "bench", "generated", "--calls", 1)


def test_rows_that_are_not_counted_are_reported(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "crux.jsonl"
    rows = (CRUX, {**CRUX, "output": "'abc'"}, {**CRUX, "code": "def g(s):\n    return s"})
    path.write_text("\n".join(json.dumps(row) for row in rows))
    said = " ".join(done(capsys, "bench", "crux", "--data", path, "--model", "interpreter").split())
    assert "n = 1" in said
    assert "1 without a true answer" in said
    assert "not counted: 1 whose recording disagrees with the benchmark" in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("chess",), "a suite is one of permutation"),
        (("humaneval",), "needs its data file"),
        (("crux",), "needs its data file"),
        (("crux", "--data", "/nowhere.jsonl"), "cannot be read"),
        (("permutation", "--reveal", "0"), "reveal is 1 or more"),
        (("permutation", "--length", "many"), "is not a list of numbers"),
        (("generated", "--reveal", "1,8"), "only the permutation suite"),
        (("generated", "--max-programs", "0"), "--max-programs"),
        (("generated", "--length", "8"), "has no option length"),
        (("generated", "--model", "/nowhere"), "no model '/nowhere'"),
        (("generated", "-M", "nonsense"), "not key=value"),
        (("generated", "-M", "nonsense=1"), "no option 'nonsense'"),
        (("generated", "-M", "batch=none"), "option batch=none"),
        (("generated", "--model", "interpreter", "-M", "batch=1"), "no option 'batch'; it has codec"),
    ],
)
def test_what_cannot_be_asked_is_one_line(words: tuple[str, ...], said: str, capsys: Capture) -> None:
    assert said in refused(capsys, "bench", *words)


@pytest.mark.parametrize(
    ("text", "said"),
    [("{", "line 1 is not JSON"), ('{"code": ""}', "has no input"), ("", "no rows"), ("\n7", "line 2 has no")],
)
def test_a_file_of_another_kind_is_named(tmp_path: Path, text: str, said: str, capsys: Capture) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(text)
    assert said in refused(capsys, "bench", "crux", "--data", path, "--model", "interpreter")


def test_a_folder_without_a_model_is_named(tmp_path: Path, capsys: Capture) -> None:
    assert "does not contain a model" in refused(capsys, "bench", "generated", "--model", tmp_path)


class Broken(PlainPredictor):
    """A predictor whose tool fails at every second program."""

    name = "broken"

    def predict(self, asks: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        for number, _ in enumerate(asks):
            yield Prediction(text=b"", status="fault" if number % 2 else "empty")


def test_a_fault_of_the_tool_is_its_exit_code(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setattr(bench_plan, "load_model", lambda scheme, extras: Broken())
    assert main(["bench", "permutation", "--length", "2", "--max-programs", "4", "--json"]) == 3
    printed = capsys.readouterr()
    found = json.loads(printed.out)
    assert (found["n"], found["faults"], found["answer"]["malformed"]) == (2, 2, 2)
    assert printed.err == "error[fault]: 2 predictions failed in the tool and are not counted\n"

"""A memory of a folder's code: recorded calls only, measured on held-out ones, kept if predictions are better."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

pytest.importorskip("torch")
sys.path.insert(0, str(Path(__file__).parents[1] / "model"))

from nets import random_trunk

from worldline.cli.learn import learn
from worldline.codec.compact.prompt import Compact
from worldline.core.errors import FormatError, UsageError
from worldline.core.program import Program
from worldline.learning.adapt import SAME
from worldline.learning.own_calls import GUESSED, OwnCall
from worldline.learning.remember import record_memory, remember
from worldline.model import checkpoint, model_folder
from worldline.model.shape import Shape
from worldline.predict.models import load_model
from worldline.predict.predictor import ModelInfo
from worldline.predict.retrieval.retrieval import Retrieval
from worldline.predict.retrieval.step_memory import load_memory
from worldline.storage import files

SHAPE = Shape(depth=2, stack=3)
FUNCTION = """\
def pick{n}(number: int, other: int):
    value = number + {n}
    if other > 3:
        value = value * other
    return value
"""


@pytest.fixture(scope="module")
def code(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("code")
    (folder / "picks.py").write_text("\n\n".join(FUNCTION.format(n=n) for n in range(3)))
    return folder


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random model's folder."""
    out: Path = tmp_path_factory.mktemp("models") / "base"
    draft = model_folder.create_draft(out)
    files.write(draft / model_folder.MODEL, checkpoint.to_bytes(dict(random_trunk(SHAPE, 3).named_parameters())))
    model_folder.commit_draft(draft, out, {"kind": "weights", "shape": SHAPE.to_json()})
    return out


def test_a_call_is_recorded_as_it_is_and_flattened() -> None:
    source = "def f(n):\n    total = n * 2 + 1\n    return total\n"
    program = Program(source=source, call="f(4)")
    call = OwnCall(program=program, origin="f.py", key="f", source=GUESSED)
    memory = record_memory([call], ModelInfo(name="any", modes=("conditions",)), trust=True)
    for options in (Compact(), Compact(conditions=True)):
        assert memory.find(program, options, 2, {"n": "4"}) == b" total=9\n3"
    assert b"=8\n" in b"".join(entry or b"" for entry in memory.entries.values())


@pytest.mark.long(reason="evaluates held-out calls twice; the kept memory runs in make test")
def test_a_memory_that_does_not_help_is_not_kept(code: Path, base: Path, tmp_path: Path) -> None:
    """A random model writes no whole trace, so it is not better with a memory of other calls."""
    out = tmp_path / "memory.json"
    words = [
        "--on",
        str(code),
        "--model",
        str(base),
        "--retrieve",
        "-o",
        str(out),
        "--minutes",
        "1",
        "--json",
        "--trust",
    ]
    done = CliRunner().invoke(learn, words)
    assert done.exit_code == 1, done.output
    report = json.loads(done.stdout)
    assert report["refused"].startswith("not better")
    assert report["entries"] > 0
    assert sum(report["calls"].values()) > 0
    assert report["groups"][SAME]["trace"]["n"] > 0
    assert not out.exists()


def test_a_kept_memory_is_used_by_a_model(
    code: Path, base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("worldline.learning.remember.find_refusal", lambda groups: "")
    out, reports = tmp_path / "memory.json", list[tuple[float, str]]()
    done = remember(
        code,
        out=out,
        model=base,
        held_out=4,
        known=1,
        trust=True,
        progress=lambda share, text: reports.append((share, text)),
    )
    assert len(load_memory(out).entries) == done.entries
    model = load_model(str(base), {"memory": str(out)})
    assert isinstance(model, Retrieval)
    assert model.info.digest != load_model(str(base)).info.digest
    phases = list(dict.fromkeys(text.partition(":")[0] for _, text in reports))
    assert phases == ["finding and recording calls", "drawing more calls", "evaluating before", "evaluating after"]


def test_another_file_is_never_replaced(code: Path, tmp_path: Path) -> None:
    other = tmp_path / "notes.json"
    other.write_text("{}")
    with pytest.raises(FormatError, match="not a memory"):
        remember(code, out=other)
    assert other.read_text() == "{}"
    with pytest.raises(UsageError, match="-o FILE"):
        remember(code, out=None)


def test_options_that_do_not_fit_are_refused(code: Path, tmp_path: Path) -> None:
    both = CliRunner().invoke(learn, ["--on", str(code), "--retrieve", "--train-steps", "3", "-o", str(tmp_path / "m")])
    assert isinstance(both.exception, UsageError)
    alone = CliRunner().invoke(learn, ["--retrieve"])
    assert isinstance(alone.exception, UsageError)

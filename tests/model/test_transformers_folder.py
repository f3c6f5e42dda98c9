"""A folder that `transformers` loads: what stands in it, read without transformers."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from nets import random_trunk
from test_checkpoint import write

from worldline import export_transformers
from worldline.cli import cli
from worldline.core.errors import UsageError
from worldline.model import checkpoint
from worldline.model.hub import convert
from worldline.model.hub.export import NAMES
from worldline.model.shape import Shape
from worldline.model.weights import dequantize, read_float32

SHAPE = Shape(depth=3, window=16)
FIGURES = Path(__file__).parents[2] / "docs" / "reference" / "figures.md"


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("hub") / "worldline"
    export_transformers(out)
    return out


def test_the_folder_holds_these_files(shipped: Path) -> None:
    assert sorted(os.listdir(shipped)) == sorted(NAMES)
    config = json.loads((shipped / "config.json").read_text())
    for path in config["auto_map"].values():
        module, name = path.split(".")
        assert f"class {name}(" in (shipped / f"{module}.py").read_text()
    assert "worldline." not in re.sub(
        r'""".*?"""', "", (shipped / "modeling_worldline.py").read_text(), flags=re.DOTALL
    )


def test_the_weights_are_those_that_the_engine_holds(shipped: Path) -> None:
    shape, stored = checkpoint.read_weights(checkpoint.SHIPPED)
    expected = convert.convert_weights(shape, dequantize(stored))
    written = read_float32(shipped / "model.safetensors")
    assert written.keys() == expected.keys()
    assert all(np.array_equal(written[name], array) for name, array in expected.items())


def test_half_is_half_the_size_and_rounds_every_weight(shipped: Path, tmp_path: Path) -> None:
    write(tmp_path / "a", random_trunk(SHAPE))
    whole, half = (export_transformers(tmp_path / str(n), tmp_path / "a", half=bool(n)) for n in range(2))
    assert half.size < 0.6 * whole.size
    weights = read_float32(tmp_path / "1" / "model.safetensors")
    assert all((array.view(np.uint32) & 0xFFFF == 0).all() for array in weights.values())


def test_the_command_writes_the_same_folder(tmp_path: Path) -> None:
    write(tmp_path / "a", random_trunk(SHAPE))
    export_transformers(tmp_path / "by-function", tmp_path / "a", width=192)
    words = ["export", str(tmp_path / "a"), "--width", "192", "--transformers", str(tmp_path / "by-command")]
    done = CliRunner().invoke(cli, words)
    assert done.exit_code == 0, done.output
    for name in NAMES:
        assert (tmp_path / "by-function" / name).read_bytes() == (tmp_path / "by-command" / name).read_bytes()
    assert json.loads((tmp_path / "by-command" / "config.json").read_text())["hidden_size"] == 192


@pytest.mark.parametrize("words", [["-o", "out"], ["--csv"], ["--check-rounding", "3"], ["--tokenizer", "bytes"]])
def test_options_of_other_exports_are_refused(tmp_path: Path, words: list[str]) -> None:
    done = CliRunner().invoke(cli, ["export", "--transformers", str(tmp_path / "out"), *words])
    assert isinstance(done.exception, UsageError)
    assert "--half, --bits, --width and --calibrate" in str(done.exception)
    assert not (tmp_path / "out").exists()


def test_other_files_are_never_overwritten(tmp_path: Path) -> None:
    write(tmp_path / "a", random_trunk(SHAPE))
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "notes.txt").write_text("mine")
    with pytest.raises(UsageError, match=r"holds other files: notes\.txt"):
        export_transformers(tmp_path / "out", tmp_path / "a")
    assert os.listdir(tmp_path / "out") == ["notes.txt"]
    (tmp_path / "out" / "notes.txt").unlink()
    for _ in range(2):
        export_transformers(tmp_path / "out", tmp_path / "a")
    assert sorted(os.listdir(tmp_path / "out")) == sorted(NAMES)


def test_a_model_of_tokens_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "a", random_trunk(Shape(depth=2, window=16, vocabulary=300)))
    with pytest.raises(UsageError, match="reads 300 tokens: only models that read bytes"):
        export_transformers(tmp_path / "out", tmp_path / "a")


@given(st.text(st.characters(exclude_categories=("Cs",)), max_size=40) | st.sampled_from(["", "\0", "Ā\0a", "é\r\n\t"]))
def test_a_token_is_a_byte(text: str) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    tokenizer = tokenizers.Tokenizer.from_str(json.dumps(convert.byte_tokenizer()))
    ids = tokenizer.encode(text).ids
    assert bytes(ids) == text.encode()
    assert tokenizer.decode(ids, skip_special_tokens=False) == text


def test_the_card_says_what_figures_md_says(shipped: Path, tmp_path: Path) -> None:
    hub = pytest.importorskip("huggingface_hub")
    card = hub.ModelCard.load(shipped / "README.md")
    assert (card.data.license, card.data.library_name) == ("apache-2.0", "transformers")
    assert "code-world-model" in card.data.tags
    table = FIGURES.read_text("utf-8").partition("## The shipped model")[2].partition("\n## ")[0]
    assert len(card.data.eval_results) >= 4
    for result in card.data.eval_results:
        (row,) = [
            line for line in table.splitlines() if line.startswith(f"| {result.dataset_name}: answer; whole trace |")
        ]
        assert f"{result.metric_value} % (" in row
        assert f"n = {result.metric_name.rpartition(' ')[2]} |" in row
    for line in table.splitlines():
        assert not line.startswith("| ") or line.split(" | ")[1] in card.text
    write(tmp_path / "a", random_trunk(SHAPE))
    export_transformers(tmp_path / "out", tmp_path / "a")
    own = hub.ModelCard.load(tmp_path / "out" / "README.md")
    assert own.data.eval_results is None
    assert "Not measured" in own.text

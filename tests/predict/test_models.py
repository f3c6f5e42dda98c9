"""From a scheme to a predictor."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from scripted import random_engine

from worldline.core.errors import NoModelError, UsageError
from worldline.core.program import Program
from worldline.model import checkpoint, model_folder
from worldline.model.engine.reference import parameter_shapes
from worldline.model.shape import Shape
from worldline.predict.interpreter import Interpreter
from worldline.predict.models import load_model
from worldline.predict.prediction import PredictionRequest
from worldline.storage import files

pytestmark = pytest.mark.unit


def test_the_interpreter_is_a_model() -> None:
    assert isinstance(load_model("interpreter"), Interpreter)


@pytest.mark.parametrize(
    ("scheme", "extras", "match"),
    [
        ("interpreter", {"batch": "2"}, "no option 'batch'"),
        ("nowhere", {}, "no model 'nowhere'"),
        ("default", {"bacth": "2"}, "it has batch"),
        ("default", {"batch": "0"}, "1 or more"),
        ("default", {"batch": "x"}, "option batch=x"),
        ("default", {"threads": "0"}, "1 to 64"),
        ("default", {"threads": "100000"}, "1 to 64"),
        ("default", {"guard": "yes"}, "true or false"),
        ("default", {"temperature": "-1"}, "0 or more"),
    ],
)
def test_what_is_no_model_is_a_usage_error(scheme: str, extras: dict[str, str], match: str) -> None:
    with pytest.raises(UsageError, match=match):
        load_model(scheme, extras)


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NoModelError, match="the folder does not contain a model"):
        load_model(str(tmp_path))


@pytest.mark.parametrize(("wrong", "meant"), [("defalt", "default"), ("interpeter", "interpreter")])
def test_a_misspelled_name_is_answered_by_the_one_that_was_meant(wrong: str, meant: str) -> None:
    with pytest.raises(NoModelError, match=f"did you mean '{meant}'.*Available: default, interpreter"):
        load_model(wrong)


def test_the_models_beside_a_missing_folder_are_listed(tmp_path: Path) -> None:
    shutil.copytree(checkpoint.SHIPPED, tmp_path / "small")
    (tmp_path / "run" / "step-00000001").mkdir(parents=True)
    files.write(tmp_path / "run" / "step-00000001" / model_folder.MANIFEST, b"{}")
    (tmp_path / "empty").mkdir()
    with pytest.raises(NoModelError) as error:
        load_model(str(tmp_path / "smal"))
    small, run = tmp_path / "small", tmp_path / "run"
    assert f"did you mean '{small}'? Available: default, interpreter, {run}, {small}." in str(error.value)


def test_the_address_of_a_server_is_answered_by_how_its_model_is_named() -> None:
    with pytest.raises(NoModelError, match=r"use --model server:http://127\.0\.0\.1:1/v1#MODEL"):
        load_model("http://127.0.0.1:1")


def test_a_checkpoint_s_folder_is_a_model(tmp_path: Path) -> None:
    numpy = pytest.importorskip("safetensors.numpy")
    engine, folder = random_engine(5), tmp_path / "small"
    draft = model_folder.create_draft(folder)
    files.write(draft / model_folder.MODEL, numpy.save(dict(engine.weights)))
    shape = {"depth": engine.shape.depth, "window": engine.shape.window}
    model_folder.commit_draft(draft, folder, {"kind": "weights", "shape": shape})
    predictor = load_model(str(folder), {"batch": "2", "guard": "true", "threads": "1"})
    assert predictor.info.name == "small"
    program = Program(source="def f(n):\n    return n\n", call="f(1)")
    (found,) = predictor.predict([PredictionRequest(program=program, limit=30)])
    assert found.text.startswith(b"(1")


def _stored(folder: Path, shape: Shape, value: float) -> Path:
    """A model all of whose weights are one number."""
    numpy = pytest.importorskip("safetensors.numpy")
    draft = model_folder.create_draft(folder)
    weights = {name: np.full(size, value, np.float32) for name, size in parameter_shapes(shape).items()}
    files.write(draft / model_folder.MODEL, numpy.save(weights))
    model_folder.commit_draft(draft, folder, {"kind": "weights", "shape": shape.to_json()})
    return folder


def test_a_model_of_tokens_does_not_read_bytes(tmp_path: Path) -> None:
    folder = _stored(tmp_path / "tokens", Shape(depth=2, vocabulary=300), 0.0)
    with pytest.raises(UsageError, match="vocabulary has 300 entries"):
        load_model(str(folder))


@pytest.mark.parametrize("precision", ["fp32", "int8"])
def test_a_model_whose_weights_are_no_numbers_is_broken(tmp_path: Path, precision: str) -> None:
    folder = _stored(tmp_path / "nan", Shape(depth=2), float("nan"))
    predictor = load_model(str(folder), {"precision": precision, "threads": "1"})
    program = Program(source="def f(n):\n    return n\n", call="f(1)")
    (found,) = predictor.predict([PredictionRequest(program=program, limit=30)])
    assert found.status == "broken"

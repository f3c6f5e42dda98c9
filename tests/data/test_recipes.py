"""The shipped recipe: its sources resolve and give documents, a third of them rewritten; pieces of weights."""

from __future__ import annotations

import hashlib
import json
import random
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from worldline.data.mixture import Mixture, draw_documents
from worldline.data.recipe import find_recipe, load_config
from worldline.data.sources import Live

SHIPPED = find_recipe("shipped")
PIECES = SHIPPED.parent / "remote" / "pieces.py"


def test_a_third_of_the_documents_is_rewritten() -> None:
    sources = load_config(SHIPPED, "data", Mixture).sources
    rewritten = sum(
        mixture_source.weight
        for mixture_source in sources
        if {"flatten", "chars"} & {*mixture_source.form.split()}
    )
    assert 0.3 < rewritten / sum(mixture_source.weight for mixture_source in sources) < 0.4


@pytest.mark.long(reason="records documents of every source of the shipped recipe")
def test_every_source_gives_documents() -> None:
    mixture = load_config(SHIPPED, "data", Mixture)
    for mixture_source in mixture.sources:
        with closing(draw_documents(replace(mixture, sources=(mixture_source,)), trust=True)) as source:  # type: ignore[type-var]
            documents = list(islice(source, 4))
        assert all(
            document.kind == mixture_source.kind and len(document) <= mixture.max_bytes
            for document in documents
        )
        assert len({document.key for document in documents}) > 1


def test_trainings_are_valid(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    config = pytest.importorskip("worldline.model.train.config")
    monkeypatch.setenv("WORLDLINE_MINERS", "3")
    monkeypatch.setenv("WORLDLINE_HELD_OUT", str(tmp_path / "held.docs"))
    for function in ("training", "warm", "smoke"):
        loaded = load_config(SHIPPED, function, config.Training)
        assert loaded.to_json()["shape"]["stack"] in (5, 14)
    mined = load_config(SHIPPED, "training", config.Training).sources[1]
    assert isinstance(mined, Live)
    assert len(mined.commands) == 3
    assert mined.commands[0][4:7] == ("-m", "worldline.data.mine.stream", "stdlib")


@pytest.mark.long(reason="starts six processes")
@pytest.mark.parametrize("size", [9_000, 9_001])
def test_weights_survive_their_pieces(tmp_path: Path, size: int) -> None:
    model, data = tmp_path / "model", random.Random(size).randbytes(size)
    model.mkdir()
    (model / "model.safetensors").write_bytes(data)
    digest = hashlib.sha256(data).hexdigest()
    (model / "manifest.json").write_text(json.dumps({"files": {"model.safetensors": {"sha256": digest}}}))
    _pieces("split", model, tmp_path / "pieces", "4000")
    assert len(list((tmp_path / "pieces").glob("model.*"))) == 3
    _pieces("join", tmp_path / "pieces", tmp_path / "out")
    assert (tmp_path / "out" / "model.safetensors").read_bytes() == data
    damaged = tmp_path / "pieces" / "model.1"
    damaged.write_bytes(damaged.read_bytes()[::-1])
    with pytest.raises(subprocess.CalledProcessError):
        _pieces("join", tmp_path / "pieces", tmp_path / "again")


def _pieces(*words: str | Path) -> None:
    subprocess.run([sys.executable, PIECES, *words], check=True, capture_output=True)

"""The shipped recipe: its sources resolve and give documents, a third of them rewritten."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from worldline.data.mixture import Mixture, draw_documents
from worldline.data.recipe import find_recipe, load_config
from worldline.data.sources import Live

SHIPPED = find_recipe("shipped")


def test_nearly_half_of_the_documents_are_rewritten() -> None:
    sources = load_config(SHIPPED, "data", Mixture).sources
    rewritten = sum(
        mixture_source.weight for mixture_source in sources if {"flatten", "chars"} & {*mixture_source.form.split()}
    )
    assert 0.40 < rewritten / sum(mixture_source.weight for mixture_source in sources) < 0.50


@pytest.mark.long(reason="records documents of every source of the shipped recipe")
def test_every_source_gives_documents() -> None:
    mixture = load_config(SHIPPED, "data", Mixture)
    for mixture_source in mixture.sources:
        with closing(draw_documents(replace(mixture, sources=(mixture_source,)), trust=True)) as source:  # type: ignore[type-var]
            documents = list(islice(source, 4))
        assert all(
            document.kind == mixture_source.kind and len(document) <= mixture.max_bytes for document in documents
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

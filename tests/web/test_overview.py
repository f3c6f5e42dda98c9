"""The overview: its figures are `bench`'s, and each leads to exactly the samples that it counts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from runs import WAYS, Erring, real, synthetic

from worldline.core.stats import wilson
from worldline.evaluation.run.directory import newest
from worldline.evaluation.summary import report
from worldline.ui.web import overview as room
from worldline.ui.web.flips import FLIPS
from worldline.ui.web.index.filter import Filters
from worldline.ui.web.index.index import RunIndex, build
from worldline.ui.web.index.samples import samples
from worldline.ui.web.overview import overview


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[RunIndex, RunIndex]:
    """Two runs of the same programs."""
    folder = tmp_path_factory.mktemp("runs")
    return build(synthetic(folder / "a", 900, model="a")), build(synthetic(folder / "b", 700, model="b", skill=0.8))


def buckets(told: dict[str, Any]) -> list[dict[str, Any]]:
    """All buckets of an overview."""
    return [bucket for found in told["by"].values() for bucket in found]


def check(index: RunIndex, filters: Filters, other: RunIndex | None = None) -> int:
    """That each figure leads to its samples; how many did."""
    told = overview(index, filters, other)
    assert samples(index, filters, other=other)["total"] == told["n"]
    for bucket in buckets(told):
        chosen = Filters.of(bucket["filter"])
        assert samples(index, chosen, other=other)["total"] == bucket["n"] > 0
        for what in ("answer", "trace"):
            share = bucket[what]
            if getattr(filters, what) != "wrong":  # else the filter that counts the right ones replaces it
                right = Filters.of({**bucket["filter"], what: "right"})
                assert samples(index, right, other=other)["total"] == share["some"]
            assert (share["low"], share["high"]) == wilson(share["some"], share["n"])
        again = overview(index, chosen, other)
        assert again["n"] == bucket["n"]
        assert (again["answer"], again["trace"]) == (bucket["answer"], bucket["trace"])
    return len(buckets(told))


@pytest.mark.long(reason="follows every figure of two runs to its samples")
def test_every_figure_leads_to_exactly_its_samples(pair: tuple[RunIndex, RunIndex]) -> None:
    assert check(pair[0], Filters()) > 25
    assert check(pair[0], Filters(), pair[1]) > 25


@pytest.mark.long(reason="checks every figure under fourteen choices of filters")
def test_so_it_does_with_filters_already_chosen(pair: tuple[RunIndex, RunIndex]) -> None:
    index, other = pair
    rng = Random("filters")
    every = buckets(overview(index, Filters()))
    for _ in range(12):
        given = {name: text for one in rng.sample(every, 2) for name, text in one["filter"].items()}
        extra = rng.choice([{}, {"q": "range"}, {"answer": "wrong"}, {"trace": "right"}, {"flip": rng.choice(FLIPS)}])
        check(index, Filters.of({**given, **extra}), other)
    check(index, Filters.of({"steps_min": "5", "steps_max": "11"}))
    check(index, Filters.of({"depth_min": "3"}))


def test_who_has_chosen_a_bucket_sees_the_others_of_its_kind(pair: tuple[RunIndex, RunIndex]) -> None:
    whole = overview(pair[0], Filters())
    for name, found in whole["by"].items():
        for bucket in found[:3]:
            told = overview(pair[0], Filters.of(bucket["filter"]))
            assert told["n"] == bucket["n"]
            assert (told["by"][name], told["of"][name]) == (found, whole["n"])
            assert all(told["of"][other] == told["n"] for other in told["of"] if other != name)
    flipped = overview(pair[0], Filters(flip="lost"), pair[1])
    assert flipped["n"] == flipped["flips"]["lost"]
    assert flipped["flips"] == overview(pair[0], Filters(), pair[1])["flips"]


def test_buckets_of_a_kind_are_apart_and_together_everything(pair: tuple[RunIndex, RunIndex]) -> None:
    told = overview(pair[0], Filters())
    for name, found in told["by"].items():
        if name != "operation":  # only failures have one
            assert sum(bucket["n"] for bucket in found) == told["n"], name
            assert sum(bucket["answer"]["some"] for bucket in found) == told["answer"]["some"], name


@pytest.mark.usefixtures("sandbox")
def test_figures_are_those_of_the_report(tmp_path: Path) -> None:
    summed = real(tmp_path / "run", Erring())
    told = overview(build(tmp_path / "run"), Filters())
    assert (told["answer"]["some"], told["answer"]["n"]) == (summed.all.answer.right, summed.n)
    assert (told["trace"]["some"], told["trace"]["n"]) == (summed.all.trace.right, summed.n)
    by_type = {one["label"]: (one["answer"]["some"], one["n"]) for one in told["by"]["type"]}
    assert by_type == {name: (part.answer.right, part.answer.n) for name, part in summed.by_type.items()}
    causes = {one["label"]: one["n"] for one in told["by"]["cause"] if one["label"] != "right"}
    assert causes == {name: found.n for name, found in summed.causes.items()}
    assert len(told["by"]["ending"]) >= 3
    verdicts = [one.verdict() for one in newest(tmp_path / "run").values()]
    bare = [replace(one, task=replace(one.task, group="")) for one in verdicts]
    lengths = report(bare, suite="", model="").by_length
    horizon = {one["label"]: (one["trace"]["some"], one["n"]) for one in told["by"]["horizon"]}
    assert horizon == {name: (part.trace.right, part.trace.n) for name, part in lengths.items()}
    assert [one["label"] for one in told["by"]["horizon"]] == list(lengths)


def test_of_very_many_buckets_the_largest_are_shown_and_the_rest_is_counted(
    pair: tuple[RunIndex, RunIndex], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "MAX_BUCKETS", 3)
    whole = overview(pair[0], Filters())
    assert all(len(found) <= 3 for found in whole["by"].values())
    assert whole["more"]["horizon"] >= 2
    monkeypatch.undo()
    every = sorted((one["n"] for one in overview(pair[0], Filters())["by"]["cause"]), reverse=True)
    assert sorted((one["n"] for one in whole["by"]["cause"]), reverse=True) == every[:3]


def test_kinds_are_in_an_order_that_reads_well(pair: tuple[RunIndex, RunIndex]) -> None:
    by = overview(pair[0], Filters())["by"]
    assert [one["label"] for one in by["horizon"]][:3] == ["1-8", "9-16", "17-32"]
    assert [one["label"] for one in by["depth"]][:8] == [str(n) for n in range(1, 9)]
    assert {"9-16", "17-32"} <= {one["label"] for one in by["depth"]}
    counts = [one["n"] for one in by["cause"]]
    assert counts == sorted(counts, reverse=True)
    assert [one["label"] for one in by["suite"]] == sorted(one["label"] for one in by["suite"])
    assert room._natural("a/10") > room._natural("a/9")
    assert len(by["cause"]) >= len(WAYS) - 2

"""Flips between two runs: those of `compare`, counted sample by sample, and each count leads to its samples."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from runs import synthetic

from worldline.core.errors import UsageError
from worldline.core.stats import mcnemar
from worldline.evaluation.compare import compare
from worldline.evaluation.run.directory import RECORDS, newest
from worldline.ui.web import flips as room
from worldline.ui.web.flips import FLIPS, exact, match
from worldline.ui.web.index.filter import Filters
from worldline.ui.web.index.index import build
from worldline.ui.web.index.samples import samples
from worldline.ui.web.overview import overview


def test_flips_of_real_runs_are_those_of_compare(erring: tuple[Path, Path]) -> None:
    one, other = erring
    wanted = compare(one, other)
    found = overview(build(one), Filters(), build(other))["flips"]
    pairs = wanted.answer
    assert [found[flip] for flip in FLIPS] == [pairs.recovered, pairs.regressed, pairs.right, pairs.wrong]
    assert found["p"] == pairs.p
    assert found["only"] == [0, 0]
    assert (found["from"], found["to"]) == ("first", "second")
    assert found["gained"] > 0 < found["lost"]


def test_flips_are_counted_sample_by_sample(tmp_path: Path) -> None:
    paths = [synthetic(tmp_path / "a", 500, model="a"), synthetic(tmp_path / "b", 420, model="b", skill=0.8)]
    one, other = map(build, paths)
    right = [{at: found.judged["answer"] == "right" for at, found in newest(path).items()} for path in paths]
    for flip, wanted in (
        ("gained", (False, True)),
        ("lost", (True, False)),
        ("both", (True, True)),
        ("neither", (False, False)),
    ):
        places = [at for at in right[1] if (right[0][at], right[1][at]) == wanted]
        found = samples(one, Filters.of({"flip": flip}), other=other, count=500)
        assert [sample["at"] for sample in found["samples"]] == places
        assert all((sample["answer"], sample["other"]["answer"]) == wanted for sample in found["samples"])
        assert overview(one, Filters(), other)["flips"][flip] == found["total"] == len(places)
    assert overview(one, Filters(), other)["flips"]["only"] == [80, 0]
    assert overview(other, Filters(), one)["flips"]["only"] == [0, 80]
    assert samples(one, Filters(), other=other, offset=420)["samples"][0]["other"] is None


def test_flips_are_of_the_chosen_samples(tmp_path: Path) -> None:
    one, other = (build(synthetic(tmp_path / "a", 300, model="a")), build(synthetic(tmp_path / "b", 300, model="b")))
    whole = overview(one, Filters(), other)["flips"]
    parts = [
        overview(one, Filters.of(bucket["filter"]), other)["flips"] for bucket in overview(one, Filters())["by"]["type"]
    ]
    for flip in FLIPS:
        assert sum(part[flip] for part in parts) == whole[flip]


def test_another_program_at_the_place_is_another_sample(tmp_path: Path) -> None:
    one, other = synthetic(tmp_path / "a", 50, model="a"), synthetic(tmp_path / "b", 50, model="a")
    lines = [json.loads(text) for text in (other / RECORDS).read_bytes().splitlines()]
    for row in lines[:20]:
        row["program"] = "0" * 64
    (other / RECORDS).write_text("".join(json.dumps(row) + "\n" for row in lines))
    found = match(build(one), build(other))
    assert (found.partner[:20] == -1).all()
    assert (found.partner[20:] == range(20, 50)).all()
    assert found.alone == (20, 20)


def test_a_flip_needs_another_run(tmp_path: Path) -> None:
    index = build(synthetic(tmp_path / "a", 20))
    with pytest.raises(UsageError, match="needs another run"):
        samples(index, Filters.of({"flip": "lost"}))
    assert overview(index, Filters())["flips"] is None
    same = overview(index, Filters(), index)["flips"]
    assert (same["gained"], same["lost"], same["p"]) == (0, 0, 1.0)
    with pytest.raises(UsageError, match="gained, lost"):
        match(index, index).flipped("sideways")


@given(st.integers(0, 3_000), st.integers(0, 3_000))
def test_the_p_of_many_flips_is_the_exact_one(lost: int, gained: int) -> None:
    wanted = mcnemar(lost, gained)
    summed = room.MAX_EXACT_FLIPS
    try:
        room.MAX_EXACT_FLIPS = 0
        assert exact(lost, gained) == pytest.approx(wanted, rel=1e-9, abs=1e-300)
    finally:
        room.MAX_EXACT_FLIPS = summed
    assert exact(lost, gained) == pytest.approx(wanted, rel=1e-9, abs=1e-300)

"""The shards of a run are a partition of it, and merged they are that run, record for record."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from plain_predictor import PlainPredictor

from worldline.cli import cli
from worldline.core.errors import UsageError, WorldlineError
from worldline.core.program import Program
from worldline.evaluation.merge import merge_records
from worldline.evaluation.run.directory import RECORDS, newest, read_records, verify
from worldline.evaluation.run.record import Record
from worldline.evaluation.run.run import run
from worldline.evaluation.run.shard import SuiteShard, parse_shard
from worldline.evaluation.suites.suite import Suite, Task
from worldline.predict.interpreter import Interpreter
from worldline.predict.prediction import Prediction, PredictionRequest


class Now(PlainPredictor):
    """The interpreter, wrong about every call of `f(3)`, at once."""

    name = "now"

    def predict(self, asks: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        for ask, found in zip(asks, Interpreter().predict(list(asks)), strict=True):
            text = found.text.replace(b"3", b"4") if ask.program.call == "f(3)" else found.text
            yield replace(found, text=text, seconds=0.0)


def suite(count: int | None = None) -> Suite:
    """Twelve programs: two do not parse, so that they are skipped."""
    sources = ["def f(n:\n" if k in (2, 7) else "def f(n):\n    return n\n" for k in range(12)]
    tasks = [Task(program=Program(source=source, call=f"f({k})"), name=f"task {k}") for k, source in enumerate(sources)]
    return Suite(name="small", tasks=tasks, count=count)


def same(one: Record, other: Record) -> bool:
    """All but the time it took."""
    return replace(one, found=replace(one.found, seconds=0.0)) == replace(
        other, found=replace(other.found, seconds=0.0)
    )


@pytest.mark.parametrize("limit", [None, 7])
def test_merged_shards_are_the_run(tmp_path: Path, limit: int | None) -> None:
    whole = run(suite(), Now(), limit=limit, out=tmp_path / "whole")
    shards = [tmp_path / str(k) for k in (1, 2, 3)]
    for k, at in enumerate(shards, 1):
        run(suite(), Now(), limit=limit, out=at, shard=SuiteShard(k, 3))
    places = [set(newest(at)) for at in shards]
    assert sum(map(len, places)) == len(set().union(*places))
    merged, _ = merge_records(shards, tmp_path / "merged")
    assert (tmp_path / "merged" / RECORDS).read_bytes() == (tmp_path / "whole" / RECORDS).read_bytes()
    assert merged == whole
    assert json.loads((tmp_path / "merged" / "config.json").read_bytes()) == json.loads(
        (tmp_path / "whole" / "config.json").read_bytes()
    )
    assert verify(tmp_path / "merged") > 0


def test_a_shard_that_was_cut_off_goes_on(tmp_path: Path) -> None:
    class Cut(Exception):
        pass

    def cut(record: Record) -> None:
        raise Cut

    with pytest.raises(Cut):
        run(suite(), Now(), out=tmp_path / "1", shard=SuiteShard(1, 2), on_record=cut)
    run(suite(), Now(), out=tmp_path / "2", shard=SuiteShard(2, 2))
    with pytest.raises(UsageError, match="not complete"):
        merge_records([tmp_path / "1", tmp_path / "2"], tmp_path / "merged")
    run(suite(), Now(), out=tmp_path / "1", shard=SuiteShard(1, 2))
    merge_records([tmp_path / "1", tmp_path / "2"], tmp_path / "merged")
    run(suite(), Now(), out=tmp_path / "whole")
    pairs = zip(newest(tmp_path / "merged").values(), newest(tmp_path / "whole").values(), strict=True)
    assert all(same(one, other) for one, other in pairs)


@pytest.mark.parametrize("text", ["0/3", "4/3", "3", "a/b", "1/0", "-1/2"])
def test_what_is_no_shard_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="a shard is K/N"):
        parse_shard(text)


def bench(*given: str) -> Result:
    return CliRunner().invoke(cli, ["bench", "permutation", "--length", "8", "--model", "interpreter", *given])


def test_the_verbs_refuse_in_a_sentence_what_does_not_fit(tmp_path: Path) -> None:
    one, two, three, other, limited = (str(tmp_path / name) for name in ("one", "two", "three", "other", "limited"))
    for k, at in enumerate((one, two, three), 1):
        assert bench("--max-programs", "6", "--shard", f"{k}/3", "-o", at).exit_code == 0
    assert bench("--max-programs", "6", "--seed", "1", "--shard", "2/3", "-o", other).exit_code == 0
    assert bench("--max-programs", "5", "--shard", "2/3", "-o", limited).exit_code == 0
    plain = str(tmp_path / "plain")
    assert bench("--max-programs", "6", "-o", plain).exit_code == 0

    def refused(*runs: str) -> str:
        found = CliRunner().invoke(cli, ["merge", *runs, "-o", str(tmp_path / "merged")])
        assert isinstance(found.exception, UsageError)
        assert not (tmp_path / "merged").exists()
        return str(found.exception)

    assert "other settings" in refused(one, other, three)
    assert "shard is" in refused(one, limited, three)
    assert "same shard, 1/3" in refused(one, one, two)
    assert "shard 2/3 is missing" in refused(one, three)
    assert "shard 2/3 is missing, and 1 more" in refused(one)
    assert "made without --shard" in refused(plain)
    assert "plain is not a shard" in refused(plain, one)
    assert "plain is not a shard" in refused(one, plain)
    assert "holds another run: shard was" in str(bench("--max-programs", "6", "--shard", "1/3", "-o", two).exception)
    assert "must be stored to be merged with the others: pass --out DIR" in str(bench("--shard", "1/3").exception)
    assert (
        CliRunner().invoke(cli, ["merge", f"file://{three}", one, two, "-o", f"file://{tmp_path}/merged"]).exit_code
        == 0
    )
    found, wanted = (list(read_records(tmp_path / name)) for name in ("merged", "plain"))
    assert len(found) == len(wanted) == 6
    assert all(same(each, other) for each, other in zip(found, wanted, strict=True))


class Behind(Now):
    """The same model behind a server's address."""

    def __init__(self, at: str, template: str = "plain") -> None:
        self.name, self.config = f"server:http://{at}/v1#small", {"template": template}


def test_one_model_behind_several_servers_is_one_run(tmp_path: Path) -> None:
    for k, at in enumerate(("one:80", "two:80", "one:80"), 1):
        run(suite(), Behind(at), out=tmp_path / str(k), shard=SuiteShard(k, 3))
    merged, _ = merge_records([tmp_path / str(k) for k in (1, 2, 3)], tmp_path / "merged")
    assert merged.model == "server:http://one:80/v1,http://two:80/v1#small"
    whole = run(suite(), Now(), out=tmp_path / "whole")
    assert replace(merged, model="now") == whole
    run(suite(), Behind("two:80", "other"), out=tmp_path / "other", shard=SuiteShard(2, 3))
    with pytest.raises(UsageError, match="template is 'other', not 'plain'"):
        merge_records([tmp_path / "1", tmp_path / "other", tmp_path / "3"], tmp_path / "again")


class Failing(Now):
    """It fails on one program."""

    def predict(self, asks: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        for ask, found in zip(asks, super().predict(asks), strict=True):
            yield (replace(found, status="fault", text=b"", note="cut") if ask.program.call == "f(4)" else found)


def test_faults_in_a_shard_are_said_by_merge(tmp_path: Path) -> None:
    for k in (1, 2):
        run(suite(), Failing(), out=tmp_path / str(k), shard=SuiteShard(k, 2))
    told = ["merge", str(tmp_path / "1"), str(tmp_path / "2"), "-o", str(tmp_path / "merged")]
    found = CliRunner().invoke(cli, told)
    assert isinstance(found.exception, WorldlineError)
    assert "1 prediction failed in the tool" in str(found.exception)
    assert (tmp_path / "merged" / "report.json").exists()

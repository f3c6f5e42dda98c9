"""The index of a run: what it says is what the records say, whatever the directory holds."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from runs import FACT, LAZY, copied, older, rows, synthetic, tasks

from worldline.codec.compact.parse import parse
from worldline.codec.compact.prompt import prompt
from worldline.codec.compact.writer import encode_steps
from worldline.codec.cwm import writer as cwm
from worldline.codec.notation import notation
from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.diagnose.diagnosis import cause
from worldline.diagnose.reading import read
from worldline.evaluation.external.program import called
from worldline.evaluation.run.directory import newest
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.recording.recorder import record_many
from worldline.ui.web.api import describe_run
from worldline.ui.web.index import operations as index_operations
from worldline.ui.web.index import read as index_read
from worldline.ui.web.index.filter import Filters, select
from worldline.ui.web.index.index import SORTS, RunIndex, build
from worldline.ui.web.index.samples import ordered, samples
from worldline.ui.web.overview import overview

THROWN = (
    "def g():\n    try:\n        yield 1\n    except KeyError:\n        yield h(2)\n\n"
    "def h(n):\n    return n\n\n"
    "def f(n):\n    it = g()\n    next(it)\n    got = it.throw(KeyError())\n    it.close()\n    return got + n\n"
)
MANY = (
    "def g(n):\n    if n:\n        yield from g(n - 1)\n    yield n\n\n"
    "def f(n):\n    one, other = g(n), g(n)\n    next(other)\n    return sum(one) + next(other)\n"
)
DEEP = (
    "def a(n):\n    try:\n        return b(n)\n    except ValueError:\n        return 0\n\n"
    "def b(n):\n    raise ValueError\n"
)


@pytest.fixture(scope="module")
def made(erring: tuple[Path, Path]) -> Path:
    """A real run of a predictor that errs in every way."""
    return erring[0]


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A synthetic run."""
    return synthetic(tmp_path_factory.mktemp("runs") / "many", 600)


@pytest.fixture(scope="module")
def index(many: Path) -> RunIndex:
    """Its index, for those who only read it."""
    return build(many)


# ---- what it says


def test_samples_are_the_newest_records_as_they_were_judged(made: Path) -> None:
    index, records = build(made), newest(made)
    found = rows(index)
    assert [one["at"] for one in found] == list(records)
    for one, stored in zip(found, records.values(), strict=True):
        judged = stored.judged
        assert one["name"] == stored.name
        assert (one["steps"], one["agreed"], one["bytes"]) == tuple(judged[key] for key in ("steps", "agreed", "bytes"))
        assert (one["answer"], one["trace"]) == (judged["answer"] == "right", judged["trace"] == "right")
        assert (one["cause"], one["type"]) == (judged["cause"] or "right", judged["type"])
        assert (one["status"], one["suite"]) == (stored.found.status, f"page/{stored.group}")
        assert index.record(stored.at) == stored
    assert len({one["cause"] for one in found}) > 5
    assert index.notes == ()


def test_a_failure_has_the_operation_of_its_diagnosis_and_nothing_else_has_one(made: Path) -> None:
    index = build(made)
    assert index.operations
    for one in rows(index):
        wanted = cause(index.record(one["at"]).sample()).operation or "none"
        assert one["operation"] == (None if one["cause"] == "right" else wanted)
    assert {one["operation"] for one in rows(index)} > {None, "none"}


def test_an_older_run_says_the_same_and_only_such_a_one_is_diagnosed(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = build(older(made, tmp_path / "older"))
    monkeypatch.setattr(index_operations, "cause", None)
    monkeypatch.setattr(index_operations, "MAX_FAILURES", 0)
    monkeypatch.setattr(index_operations, "MAX_TRACE_BYTES", 0)
    index = build(made)
    assert index.operations
    assert index.notes == ()
    assert [one["operation"] for one in rows(index)] == [one["operation"] for one in rows(before)]


def test_too_many_failures_are_not_diagnosed_and_that_is_said(
    many: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_operations, "MAX_FAILURES", 100)
    index = build(older(many, tmp_path / "older"))
    assert not index.operations
    assert "not diagnosed" in describe_run(index)["notes"][-1]
    assert {one["operation"] for one in rows(index)} == {None}
    assert overview(index, Filters())["by"]["operation"] == []
    with pytest.raises(UsageError, match="cannot be filtered by operation"):
        select(index, Filters.of({"operation": "none"}))


def test_failures_with_long_traces_alone_are_not_diagnosed_and_that_is_said(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = older(made, tmp_path / "older")
    whole = build(made)
    longest = max(one["size"] + one["bytes"] for one in whole.table.to_pylist() if one["operation"])
    monkeypatch.setattr(index_operations, "MAX_TRACE_BYTES", longest - 1)
    index = build(made)
    assert index.operations
    assert "not diagnosed of 1 failure" in index.notes[-1]
    sizes = [one["size"] + one["bytes"] for one in index.table.to_pylist()]
    for size, one, known in zip(sizes, rows(index), rows(whole), strict=True):
        assert one["operation"] == (None if size >= longest else known["operation"])
    monkeypatch.setattr(index_operations, "MAX_TRACE_BYTES", 0)
    assert not build(made).operations


@pytest.mark.parametrize("codec", ["compact", "cwm"])
@pytest.mark.usefixtures("sandbox")
def test_depth_is_that_of_the_parsed_text(codec: str) -> None:
    programs = [task.program for task in tasks().tasks]
    odd = ((LAZY, "f(3)"), (THROWN, "f(1)"), (MANY, "f(3)"), (DEEP, "a(1)"), (FACT, "f(30)"))
    programs += [Program(source=source, call=call) for source, call in odd]
    deepest = set()
    for program, trace in zip(programs, record_many(programs), strict=True):
        if codec == "compact":
            text = encode_steps(trace)
            wanted = 1 + max(frame.depth for frame in parse(text, prompt(program)).frames)
        else:
            given = cwm.prompt(program.source, cwm.entry_line(trace))
            text = cwm.encode(trace)[len(given) :].encode()
            wanted = _levels(PredictionRequest(program=program), Prediction(text=text, status="ended", codec="cwm"))
        assert notation(codec).depth(text.decode()) == wanted, program
        deepest.add(wanted)
    assert {1, 2, 4, 30} <= deepest


def _levels(ask: PredictionRequest, truth: Prediction) -> int:
    """The most frames that are alive at once, by the events."""
    level = highest = 0
    for moment in read(ask, truth).events:
        level += {"call": 1, "return": -1}.get(moment.event, 0)
        highest = max(highest, level)
    return highest


@given(st.text(st.sampled_from("(/@?~*)!12#. \n=%:<$x")), st.sampled_from(["compact", "cwm"]))
def test_depth_of_any_text_is_a_number_or_none(text: str, codec: str) -> None:
    found = notation(codec).depth(text)
    assert found is None or 1 <= found <= len(text)


def test_a_synthetic_run_is_true_of_its_programs(index: RunIndex, sandbox: None) -> None:
    records = [index.record(at) for at in range(0, 600, 23)]
    for found, trace in zip(records, record_many(one.ask.program for one in records), strict=True):
        assert encode_steps(trace) == found.truth
        assert cause(found.sample()).name == (found.judged["cause"] or "right").partition(",")[0]


# ---- choosing, sorting, searching


@pytest.mark.parametrize("order", ["asc", "desc"])
@pytest.mark.parametrize("sort", SORTS)
def test_pages_are_the_whole_list_sorted(index: RunIndex, sort: str, order: str) -> None:
    options = {"sort": sort, "order": order}
    pages = [samples(index, Filters(), offset=at, count=70, **options)["samples"] for at in range(0, 630, 70)]
    found = [one[sort] for page in pages for one in page]
    assert len(found) == 600
    assert found == sorted(found, reverse=order == "desc")


def test_samples_without_a_value_come_last_either_way(many: Path, tmp_path: Path) -> None:
    def spoil(data: bytes) -> bytes:
        found = [json.loads(one) for one in data.splitlines()]
        for one in found[::3]:
            one.pop("verdict")
            one["status"] = "fault"
        return b"".join(json.dumps(one).encode() + b"\n" for one in found)

    index = build(copied(many, tmp_path / "run", spoil))
    for order in ("asc", "desc"):
        found = samples(index, Filters(), sort="steps", order=order, count=500, offset=100)["samples"]
        steps = [one["steps"] for one in found]
        known = [one for one in steps if one is not None]
        assert steps == sorted(known, reverse=order == "desc") + [None] * 200
    told = describe_run(index)
    assert (told["samples"], told["judged"], told["faults"]) == (600, 400, 200)
    assert overview(index, Filters())["answer"]["n"] == 400
    assert len(rows(index, cause="tool fault")) == 200
    assert rows(index, cause="tool fault", answer="wrong") == []


def test_a_search_finds_what_names_calls_causes_and_sources_hold(made: Path, many: Path) -> None:
    for path in (made, many):
        index, texts = build(path), dict[int, str]()
        for one in newest(path).values():
            program, cause = one.ask.program, one.judged["cause"] or "right"
            texts[one.at] = "\0".join((one.name, program.call or "", cause, program.source)).lower()
        for word in ("sum/1", "F(3)", "wrong value", "xs.append", "# sample 0000", "no such thing", "\u202e"):
            found = ordered(index, select(index, Filters.of({"q": word})), sort="at", order="asc")
            wanted = [at for at, text in texts.items() if word.lower() in text]
            assert [int(index.positions[row]) for row in found] == wanted


def test_a_search_that_does_not_reach_everything_says_so(many: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_read, "MAX_SEARCHED_BYTES", 1 << 14)
    index = build(many)
    assert any("searched" in note for note in index.notes)
    assert 0 < len(rows(index, q="sample")) < 500


@pytest.mark.parametrize(
    ("params", "told"),
    [
        ({"colour": "red"}, "unknown filter 'colour'"), ({"steps_min": "-1"}, "must be an integer"),
        ({"steps_max": "1e3"}, "must be an integer"), ({"depth": "\u0663"}, "must be an integer"),
        ({"depth_min": "9" * 40}, "must be an integer"), ({"answer": "maybe"}, "right, wrong"),
        ({"flip": "flop"}, "gained, lost"), ({"q": "x" * 2_000}, "longer than"),
    ],
)  # fmt: skip
def test_filters_that_cannot_be_are_errors(params: dict[str, str], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        Filters.of(params)


def test_filters_come_back_as_they_were_given() -> None:
    given = {"q": "x", "cause": "budget, right up to the cut", "steps_min": "3", "depth": "2", "flip": "lost"}
    assert Filters.of({**given, "type": ""}).params == given


@pytest.mark.parametrize("options", [{"sort": "colour"}, {"order": "up"}, {"count": 501}, {"offset": -1}])
def test_lists_that_cannot_be_are_errors(index: RunIndex, options: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        samples(index, Filters(), **options)


def test_values_of_no_sample_choose_none(index: RunIndex) -> None:
    for params in ({"cause": "\ud800"}, {"type": "nosuch"}, {"q": "\ud800"}, {"steps_min": "999999999999999"}):
        assert rows(index, **params) == []


def test_a_sample_knows_those_beside_it(made: Path) -> None:
    index = build(made)
    places = [one["at"] for one in rows(index)]
    assert index.neighbours(places[0]) == (None, places[1])
    assert index.neighbours(places[3]) == (places[2], places[4])
    assert index.neighbours(places[-1]) == (places[-2], None)
    for at in (-1, 10_000, 1 << 80):
        with pytest.raises(UsageError, match="no sample"):
            index.record(at)


def test_a_call_inside_a_main_is_the_one_that_is_listed() -> None:
    source = "def f(x):\n    return x\n\ndef main():\n    return f([1, 2])\n"
    assert called(source, "main()") == "f([1, 2])"
    assert called(source, "f(3)") == "f(3)"
    for other in (
        "def main():\n    x = 1\n    return f(x)\n",
        "def main():\n    return f(\n",
        "",
        "def main():\n  pass\nx = 1",
    ):
        assert called(other, "main()") == "main()"
    assert called(source, None) is None


def test_settings_are_said_in_words(many: Path, tmp_path: Path) -> None:
    config = json.loads((many / "config.json").read_text())
    shutil.copytree(many, tmp_path / "run")
    chosen = {**config, "force": ["actions"], "predictions": "3a3bc155" * 8}
    (tmp_path / "run" / "config.json").write_text(json.dumps(chosen))
    settings = describe_run(build(tmp_path / "run"))["settings"]
    assert ["force", "actions"] in settings
    assert ["predictions", "3a3bc155"] in settings

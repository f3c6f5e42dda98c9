"""How a model is asked, where it runs and how it is judged are independent: the combinations of `bench`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from plain_predictor import PlainPredictor

import worldline
from worldline.cli import cli
from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.evaluation.prediction_mode import PredictionMode
from worldline.evaluation.scratchpads import ScratchpadReports
from worldline.evaluation.suites.suite import Suite, Task
from worldline.evaluation.summary import Report
from worldline.evaluation.table import Measured
from worldline.parallel.pool import LocalPool
from worldline.predict.interpreter import Interpreter
from worldline.predict.prediction import PredictionRequest

pytestmark = pytest.mark.usefixtures("sandbox")

ROWS = [
    {"id": f"sum {n}", "source": "def f(n):\n    t = n * 2 + 1\n    return t * t - n\n", "call": f"f({n})"}
    for n in range(5)
]
MODEL = """
from dataclasses import replace
from worldline.predict.interpreter import Interpreter


class Sometimes:
    '''The interpreter, wrong about the last value of every third program or so, by the seed.'''

    name = "sometimes"

    def __init__(self, seed="0"):
        self.seed = int(seed)

    def predict(self, asks):
        for ask, found in zip(asks, Interpreter().predict(asks)):
            number = int(ask.program.call[2:-1])
            text = found.text
            if (number + self.seed) % 3 == 0 and not ask.given:
                head, mark, tail = text.rpartition(b")")
                text = head + mark + b"9" + tail
            yield replace(found, text=text, seconds=0.0)
"""


@dataclass(frozen=True)
class Case:
    """Words of the command line, and the same for the API."""

    words: str
    options: Mapping[str, Any] = field(default_factory=dict)
    suite: str = ""

    def __str__(self) -> str:
        return f"{self.suite} {self.words}".strip()


CASES = [
    Case(""),
    Case("--scratchpad flatten", {"scratchpad": ["flatten"]}),
    Case("--scratchpad none,flatten", {"scratchpad": ["none", "flatten"]}),
    Case("--force actions", {"force": "actions"}),
    Case("--force queries --queries 2", {"force": "queries", "queries": 2}),
    Case("--force states --scratchpad flatten", {"force": ["states"], "scratchpad": ["flatten"]}),
    Case("--force actions --scratchpad auto", {"force": ["actions"], "scratchpad": ["auto"]}),
    Case("--of permutation --length 3", {"of": "permutation", "length": [3]}, "states"),
    Case(
        "--of permutation --length 3 --force free,next --scratchpad flatten",
        {"of": "permutation", "length": [3], "force": ["free", "next"], "scratchpad": ["flatten"]},
        "states",
    ),
]
REPEATED = [
    Case("--repeats 2", {"repeats": 2}),
    Case("--repeats 2 --scratchpad flatten", {"repeats": 2, "scratchpad": ["flatten"]}),
    Case("--repeats 2 --force guard", {"repeats": 2, "force": "guard"}),
    Case(
        "--repeats 2 --force actions --scratchpad none,chars",
        {"repeats": 2, "force": "actions", "scratchpad": ["none", "chars"]},
    ),
]
VOTED = [
    Case("--samples 3", {"samples": 3}),
    Case("--samples 2 --scratchpad flatten", {"samples": 2, "scratchpad": ["flatten"]}),
    Case("--samples 2 --force guard", {"samples": 2, "force": "guard"}),
    Case("--voter interpreter --scratchpad flatten", {"voters": ["interpreter"], "scratchpad": ["flatten"]}),
    Case("--samples 2 --repeats 2", {"samples": 2, "repeats": 2}),
]


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    path = tmp_path / "own.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


@pytest.fixture
def sometimes(tmp_path: Path) -> str:
    path = tmp_path / "model.py"
    path.write_text(MODEL)
    return f"python:{path}:Sometimes"


def by_command(case: Case, rows: Path, model: str, *words: str) -> dict[str, Any]:
    given = ["bench", case.suite or str(rows), "--model", model, *case.words.split(), *words, "--json"]
    done = CliRunner().invoke(cli, given, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def by_api(case: Case, rows: Path, model: str, **options: Any) -> Report | Measured | ScratchpadReports:
    result: Report | Measured | ScratchpadReports = worldline.bench(
        case.suite or rows, model, **case.options, **options
    )
    return result


def untimed(told: Any) -> Any:
    """The same, without what a clock said, and without an empty list of tables."""
    if isinstance(told, dict):
        timed = {"seconds"}
        parts = {key: untimed(value) for key, value in told.items() if key not in timed}
        return {key: value for key, value in parts.items() if key != "tables" or value}
    return [untimed(each) for each in told] if isinstance(told, list) else told


def result_json(result: Report | Measured | ScratchpadReports) -> Any:
    return untimed(json.loads(json.dumps(result.as_json())))


def rates(told: Any) -> list[float]:
    """Every rate of what is right in a report; the complement of what is wrong."""
    if isinstance(told, dict):
        own = [told["rate"]] if told.get("rate") is not None and "n" in told else []
        wrong = [1 - rate for rate in rates(told.get("wrong"))]
        parts = (value for key, value in told.items() if key not in ("operations", "wrong"))
        return own + wrong + [rate for value in parts for rate in rates(value)]
    return [rate for value in told for rate in rates(value)] if isinstance(told, list) else []


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_interpreter_is_right_however_it_is_asked(case: Case, rows: Path) -> None:
    told = untimed(by_command(case, rows, "interpreter", "--max-programs", "3"))
    assert set(rates(told.get("scratchpads", told))) == {1.0}
    assert told == result_json(by_api(case, rows, "interpreter", max_programs=3))


@pytest.mark.parametrize("case", [*CASES[3:6:2], *REPEATED, *VOTED], ids=str)
def test_command_and_api_agree_on_a_model_that_errs(case: Case, rows: Path, sometimes: str) -> None:
    told = untimed(by_command(case, rows, sometimes))
    assert told == result_json(by_api(case, rows, sometimes))
    report = next(iter(told.get("scratchpads", {"": told}).values()))
    assert report["n"] == len(ROWS) * case.options.get("repeats", 1)


@pytest.mark.parametrize("case", [CASES[0], CASES[2], CASES[5], CASES[7], *REPEATED[:2], *VOTED[:2]], ids=str)
def test_merged_shards_are_the_whole(case: Case, rows: Path, sometimes: str, tmp_path: Path) -> None:
    model = sometimes if not case.suite else "interpreter"
    limit = {"max_programs": 4} if case.suite else {}
    whole = by_api(case, rows, model, out=tmp_path / "whole", **limit)
    shards = [tmp_path / str(k) for k in (1, 2)]
    for k, at in enumerate(shards, 1):
        by_api(case, rows, model, out=at, shard=f"{k}/2", **limit)
    merged = worldline.merge(shards, tmp_path / "merged")
    if isinstance(whole, ScratchpadReports) and len(whole.reports) == 1:
        (whole,) = whole.reports.values()
    assert result_json(merged) == result_json(whole)
    kept = {path.relative_to(tmp_path / "whole") for path in (tmp_path / "whole").rglob("*.json*")}
    assert kept == {path.relative_to(tmp_path / "merged") for path in (tmp_path / "merged").rglob("*.json*")}
    for path in (path for path in kept if path.name == "config.json"):
        one, other = (json.loads((tmp_path / name / path).read_text()) for name in ("whole", "merged"))
        assert one == other
    with pytest.raises(UsageError, match="shard 2/2 is missing"):
        worldline.merge(shards[:1], tmp_path / "merged")


@pytest.mark.parametrize("case", [CASES[5], CASES[7], REPEATED[1], *VOTED[:4:3]], ids=str)
def test_a_pool_of_workers_gives_the_same(case: Case, rows: Path, sometimes: str) -> None:
    model = sometimes if not case.suite else "interpreter"
    pool = LocalPool(workers=2, threads=True)
    limit = {"max_programs": 4} if case.suite else {}
    assert result_json(by_api(case, rows, model, ray=pool, **limit)) == result_json(by_api(case, rows, model, **limit))


def test_a_shard_on_a_pool_holds_what_it_holds_here(rows: Path, sometimes: str, tmp_path: Path) -> None:
    pool = LocalPool(workers=2, threads=True)
    for name, options in {"here": {}, "pool": {"ray": pool}}.items():
        by_api(CASES[1], rows, sometimes, out=tmp_path / name, shard="2/2", max_programs=4, **options)
    logs = [(tmp_path / name / "records.jsonl").read_text().splitlines() for name in ("here", "pool")]
    assert [json.loads(line)["name"] for line in logs[0]] == ["sum 1", "sum 3"]
    assert sorted(json.loads(line)["text"] for line in logs[0]) == sorted(json.loads(line)["text"] for line in logs[1])


def test_what_is_forced_on_a_scratchpad_is_the_truth_of_the_rewritten_program() -> None:
    asked: list[bytes] = []

    class Prompted(PlainPredictor):
        name = "prompted"

        def predict(self, asks: Any, /) -> Any:
            asked.extend(ask.prompt for ask in asks)
            return Interpreter().predict(asks)

    program = Program(source=str(ROWS[0]["source"]), call="f(3)", name="prog.py")
    (found,) = (
        PredictionMode(scratchpad="flatten", force="actions")
        .wrap(Prompted())
        .predict([PredictionRequest(program=program)])
    )
    assert asked
    assert all(b"t1 = n * 2" in prompt for prompt in asked)
    assert found.scratch is not None
    assert found.status == "ended"
    assert b"t=7" in found.text


def test_a_measured_suite_is_kept_resumed_and_verified(tmp_path: Path) -> None:
    out, options = tmp_path / "run", {"of": "permutation", "length": [3], "force": ["free"]}
    first = worldline.bench("states", "interpreter", max_programs=2, out=out, **options)
    assert first.n == 2
    log = out / "measurements.jsonl"
    stored = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(stored[0])
    assert worldline.bench("states", "interpreter", max_programs=2, out=out, **options).tables == first.tables
    assert CliRunner().invoke(cli, ["verify", str(out)]).exit_code == 0
    log.write_bytes(log.read_bytes().replace(b"1", b"0", 1))
    assert CliRunner().invoke(cli, ["verify", str(out)]).exit_code == 1
    with pytest.raises(UsageError, match="no judged traces to compare"):
        worldline.compare(out, out)


@pytest.mark.parametrize(
    ("suite", "model", "options", "reason"),
    [
        ("composition", "default", {"repeats": 2}, "temperature 0 are all the same"),
        ("composition", "interpreter", {"repeats": 2}, "always gives the same prediction"),
        ("composition", Interpreter(), {"repeats": 2}, "is already an object"),
        ("composition", "interpreter", {"samples": 2}, "always gives the same prediction"),
        ("composition", "interpreter", {"samples": 0}, "samples is at least 1"),
        ("composition", "interpreter", {"repeats": 0}, "repeats is at least 1"),
        ("states", "default", {"samples": 2}, "no single answer to vote on"),
        ("stochastic", "default", {"voters": ["interpreter"]}, "no single answer to vote on"),
        ("composition", "replay:x", {"voters": ["interpreter"], "extras": {"by": "order"}}, "by=order"),
        ("composition", "interpreter", {"shard": "1/2"}, "must be stored"),
        ("composition", "interpreter", {"shard": "3/2", "out": "run"}, "a shard is K/N"),
        ("composition", "interpreter", {"queries": 2}, "needs --force queries"),
        ("composition", "interpreter", {"force": ["actions", "states"]}, "one forcing at a time"),
        ("composition", "interpreter", {"force": "luck"}, "force is one of"),
        ("composition", "interpreter", {"scratchpad": "paper"}, "a scratchpad is one of"),
        ("budget", "interpreter", {"scratchpad": "flatten"}, "how programs are written down"),
        ("branches", "interpreter", {"scratchpad": "flatten"}, "as it is written"),
        ("states", "interpreter", {"scratchpad": "auto"}, "by the model's confidence"),
        ("composition", "replay:x", {"shard": "1/2", "out": "run", "extras": {"by": "order"}}, "by=order"),
        ("composition", "replay:x", {"ray": "auto", "extras": {"by": "order"}}, "by=order"),
    ],
)
def test_what_contradicts_itself_is_refused_with_the_reason(
    suite: str, model: Any, options: dict[str, Any], reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=reason):
        worldline.bench(suite, model, **options)
    assert list(tmp_path.iterdir()) == []


def test_tasks_that_can_be_read_once_are_asked_once() -> None:
    def suite() -> Suite:
        program = Program(source=str(ROWS[0]["source"]), call="f(1)")
        return Suite(name="once", tasks=iter([Task(program=program, name="one")]))

    assert worldline.bench(suite(), "interpreter").n == 1
    with pytest.raises(UsageError, match="can be read only once"):
        worldline.bench(suite(), "interpreter", scratchpad="all")

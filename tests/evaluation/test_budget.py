"""The budget suite: every format of one program, and which failures a larger budget would have prevented."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.core.stats import Share
from worldline.evaluation import suites
from worldline.evaluation.run.directory import newest
from worldline.evaluation.run.record import Record
from worldline.evaluation.run.run import run
from worldline.evaluation.suites import budget
from worldline.evaluation.suites.budget import FORMATS, META
from worldline.evaluation.table import Table
from worldline.predict.interpreter import Interpreter
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.programs.split import split

HUMANEVAL = Path(__file__).resolve().parents[3] / "shared" / "data" / "HumanEval.jsonl.gz"
PROGRAM = Program(source="def f(n):\n    return n\n", call="f(1)")
TRUE = b"(1 n=1\n2\n)1\n.\n"


def column(table: Table, head: str, format: str) -> list[Any]:
    at = table.heads.index(head)
    return [row[at] for row in table.rows if row[0] == format]


def test_the_interpreter_is_right_in_every_format_and_fails_by_budget_alone(tmp_path: Path) -> None:
    found = run(suites.load("budget"), Interpreter(), limit=30, out=tmp_path / "run")
    assert (found.n, found.all.answer.right, found.all.trace.right) == (30, 30, 30)
    assert set(found.by_length) == set(FORMATS)
    by_budget, needs = suites.tables("budget", newest(tmp_path / "run").values())
    for format in FORMATS:
        right = column(by_budget, "answers right", format)
        assert right[-1] == Share(6, 6)
        assert right == column(by_budget, "truths that fit", format)
        alone = column(by_budget, "of the failures, the budget's alone", format)
        assert all(share.some == share.n for share in alone)
        assert [share.n for share in alone] == [6 - share.some for share in right]
    assert [row[0] for row in needs.rows] == [*FORMATS, META]
    sizes = {str(row[0]): row[2] for row in needs.rows}
    meta, dense = sizes[META], sizes["dense"]
    assert isinstance(meta, float)
    assert isinstance(dense, float)
    assert meta > 2 * dense
    assert set(column(by_budget, "answers right", META)) == {None}
    assert column(by_budget, "truths that fit", META)[-1].n == 6


@pytest.mark.skipif(not HUMANEVAL.is_file(), reason="HumanEval's file is not beside the repository")
def test_any_other_suite_can_be_asked() -> None:
    suite = suites.load("budget", of="humaneval", data=HUMANEVAL, formats=("bare", "reveal 4"))
    found = run(suite, Interpreter(), limit=8)
    assert (found.n, found.all.trace.right) == (8, 8)
    assert {name: part.answer.n for name, part in found.by_length.items()} == {"bare": 4, "reveal 4": 4}


def test_formats_of_one_program_follow_each_other_and_are_held_out() -> None:
    tasks = list(islice(suites.load("budget", seed=3).tasks, 2 * len(FORMATS)))
    assert [task.group for task in tasks] == [*FORMATS, *FORMATS]
    assert [task.options for task in tasks[: len(FORMATS)]] == list(FORMATS.values())
    assert len({task.program for task in tasks}) == 2
    assert len({task.name for task in tasks}) == len(tasks)
    assert {split(task.program.source) for task in tasks} == {"test"}
    again = islice(suites.load("budget", seed=3).tasks, 2 * len(FORMATS))
    assert [task.program for task in again] == [task.program for task in tasks]


def written(text: bytes, answer: str, *, trace: str | None = None, status: str = "ended") -> Record:
    return Record(
        at=0, name="", group="dense", kind="asked", program="", prompt="", ask=PredictionRequest(program=PROGRAM),
        truth=TRUE, found=Prediction(text=text, status=status), judged={"answer": answer, "trace": trace or answer},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("record", "right", "alone"),
    [
        pytest.param(written(TRUE, "right"), [0, 0, 1], [1, 1, 0], id="right, if it may end"),
        pytest.param(written(b"(1 n=1\n2\n)2\n.\n", "wrong"), [0, 0, 0], [1, 0, 0], id="wrong late"),
        pytest.param(written(b"(1 n=9\n2\n)1\n.\n", "wrong"), [0, 0, 0], [0, 0, 0], id="wrong early"),
        pytest.param(written(b"(1 n=9\n2\n)1\n.\n", "right", trace="wrong"), [0, 0, 1], [0, 0, 0], id="right by luck"),
        pytest.param(written(b"", "malformed", status="empty"), [0, 0, 0], [0, 0, 0], id="empty"),
        pytest.param(written(TRUE[:12], "truncated", status="budget"), [0, 0, 0], [1, 1, 1], id="cut as it was asked"),
        pytest.param(written(b"(1 n=9\n2\n2\n2\n", "truncated", status="budget"), [0, 0, 0], [0, 0, 0], id="a loop"),
    ],
)
def test_a_cut_text_was_right_up_to_the_cut_or_wrong_before_it(
    record: Record, right: list[int], alone: list[int]
) -> None:
    table, _ = budget.tables([record], budgets=(8, 12, 20))
    found = column(table, "answers right", "dense")
    assert [share.some for share in found] == right[: len(found)]
    assert [share.some for share in column(table, "of the failures, the budget's alone", "dense")] == alone[
        : len(found)
    ]


@pytest.mark.parametrize(("one", "other", "length"), [(b"", b"a", 0), (b"abc", b"abd", 2), (b"ab", b"abc", 2)])
def test_what_two_texts_have_in_common(one: bytes, other: bytes, length: int) -> None:
    assert budget.common(one, other) == budget.common(other, one) == length


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"of": "budget"}, "not of 'budget'"),
        ({"formats": "wide"}, "not wide"),
        ({"of": "crux"}, "needs its data file"),
        ({"data": "somewhere"}, "has no option data"),
    ],
)
def test_invalid_options_are_refused(options: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        suites.load("budget", **options)

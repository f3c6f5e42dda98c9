"""The composition suite: chains that fit, held out, by seed; and the two tables that are made of its records."""

from __future__ import annotations

import ast
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.core.stats import Share, mantel_haenszel
from worldline.evaluation import suites
from worldline.evaluation.run.directory import newest
from worldline.evaluation.run.record import Record
from worldline.evaluation.run.run import run
from worldline.evaluation.suites import composition
from worldline.evaluation.suites.zoo import KINDS, ZOO
from worldline.evaluation.table import Between
from worldline.predict.interpreter import Interpreter
from worldline.predict.prediction import PredictionRequest
from worldline.programs.split import key, split
from worldline.recording.recorder import record_many


@pytest.mark.long(reason="runs 20 chains, twice")
@pytest.mark.parametrize("lines", [False, True])
def test_the_interpreter_is_always_right(tmp_path: Path, lines: bool) -> None:
    found = run(suites.load("composition", lines=lines), Interpreter(), limit=20, out=tmp_path / "run")
    assert (found.n, found.all.answer.right, found.all.trace.right) == (20, 20, 20)
    assert [name[0] for name in found.by_length] == list("1122334455")
    by_depth, equal = suites.tables("composition", newest(tmp_path / "run").values())
    assert [row[:2] for row in by_depth.rows] == [(kind, depth) for kind in KINDS for depth in range(1, 6)]
    assert {row[2] for row in by_depth.rows} == {Share(2, 2)}
    assert by_depth.rows[4][4] == 25.0
    assert sum(share.n for row in equal.rows for share in row[1:] if isinstance(share, Share)) == 20


@pytest.mark.parametrize("kind", KINDS)
def test_every_function_of_a_zoo_runs(kind: str) -> None:
    rng = Random(1)
    arguments = {"str": ["''", "'aBc Xyz'"], "int": ["0", "-15", "946"], "list": ["[]", "[3, -2, 8, 3]"]}
    programs = [
        Program(source=function.source(rng), call=f"{function.name}({argument})")
        for function in ZOO[kind]
        for argument in arguments[function.takes]
    ]
    for program, trace in zip(programs, record_many(programs), strict=True):
        assert trace.outcome.kind == "returned", program
        assert "<" not in program.source  # every literal was drawn


def test_the_other_zoo_has_no_string_in_it() -> None:
    sources = [function.source(Random(2)) for function in ZOO["other"]]
    nodes = [node for source in sources for node in ast.walk(ast.parse(source))]
    assert not [node for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    assert not [node for node in nodes if isinstance(node, ast.Name) and node.id in ("str", "repr", "chr")]


def test_a_chain_has_its_depth_and_no_function_twice_before_all_were_there() -> None:
    for task in islice(suites.load("composition", depth=(1, 4, 9), seed=5).tasks, 12):
        depth = int(task.group.split("/")[0])
        main = task.program.source.rpartition("def main")[2]
        assert main.count("(") - 1 == depth
        functions = [node for node in ast.parse(task.program.source).body if isinstance(node, ast.FunctionDef)]
        assert len(functions) == depth + 1 or (depth == 9 and "other" in task.group)


def test_a_long_chain_does_not_grow_without_bound() -> None:
    for task in islice(suites.load("composition", depth=40, kind="string").tasks, 2):
        names = [function.name for function in ZOO["string"] if function.grows]
        assert sum(task.program.source.rpartition("def main")[2].count(f"{name}(") for name in names) <= 2


def test_programs_are_held_out_distinct_and_the_seed_s() -> None:
    def drawn(seed: int) -> list[str]:
        tasks = islice(suites.load("composition", seed=seed, depth=(1, 3)).tasks, 8)
        return [task.program.source for task in tasks]

    assert drawn(1) == drawn(1) != drawn(2)
    assert {split(source) for source in drawn(1)} == {"test"}
    assert len({key(source) for source in drawn(1)}) == 8


@pytest.mark.parametrize(
    ("options", "said"),
    [({"depth": 0}, "1 or more"), ({"depth": ()}, "1 or more"), ({"kind": "bytes"}, "string, other")],
)
def test_invalid_options_are_refused(options: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        suites.load("composition", **options)


def judged(group: str, answer: str, size: int) -> Record:
    ask = PredictionRequest(program=Program(source=""))
    return Record(
        at=0, name="", group=group, kind="asked", program="", prompt="", ask=ask, truth=b"x" * size,
        judged={"answer": answer, "trace": answer},
    )  # fmt: skip


def test_the_expected_line_is_the_rate_at_depth_one_to_the_power_of_the_depth() -> None:
    rows = [judged("1/string", "right", 100)] * 8 + [judged("1/string", "wrong", 100)] * 2
    rows += [judged("3/string", "right", 300), judged("3/string", "truncated", 300)]
    table, _ = composition.tables(rows)
    expected = table.rows[1][3]
    assert isinstance(expected, Between)
    assert expected.rate == pytest.approx(0.8**3)
    assert expected.low < expected.rate < expected.high
    assert table.rows[1][2] == Share(1, 2)


def test_without_depth_one_nothing_is_expected() -> None:
    table, _ = composition.tables([judged("2/other", "right", 100)])
    assert table.rows == (("other", 2, Share(1, 1), None, None),)


def test_at_equal_length_only_rows_with_both_kinds_count() -> None:
    rows = [judged("1/string", "right", 100), judged("1/other", "right", 120)]  # equal here,
    rows += [judged("5/string", "wrong", 4000)] * 9  # and strings that are longer than anything beside them
    _, table = composition.tables(rows)
    assert [row[0] for row in table.rows] == ["65-128", "2049-4096"]
    assert "+0.0 points" in table.note
    assert mantel_haenszel([(Share(0, 9), Share(0, 0))]) is None


def test_the_difference_is_weighted_by_what_both_kinds_have() -> None:
    found = mantel_haenszel([(Share(5, 10), Share(10, 10)), (Share(1, 1), Share(0, 1))])
    assert found is not None
    assert found.rate == pytest.approx((5 * -0.5 + 0.5 * 1) / 5.5)
    assert found.low < found.rate < found.high

"""Several samples an id, or repeats of a suite: pass@k without bias, their variation, and what most of them say."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import pytest

from worldline.cli import suites as verbs
from worldline.codec.cwm import writer as cwm
from worldline.core.program import Program
from worldline.evaluation.external.scored import score
from worldline.evaluation.run.samples import pass_at
from worldline.recording.recorder import record


@pytest.mark.parametrize("n", [1, 4, 7])
def test_pass_at_k_is_the_mean_over_all_ways_to_draw_k(n: int) -> None:
    for right in range(n + 1):
        outcomes = [i < right for i in range(n)]
        for k in range(1, n + 1):
            drawn = list(combinations(outcomes, k))
            assert pass_at(n, right, k) == pytest.approx(sum(map(any, drawn)) / len(drawn))


CODE = "def f(n):\n    m = n + 1\n    return m\n"


def texts(n: int) -> tuple[str, str]:
    trace = record(Program(source=CODE, call=f"f({n})"))
    true = cwm.encode(trace).removeprefix(cwm.prompt(CODE, cwm.entry_line(trace)))
    return true, true.replace(f'"{n + 1}"', f'"{n + 2}"')


def test_a_file_with_several_outputs_per_id_is_reported_by_id(tmp_path: Path) -> None:
    path = tmp_path / "outputs.jsonl"
    rows = []
    for n, says in enumerate(("rrrr", "rrww", "wwww", "wrww")):
        right, wrong = texts(n)
        generations = [right if each == "r" else wrong for each in says]
        rows.append({"id": f"i{n}", "code": CODE, "input": str(n), "generations": generations})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    report = score("crux", path)
    assert report.n == 16
    first, *_ = report.as_json()["samples"]
    table = {row["k"]: row["answers"]["rate"] for row in first["rows"] if row["k"] != "majority"}
    assert table == {
        1: pytest.approx((1 + 0.5 + 0 + 0.25) / 4),
        2: pytest.approx((1 + 5 / 6 + 0 + 0.5) / 4),
        4: pytest.approx(3 / 4),
    }
    most = next(row for row in first["rows"] if row["k"] == "majority")
    assert most["answers"]["some"] in (1, 2)  # of two that say the same as often, the one that was said first
    assert most["answers"]["n"] == 4
    assert "always right: 1, never: 1, sometimes: 2" in first["note"]


def test_one_sample_per_task_has_no_such_table(tmp_path: Path) -> None:
    path = tmp_path / "outputs.jsonl"
    path.write_text(json.dumps({"id": "a", "code": CODE, "input": "1", "generation": texts(1)[0]}) + "\n")
    assert "samples" not in score("crux", path).as_json()


def test_bench_repeats_a_suite_with_different_seeds(tmp_path: Path) -> None:
    from click.testing import CliRunner

    out = tmp_path / "run"
    given = ["composition", "--max-programs", "2", "--repeats", "3", "-M", "temperature=0.9", "-o", str(out), "--json"]
    found = CliRunner().invoke(verbs.bench, given, catch_exceptions=False)
    told = json.loads(found.output)
    assert told["n"] == 6
    assert [row["k"] for row in told["samples"][0]["rows"]] == [1, 2, 3, "majority"]
    seeds = [json.loads((out / str(k) / "config.json").read_text())["extras"]["seed"] for k in (1, 2, 3)]
    assert seeds == ["0", "1", "2"]
    again = CliRunner().invoke(verbs.bench, given, catch_exceptions=False)
    assert json.loads(again.output)["answer"] == told["answer"]


def test_repeats_that_cannot_differ_are_refused() -> None:
    from worldline.core.errors import UsageError

    with pytest.raises(UsageError, match="temperature"):
        verbs.bench.main(["composition", "--repeats", "3"], standalone_mode=False)

"""Two runs of one suite: flips come first, each with its cause; the test is exact; others are refused."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import comb
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_predictor import PlainPredictor
from rich.console import Console

from worldline.cli import runs as verbs
from worldline.core.errors import FormatError, UsageError
from worldline.core.program import Program
from worldline.core.stats import mcnemar
from worldline.evaluation.compare import compare, rates
from worldline.evaluation.run.run import run
from worldline.evaluation.suites.suite import Suite, Task
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.ui.terminal.compare import print_comparison

SOURCE = "def f(n):\n    m = n + 1\n    return m\n"


def texts(n: int) -> dict[str, bytes]:
    """What may be predicted of `f(n)`, by what is right and wrong about it."""
    return {
        "right": b"(1 n=%d\n2 m=%d\n3\n)%d\n.\n" % (n, n + 1, n + 1),
        "value": b"(1 n=%d\n2 m=%d\n3\n)%d\n.\n" % (n, n + 2, n + 2),
        "action": b"(1 n=%d\n3\n)%d\n.\n" % (n, n),
        "empty": b"",
        "fault": b"",
    }


class Says(PlainPredictor):
    """Predicts each task by one of the texts."""

    def __init__(self, name: str, says: str) -> None:
        self.name, self._says = name, says.split()

    def predict(self, asks: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        for ask in asks:
            n = int((ask.program.call or "")[2:-1])
            kind = self._says[n]
            status = kind if kind in ("empty", "fault") else "ended"
            yield Prediction(text=texts(n)[kind], status=status)


def made(folder: Path, says: str, *, name: str = "small", seed: int = 0, first: int = 0) -> Path:
    """A run in which the tasks from `first` on are predicted so."""
    count = len(says.split())
    tasks = [Task(program=Program(source=SOURCE, call=f"f({n})"), name=f"f/{n}") for n in range(first, count)]
    run(Suite(name=name, tasks=tasks), Says(folder.name, says), out=folder, config={"options": {"seed": seed}})
    return folder


@pytest.fixture
def runs(tmp_path: Path) -> tuple[Path, Path]:
    one = made(tmp_path / "one", "right right value action right right fault")
    return one, made(tmp_path / "other", "right value right action empty fault right right")


def test_flips_come_with_their_causes(runs: tuple[Path, Path]) -> None:
    found = compare(*runs)
    assert [(flip.name, flip.is_lost, flip.cause) for flip in found.flips] == [
        ("f/4", True, "empty"),
        ("f/1", True, "wrong value"),
        ("f/2", False, "wrong value"),
    ]
    answer = found.answer
    assert (answer.right, answer.regressed, answer.recovered, answer.wrong) == (1, 2, 1, 1)
    assert [(rate.some, rate.n) for rate in rates(answer)] == [(3, 5), (2, 5)]
    assert found.apart == (1, 2)
    assert found.models == ("one", "other")
    assert {name: (some.regressed, some.recovered, some.wrong) for name, some in found.by_cause.items()} == {
        "wrong value": (1, 1, 0),
        "empty": (1, 0, 0),
        "wrong action": (0, 0, 1),
    }
    assert list(found.by_type) == ["int"]
    assert found.differences == {}


def test_a_run_is_like_itself(runs: tuple[Path, Path]) -> None:
    found = compare(runs[0], runs[0])
    assert (found.flips, found.answer.p, found.answer.n, found.apart) == ((), 1.0, 6, (0, 0))


def test_only_the_same_program_is_compared(tmp_path: Path) -> None:
    one, other = made(tmp_path / "one", "right right"), tmp_path / "other"
    tasks = [
        Task(program=Program(source=SOURCE.replace("n + 1", "1 + n"), call=f"f({n})"), name=f"f/{n}") for n in range(2)
    ]
    run(Suite(name="small", tasks=tasks), Says("x", "right right"), out=other, config={"options": {"seed": 0}})
    with pytest.raises(UsageError, match="no sample in common"):
        compare(one, other)


@pytest.mark.parametrize(("change", "said"), [({"name": "large"}, "one suite"), ({"seed": 7}, "one seed")])
def test_other_suites_and_seeds_are_refused(tmp_path: Path, change: dict[str, object], said: str) -> None:
    one = made(tmp_path / "one", "right right")
    other = made(tmp_path / "other", "right right", **change)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=said):
        compare(one, other)


def test_a_folder_that_is_not_a_run_is_refused(tmp_path: Path) -> None:
    one = made(tmp_path / "one", "right")
    with pytest.raises(UsageError, match="is not a run"):
        compare(one, tmp_path)
    (one / "config.json").write_text('{"format": 99}')
    with pytest.raises(FormatError, match="format 99"):
        compare(one, one)


def test_the_same_comparison_as_json_and_in_a_terminal(
    runs: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    verbs.compare.main([*map(str, runs), "--json"], standalone_mode=False)
    found = json.loads(capsys.readouterr().out)
    assert found == json.loads(json.dumps(compare(*runs).as_json()))
    assert list(found)[:3] == ["suite", "models", "flips"]
    assert found["flips"][0]["flip"] == "right -> wrong"
    assert found["answer"]["p"] == 1.0
    out = io.StringIO()
    print_comparison(Console(file=out, width=160), compare(*runs))
    said = out.getvalue()
    assert said.index("right -> wrong: 2") < said.index("wrong -> right: 1") < said.index("McNemar")
    assert "60.0 % (23.1 - 88.2)" in said
    assert "only in the first run: 1 sample: f/5" in said
    assert "only in the second run: 2 samples: f/6, f/7" in said


def test_names_from_a_file_do_not_reach_the_terminal_raw(tmp_path: Path) -> None:
    program = Program(source=SOURCE, call="f(0)")
    tasks = [Task(program=program, name="\x1b[31m[red]x")]
    for name, says in (("one", "right"), ("other", "value")):
        run(Suite(name="s", tasks=tasks), Says(name, says), out=tmp_path / name)
    out = io.StringIO()
    print_comparison(Console(file=out, width=160), compare(tmp_path / "one", tmp_path / "other"))
    assert "\\x1b[31m[red]x" in out.getvalue()
    assert "\x1b" not in out.getvalue()


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_the_binomial_test(lost: int, gained: int) -> None:
    n = lost + gained
    tail = sum(Fraction(comb(n, k), 2**n) for k in range(min(lost, gained) + 1))
    assert mcnemar(lost, gained) == pytest.approx(float(min(Fraction(1), 2 * tail)), rel=1e-12)
    assert mcnemar(lost, gained) == mcnemar(gained, lost)


@pytest.mark.parametrize(("flips", "p"), [((0, 0), 1.0), ((0, 5), 0.0625), ((1, 9), 0.021484375), ((5, 5), 1.0)])
def test_mcnemar_of_known_tables(flips: tuple[int, int], p: float) -> None:
    assert mcnemar(*flips) == p


def test_mcnemar_of_many_flips_is_a_number() -> None:
    assert 0 < mcnemar(4_700, 5_300) < 1e-8


DOCUMENTED = 'def f(n):\n    """Adds one."""  # and no more\n    m = n+1\n\n    return m'


def test_a_scored_run_pairs_with_a_bench_run_by_what_is_run(tmp_path: Path) -> None:
    """Traces made elsewhere begin in a `main`, under names of their own, with docstrings."""
    from worldline.codec.cwm import writer as cwm
    from worldline.evaluation.external.scored import score
    from worldline.recording.recorder import record

    made(tmp_path / "bench", "right right value right")
    rows = []
    for n in (2, 0, 7):
        program = Program(source=f"{DOCUMENTED}\n\ndef main():\n    return f( {n} )\n", call="main()")
        trace = record(program)
        text = cwm.encode(trace).removeprefix(cwm.prompt(program.source, cwm.entry_line(trace)))
        rows += [{"id": f"other_{n}", "code": program.source, "call": "main()", "generation": text}] * 2
    path = tmp_path / "outputs.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    score("generated", path, out=tmp_path / "scored", seed=0)
    for folder in ("bench", "scored"):
        config = json.loads((tmp_path / folder / "config.json").read_text())
        (tmp_path / folder / "config.json").write_text(json.dumps(config | {"suite": "small"}))
    found = compare(tmp_path / "bench", tmp_path / "scored")
    assert found.answer.n == 2
    assert found.paired_by == {"program and call": 2}
    assert [flip.name for flip in found.flips] == ["other_2"] or [flip.name for flip in found.flips] == ["f/2"]
    assert found.unpaired == (("f/1", "f/3"), ("other_0#2", "other_2#2", "other_7", "other_7#2"))
    assert found.as_json()["unpaired"][0] == ["f/1", "f/3"]
    shown = io.StringIO()
    print_comparison(Console(file=shown, width=200), found)
    assert "paired: 2 by program and call" in shown.getvalue()
    assert "only in the first run: 2 samples: f/1, f/3" in shown.getvalue()
    same = compare(tmp_path / "bench", tmp_path / "bench")
    assert same.paired_by == {"id and program": 4}

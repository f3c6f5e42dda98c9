"""`--max-steps` and `--wall` on every verb that runs programs, and what they do there."""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
import pytest
from plain_predictor import PlainPredictor

from worldline.cli import cli, main
from worldline.core.errors import UsageError
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.evaluation.interventions import intervene_on_run
from worldline.evaluation.run.run import run
from worldline.evaluation.suites.suite import Suite, Task
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.ui.dap.launching import LAUNCH_KEYS, launch_of
from worldline.ui.dap.messages import Arguments

LIMITED = {"--max-steps", "--wall"}
# Verbs that take `--trust` and not both limits, and why.
EXCEPTIONS = {
    "ask": "--true-steps are single true steps that are asked for; --wall is there",
    "check": "its three programs are its own and tiny; --seconds bounds it",
    "paper": "its suites have limits of their own, so that a table means the same everywhere",
    "plan input": "its calls are not recorded, so they have no steps; --wall is there",
    "plan outputs": "its tests are not recorded, so they have no steps; --wall is there",
    "plan repair": "--test-seconds and --executions bound its tests, which are not recorded",
    "dap": "they come with a launch, as its keys `steps` and `wall`",
    "export": "--check-rounding runs generated programs under the limits of their suite, for a model's rounding alone",
    "imagine": "nothing is run, except by the model `interpreter`, which the bytes of --max-bytes bound",
    "learn": "--train-steps are those of a training; --wall is there",
}
Capture = pytest.CaptureFixture[str]
PACKAGE = Path(__file__).parents[2] / "editors" / "vscode" / "package.json"


def verbs() -> dict[str, click.Command]:
    """Every verb by its words."""
    return {
        f"{name} {inner}".strip(): command
        for name, verb in cli.commands.items()
        for inner, command in (verb.commands if isinstance(verb, click.Group) else {"": verb}).items()
    }


def test_every_command_with_trust_has_limits() -> None:
    lacking = set()
    for name, verb in verbs().items():
        options = {word for option in verb.params for word in option.opts}
        if "--trust" in options:
            help_ = {word: getattr(one, "help", "") for one in verb.params for word in one.opts}
            limits = {word for word in LIMITED & options if help_[word].startswith("Limit: ")}
            lacking |= set() if limits == LIMITED else {name}
            assert (name in EXCEPTIONS) == (limits != LIMITED), name
    assert lacking == set(EXCEPTIONS)


@pytest.fixture
def file(tmp_path: Path) -> str:
    """A program whose steps can be counted."""
    path = tmp_path / "f.py"
    path.write_text("def f(n):\n    for i in range(n):\n        n = n + i * 2\n    return n\n")
    return str(path)


@pytest.mark.usefixtures("sandbox")
def test_a_proof_of_longer_runs_is_undecided(file: str, capsys: Capture) -> None:
    given = ["rewrite", file, "--flatten", "--call", "f(3)", "--prove", "0", "--json"]
    assert main(given) == 0
    whole = json.loads(capsys.readouterr().out)
    assert (whole["proof"]["same"], whole["proof"]["undecided"]) == (1, 0)
    assert main([*given, "--max-steps", "3"]) == 0
    cut = json.loads(capsys.readouterr().out)
    assert (cut["proof"]["same"], cut["proof"]["undecided"]) == (0, 1)
    assert cut["cost"]["before"]["steps"] == 3 < whole["cost"]["before"]["steps"]


@pytest.mark.usefixtures("sandbox")
def test_mined_calls_of_more_steps_are_left_out(file: str, tmp_path: Path) -> None:
    found = {}
    for steps in (3, 1_000):
        out = tmp_path / f"{steps}.xz"
        assert main(["data", "mine", file, "-o", str(out), "--max-steps", str(steps), "--wall", "5"]) == 0
        calls = [json.loads(line)["call"] for line in lzma.decompress(out.read_bytes()).splitlines()]
        found[steps] = max(int(call[2:-1]) for call in calls)
    assert found[3] < found[1_000]  # calls that are tried together share the sum of their limits


RECIPE = """
from worldline.data.mixture import TASKS, Mixture

def data():
    return Mixture(sources=(TASKS,))
"""


@pytest.mark.long(reason="runs `data build` three times")
@pytest.mark.usefixtures("sandbox")
def test_another_limit_is_another_dataset(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "small.py").write_text(RECIPE)
    words = ["data", "build", str(tmp_path / "small.py"), "-o", str(tmp_path / "out"), "--unit", "2", "--workers", "1"]
    assert main([*words, "--count", "2", "--max-steps", "900"]) == 0
    capsys.readouterr()
    assert main([*words, "--count", "3"]) == 2
    assert "error[fingerprint]" in capsys.readouterr().err
    assert main([*words, "--count", "3", "--max-steps", "900"]) == 0


class Wrong(PlainPredictor):
    """A model whose every answer is 0."""

    name = "wrong"

    def predict(self, asks: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        for _ in asks:
            yield Prediction(text=b"(1 n=3\n2 m=0\n3\n)0\n.\n", status="ended")


@pytest.mark.usefixtures("sandbox")
def test_the_runs_of_an_intervention_are_limited(tmp_path: Path) -> None:
    program = Program(source="def f(n):\n    m = (n + 1) * (n + 2)\n    return m\n", call="f(3)")
    suite = Suite(name="one", tasks=[Task(program=program, name="one")])
    run(suite, Wrong(), out=tmp_path / "run", config={"scheme": "wrong"})
    status = {}
    for steps in (2, 1_000):
        found, _ = intervene_on_run(
            tmp_path / "run", lambda scheme, extras: Wrong(), interventions=["flatten"], limits=Limits(steps=steps)
        )
        status[steps] = [(one.status, one.why) for one in found.tried]
    assert status == {2: [("unfit", "the true trace was not recorded to its end")], 1_000: [("done", "")]}


def test_the_training_s_own_steps_stay(capsys: Capture) -> None:
    assert main(["learn", "--on", "x", "-o", "y", "--wall", "3"]) == 2
    assert "--wall is for drills" in capsys.readouterr().err


def _launch(**asked: Any) -> Any:
    return launch_of(Arguments({"source": "x = 1\n", **asked}, "launch"))


def test_a_launch_takes_them() -> None:
    assert _launch().limits is None
    assert _launch(steps=5).limits == Limits(steps=5)
    assert _launch(steps=5, wall=1.5).limits == Limits(steps=5, wall=1.5)
    for wrong in ({"steps": 0}, {"steps": "many"}, {"wall": -1}, {"wall": True}):
        with pytest.raises(UsageError, match=f"limit {next(iter(wrong))} must be"):
            _launch(**wrong)


def test_the_editor_knows_every_key_of_a_launch() -> None:
    (debugger,) = json.loads(PACKAGE.read_text())["contributes"]["debuggers"]
    shown = set(debugger["configurationAttributes"]["launch"]["properties"])
    assert shown == LAUNCH_KEYS - {"noDebug"}

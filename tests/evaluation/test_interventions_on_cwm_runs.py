"""Interventions on a model that writes the notation cwm, over HTTP: of a run, of a scored run, of one program.

The server's model is the interpreter with planted mistakes, so that what each intervention does is known beforehand.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.diagnose.debug import debug
from worldline.diagnose.trials import Trials
from worldline.evaluation.interventions import intervene_on_run
from worldline.evaluation.run.run import run
from worldline.evaluation.suites.suite import Suite, Task
from worldline.predict.models import load_model
from worldline.predict.prediction import PredictionRequest

pytest.importorskip("httpx2", reason="the server extra is not installed: pip install 'worldline[server]'")
pytest.importorskip("tiktoken")
pytest.importorskip("llama_models", reason="Llama 3's tokenizer: pip install --no-deps llama-models")

SOURCE = """\
def g(n):
    m = n + 1
    return m
def f(xs):
    total = 0
    for x in xs:
        total += g(x)
    text = 'n' + str(len(str(total)))
    return text
"""
CALLS = ("[1, 2]", "[3]", "[]")
LINES, VALUES = "astray=m.=.n", "wrong=str.len"  # in g's first line, and behind the nested call


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The address of a server of planted models."""
    script = Path(__file__).parents[1] / "predict" / "meta_server.py"
    process = subprocess.Popen([sys.executable, str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield f"server:http://127.0.0.1:{int(process.stdout.readline())}"
    finally:
        process.kill()
        process.communicate()


def scheme(server: str, model: str) -> str:
    return f"{server}/{model}/v1#facebook/cwm"


def outcomes(found: Trials) -> dict[str, list[str]]:
    """What each intervention did to each sample."""
    return {
        intervention: [one.outcome for one in found.tried if one.intervention == intervention]
        for intervention in found.interventions
    }


@pytest.mark.long(reason="up to eight interventions for each of three samples, asked over HTTP")
def test_interventions_on_a_run(server: str, tmp_path: Path) -> None:
    """Two samples call `g`, where it loses its line: once, and twice. The third does not, and is right."""
    tasks = [Task(program=Program(source=SOURCE, call=f"f({xs})"), name=f"f/{xs}") for xs in CALLS]
    name = scheme(server, LINES)
    report = run(Suite(name="mine", tasks=tasks), load_model(name), out=tmp_path / "run", config={"scheme": name})
    assert (report.n, report.all.answer.right) == (3, 1)
    found, at = intervene_on_run(tmp_path / "run", load_model)
    assert (at, found.failed, found.causes) == ([0, 1, 2], (0, 1), ("wrong action", "wrong action"))
    assert outcomes(found) == {
        "budget": ["unfit"] * 3,
        "repair": ["wrong", "recovered", "unfit"],  # the second call of `g` is lost again
        "guard": ["recovered", "recovered", "unfit"],  # one line may follow `def g`
        "actions": ["recovered", "recovered", "unfit"],
        "format": ["unfit"] * 3,
        "flatten": ["wrong", "wrong", "right"],  # the line is still there
        "chars": ["unfit"] * 3,
        "queries": ["recovered", "recovered", "right"],
    }
    why = {one.intervention: one.why for one in found.tried if one.outcome == "unfit" and one.sample == 2}
    assert why["actions"] == "all predicted actions are right"
    assert why["guard"] == "the prediction never leaves the control flow"
    assert why["format"] == "this model writes only cwm"
    assert found.confirmed["wrong action"].some == 2


def verb(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "worldline", *words], capture_output=True, text=True, check=False)


def scored(server: str, folder: Path) -> Path:
    """A run that was scored from outputs: those of a model that is wrong about a nested call."""
    programs = [Program(source=SOURCE, call=f"f({xs})") for xs in CALLS]
    made = load_model(scheme(server, VALUES)).predict([PredictionRequest(program=program) for program in programs])
    rows: list[dict[str, Any]] = [
        {"id": f"sample_{i}", "code": SOURCE, "input": xs, "generation": one.text.decode()}
        for i, (xs, one) in enumerate(zip(CALLS, made, strict=True))
    ]
    file = folder / "dump.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = verb("score", "crux", str(file), "-o", str(folder / "run"), "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["n"] == 3
    return folder / "run"


@pytest.mark.long(reason="starts three commands")
def test_interventions_on_a_scored_run(server: str, tmp_path: Path) -> None:
    path = scored(server, tmp_path)
    done = verb("intervene", str(path), "--json")
    assert done.returncode == 2
    assert "--model server:URL#MODEL" in done.stderr
    done = verb("intervene", str(path), "--model", scheme(server, VALUES), "-M", "concurrency=2", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["failed"] == [0, 1, 2]
    expected = {"repair": "recovered", "actions": "unfit", "guard": "unfit", "flatten": "recovered"}
    expected |= {"chars": "unfit", "queries": "recovered"}
    for name, outcome in expected.items():
        assert {trial["outcome"] for trial in told["tried"] if trial["intervention"] == name} == {outcome}
    assert json.loads((path / "interventions.json").read_text())["model"].endswith("#facebook/cwm")


def test_another_notation_is_another_model(server: str, tmp_path: Path) -> None:
    path = scored(server, tmp_path)
    with pytest.raises(UsageError, match="the run is in cwm, and interpreter writes compact"):
        intervene_on_run(path, load_model, model="interpreter")


@pytest.mark.long(reason="asks a server for every intervention of a program")
def test_debug_tries_interventions_on_one_program(server: str) -> None:
    program = Program(source=SOURCE, call="f([3])")
    found = debug(program, load_model(scheme(server, LINES)), seconds=None)
    assert (found.cause.name, found.is_confirmed) == ("wrong action", True)
    assert set(found.helped) == {"repair", "guard", "actions", "queries"}

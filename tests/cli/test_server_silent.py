"""A server that does not answer is named as such, with what to do; it is not a fault of the tool."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from worldline.cli import main
from worldline.cli.faults import model_fault, samples_fault

Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def silent() -> str:
    """A server that is not there: the port was free, and nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"server:http://127.0.0.1:{free.getsockname()[1]}/v1#m"


@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize("verb", ["imagine", "debug"])
def test_a_server_that_is_not_there(verb: str, silent: str, tmp_path: Path, capsys: Capture) -> None:
    program = tmp_path / "one.py"
    program.write_text("x = 1\n")
    assert main([verb, str(program), "--model", silent, "-M", "retries=0"]) == 3
    told = capsys.readouterr().err
    assert told.startswith("error[server]: no connection to ")
    assert f"`worldline check '{silent}'`" in told
    assert "unreachable(" not in told


@pytest.mark.usefixtures("sandbox")
def test_the_true_futures_are_printed_before_the_error(silent: str, tmp_path: Path, capsys: Capture) -> None:
    program = tmp_path / "coin.py"
    program.write_text("import random\ndef f():\n    return random.randint(0, 1)\n")
    command = ["futures", str(program), "--call", "f()", "--model", silent, "-M", "retries=0", "--seconds", "0"]
    assert main(command) == 3
    printed = capsys.readouterr()
    assert "exact; 2 runs" in printed.out
    assert "wrote no texts" in printed.out
    assert printed.err.rpartition("error[")[2].startswith("server]: no connection to ")


@pytest.mark.usefixtures("sandbox")
def test_a_suite_on_a_server_that_is_not_there(silent: str, capsys: Capture) -> None:
    assert main(["bench", "generated", "--max-programs", "2", "--model", silent, "-M", "retries=0", "--quiet"]) == 3
    told = capsys.readouterr().err
    assert "error[server]: 2 predictions got no answer and are not counted; the first, generated/0: no conn" in told


@pytest.mark.unit
def test_another_fault_is_one_of_the_tool() -> None:
    assert (model_fault("fault(X)", "m").slug, str(model_fault("", "m"))) == ("fault", "the model could not be asked")
    assert str(samples_fault(1, "a: fault(X)")).startswith("1 prediction failed in the tool and is not counted; the f")


@pytest.mark.parametrize("model", ["server:http://127.0.0.1:9#m", "hub:x/y", "replay:rows.jsonl"])
def test_what_cannot_be_trained_is_refused(model: str, capsys: Capture) -> None:
    assert main(["learn", "--model", model]) == 2
    assert f"--model {model}: only a model in a folder" in capsys.readouterr().err

"""The published study over real HTTP: a server process that speaks Meta's format, free and with true actions forced.

Its model slips every twenty lines: in the next line, which forced actions mend, or in the state, which they do not.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from worldline.codec.cwm.frame_text import cut
from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.predict.forcing.forced import roll
from worldline.predict.interpreter import Interpreter
from worldline.predict.models import load_model
from worldline.predict.prediction import PredictionRequest
from worldline.programs.tasks import permutation

pytest.importorskip("httpx2", reason="the server extra is not installed: pip install 'worldline[server]'")
pytest.importorskip("tiktoken")
pytest.importorskip("llama_models", reason="Llama 3's tokenizer: pip install --no-deps llama-models")

PERMUTED = permutation(Random(3), length=24)
CALLS = Program(
    source="""\
def g(n):
    m = n + 1
    return m
def f(xs):
    total = 0
    for x in xs:
        total += g(x)
    text = 'n' + str(len(str(total)))
    return text
""",
    call="f([1, 2])",
)


class Meta:
    """The server's process."""

    def __init__(self, port: int) -> None:
        self.port = port

    def scheme(self, model: str, manners: str = "") -> str:
        return f"server:http://127.0.0.1:{self.port}/{model}{manners}/v1#facebook/cwm"

    def asked(self, model: str) -> int:
        """How often a model was asked so far."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/log", timeout=600) as answer:
            return sum(entry["path"].startswith(f"/{model}/") for entry in json.load(answer)["log"])


@pytest.fixture(scope="module")
def server() -> Iterator[Meta]:
    script = Path(__file__).with_name("meta_server.py")
    process = subprocess.Popen(
        [sys.executable, str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=dict(os.environ)
    )
    assert process.stdout is not None
    try:
        yield Meta(int(process.stdout.readline()))
    finally:
        process.kill()
        process.communicate()


def ran(*words: str) -> Any:
    """What a verb prints as JSON."""
    done = subprocess.run(
        [sys.executable, "-m", "worldline", *words, "--json"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def exact(server: Meta, model: str, *words: str) -> dict[str, float]:
    """The share of exact final states by the number of lines."""
    scheme = server.scheme(model)
    found = ran("bench", "permutation", "--length", "8,16,32", "--max-programs", "6", "--model", scheme, *words)
    assert found["faults"] == 0
    return {row["lines"]: row["exact final state"]["rate"] for row in found["tables"][0]["rows"]}


@pytest.mark.long(reason="two benches over HTTP; test_forced_frames.py forces actions too")
def test_forced_actions_bring_a_model_back_that_loses_its_line(server: Meta) -> None:
    """Five lines set the names: sixteen swaps are twenty-one lines."""
    assert exact(server, "skips-20") == {"8": 1.0, "16": 0.0, "32": 0.0}
    before = server.asked("skips-20")
    assert exact(server, "skips-20", "--force", "actions") == {"8": 1.0, "16": 1.0, "32": 1.0}
    frames = 2 * sum(8 + 5 + lines - 2 for lines in (8, 16, 32))
    assert server.asked("skips-20") - before < frames / 4


@pytest.mark.long(reason="a second model behind the same server")
def test_forced_actions_do_not_fix_a_model_that_loses_its_state(server: Meta) -> None:
    wrong = {"8": 1.0, "16": 0.0, "32": 0.0}
    assert exact(server, "swaps-20") == exact(server, "swaps-20", "--force", "actions") == wrong


@pytest.mark.long(reason="a third model behind the same server")
def test_true_states_fix_what_true_actions_do_not(server: Meta) -> None:
    assert exact(server, "swaps-20", "--force", "states") == {"8": 1.0, "16": 1.0, "32": 1.0}
    assert exact(server, "skips-20", "--force", "guard") == {"8": 1.0, "16": 1.0, "32": 1.0}


def test_queries_go_where_the_server_has_the_lowest_confidence(server: Meta) -> None:
    """One true frame, where it slips first: within 37 lines that is the only place."""
    assert exact(server, "swaps-20", "--force", "queries", "--queries", "1") == {"8": 1.0, "16": 1.0, "32": 1.0}


@pytest.mark.long(reason="eight forced runs over HTTP, with three manners of one server")
@pytest.mark.parametrize("manners", ["", "/text", "/mute"])
def test_what_a_server_leaves_out_of_its_answers(server: Meta, manners: str) -> None:
    ask = PredictionRequest(program=PERMUTED)
    truths = list(Interpreter(codec="cwm").predict([ask]))
    model = load_model(server.scheme("skips-7", manners))
    for force in ("actions", "guard"):
        (found,) = roll(model, [ask], truths, force=force)
        assert (found.prediction.text, found.prediction.status) == (truths[0].text, "ended")
    if manners == "/mute":
        with pytest.raises(UsageError, match="returns no log-probabilities"):
            list(roll(model, [ask], truths, force="queries"))
    else:
        (found,) = roll(load_model(server.scheme("swaps-7", manners)), [ask], truths, force="queries", budget=4)
        assert (found.prediction.text, found.left) == (truths[0].text, None)
        assert sorted(found.spent) == [10, 17, 24, 31]
        assert found.answered == (10, 17, 24, 31)
        assert len(found.sure) == len(cut(truths[0].text))


@pytest.mark.long(reason="one request per frame")
def test_every_frame_ahead_over_a_server(server: Meta) -> None:
    found = ran(
        "bench",
        "states",
        "--of",
        "permutation",
        "--length",
        "16",
        "--max-programs",
        "2",
        "--model",
        server.scheme("swaps-7"),
    )
    rows = {row["forced"]: row for row in found["tables"][0]["rows"]}
    assert set(rows) == {"free", "actions", "states", "next"}
    assert rows["states"]["actions"]["rate"] == 1.0  # all of which are right
    # Of 27 frames with what stands before them true, three have a wrong state: those behind 7, 14 and 21 lines.
    assert rows["next"]["states"]["rate"] == pytest.approx(1 - 3 / 27)
    assert rows["actions"]["states"]["rate"] < rows["next"]["states"]["rate"]
    assert rows["actions"]["answers"]["rate"] == 0.0

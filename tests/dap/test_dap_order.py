"""The adapter shows the order of all front ends: a stop is before its step, or at a line that has just executed."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from dapclient import Adapter
from foreign_runs import LANGUAGES
from shown_order import PYTHON_PROGRAMS, recorded

from worldline.core.trace import Trace
from worldline.predict.interpreter import Interpreter
from worldline.predict.prediction import PredictionRequest
from worldline.recording.collect import collect

pytestmark = pytest.mark.usefixtures("sandbox")
EXAMPLES = Path(__file__).parents[2] / "examples"
ACCOUNT: dict[str, Any] = {"program": str(EXAMPLES / "account.py"), "call": "month('Ada')"}


@pytest.mark.parametrize("name", [*PYTHON_PROGRAMS, *LANGUAGES])
def test_the_debug_adapter(name: str, tmp_path: Path) -> None:
    """A stop is before its step: it shows what rows have shown so far, and the arguments of a call."""
    trace, rows = recorded(name)
    program = trace.program
    path = tmp_path / program.name
    path.write_text(program.source)
    options: dict[str, Any] = {} if program.call is None else {"call": program.call}
    options |= {} if not program.stdin else {"stdin": program.stdin}
    with Adapter() as adapter:
        adapter.launch(program=str(path), model="interpreter", stopOnEntry=True, **options)
        adapter.stopped()
        for p in range(len(trace)):
            frames = adapter.ask("stackTrace", threadId=1)["stackFrames"]
            assert frames[0]["line"] == trace[p].line
            serial, before = trace[p].frame, rows[p - 1].state if p else {}
            starts = {serial: trace[p].delta} if trace[p].event == "call" else {}
            wanted = [(before | starts).get(frame, {}) for frame in chain(trace, serial)[: len(frames)]]
            if trace[p].event != "resume" and name != "generators":
                shown = [adapter.scope("Predicted", depth) for depth in range(len(frames))]
            else:  # who resumes a generator is not who created it
                shown, wanted = [adapter.scope("Predicted")], wanted[:1]
            assert shown == wanted, p
            adapter.step("stepIn", granularity="instruction")


def chain(trace: Trace, frame: int) -> list[int]:
    """A frame and those that called it."""
    return [frame, *chain(trace, trace.frames[frame].parent)] if frame >= 0 else []


def replayed(folder: Path, old: str, new: str, **launch: Any) -> dict[str, Any]:
    """A launch with a model that writes the true run, but for the first match of a pattern."""
    program = collect(launch["program"], call=launch["call"])
    (truth,) = Interpreter().predict([PredictionRequest(program=program)])
    text, count = re.subn(old, new, truth.text.decode(), count=1, flags=re.MULTILINE)
    assert count, truth.text
    path = folder / "rows.jsonl"
    path.write_text(json.dumps({"digest": program.digest, "text": text}) + "\n")
    return {**launch, "model": f"replay:{path}"}


@pytest.mark.parametrize("kind", ["wrong", "first-state", "divergence", "forgotten-aliasing"])
def test_a_forgotten_alias_stops_at_the_line_that_changed_it(kind: str, tmp_path: Path) -> None:
    launch = replayed(tmp_path, r"^( account=Account#1\(.*\)) boss=.*$", r"\1", **ACCOUNT)
    with Adapter() as adapter:
        adapter.launch(**launch, filters=[kind])
        assert adapter.stopped() == ("exception", "month", 18)
        told = adapter.ask("exceptionInfo", threadId=1)["description"]
        assert "line 18" in told or kind == "forgotten-aliasing"
        empty, full = "Account#1(owner='Ada', balance=0, log=[])", "Account#1(owner='Ada', balance=100, log=[100])"
        assert adapter.scope("Predicted") == {"owner": "'Ada'", "account": full, "boss": empty}
        assert adapter.scope("Actual") == {"owner": "'Ada'", "account": full, "boss": full}
        assert adapter.scope("Difference") == {"boss": f"{full}, predicted {empty}"}
        frames = adapter.ask("stackTrace", threadId=1)["stackFrames"]
        assert len(frames) == 1  # the call has returned
        why = adapter.ask("evaluate", expression="why boss", frameId=frames[0]["id"], context="repl")["result"]
        assert "step 8" in why
        assert adapter.step("next") == ("step", "month", 19)
        assert adapter.step("stepBack") == ("step", "month", 18)
        assert adapter.scope("Predicted") == {"owner": "'Ada'", "account": empty, "boss": empty}  # before the line
        assert adapter.step("next") == ("exception", "month", 18)


def test_a_wrong_line_without_a_call_stops_at_the_line(tmp_path: Path) -> None:
    program = tmp_path / "plain.py"
    program.write_text("def f(n):\n    a = n + 1\n    b = a * 2\n    return b\n")
    with Adapter() as adapter:
        adapter.launch(**replayed(tmp_path, "^2 a=4$", "2 a=5", program=str(program), call="f(3)"), filters=["wrong"])
        assert adapter.stopped() == ("exception", "f", 2)
        assert adapter.scope("Difference") == {"a": "4, predicted 5"}
        assert adapter.step("stepOut")[0] == "end"
        assert adapter.step("reverseContinue") == ("exception", "f", 2)
        assert adapter.step("reverseContinue") == ("entry", "f", 1)


def test_a_wrong_result_is_shown_where_it_is_returned(tmp_path: Path) -> None:
    program = tmp_path / "result.py"
    program.write_text("def double(n):\n    return n * 2\n\n\ndef f(n):\n    a = double(n)\n    return a\n")
    launch = replayed(tmp_path, r"^\)6$", ")7", program=str(program), call="f(3)")
    with Adapter() as adapter:
        adapter.launch(**launch, filters=["first-state"])
        assert adapter.stopped() == ("exception", "double", 2)
        assert adapter.scope("Predicted") == {"n": "3", "(return)": "7"}
        assert adapter.scope("Difference") == {"(return)": "6, predicted 7"}
        assert adapter.scope("Predicted", 1) == {"n": "3", "a": "6"}
        assert adapter.step("next") == ("step", "f", 7)

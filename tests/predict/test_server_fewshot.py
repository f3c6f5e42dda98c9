"""The few-shot prompt: its examples are recorded again, and a real server's answers are judged beside their traces."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from worldline.codec.cwm import writer as cwm
from worldline.codec.cwm.stage import stage, staged
from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.diagnose.sample import ReportedAnswer
from worldline.evaluation.run.directory import newest
from worldline.evaluation.run.run import run
from worldline.evaluation.suites.suite import Suite, Task
from worldline.predict.models import load_model
from worldline.predict.prediction import PredictionRequest
from worldline.predict.servers.fewshot import EXAMPLES, FewShot, FewShotChat, question
from worldline.predict.servers.prompt_styles import PromptStyle, Reply, Sampling, prediction
from worldline.recording.recorder import record

PROGRAM = Program(source="def f(n):\n    return n + 1\n", call="f(1)")
ASK = PredictionRequest(program=PROGRAM)
END = "<|end_of_text|>"
OWN = (
    '<|call_sep|>{"n": "1"}<|action_sep|>def f(n):\n<|frame_sep|>'
    '<|line_sep|>{"n": ".."}<|action_sep|>    return n + 1\n<|frame_sep|>'
    '<|return_sep|><|action_sep|>    return n + 1\n<|arg_sep|>"2"<|frame_sep|>'
)
MAIN = '<|return_sep|><|action_sep|>    return f(1)\n<|arg_sep|>"2"<|frame_sep|>'
OPENING = stage(PROGRAM).opening
ANSWER = "\n\nSo it is 2.\n\n[ANSWER]\nassert f(1) == 2\n[/ANSWER]"
STRIPPED = re.sub(r"<\|\w+\|>", "", OPENING.replace("main():", "main(): # << START_OF_TRACE") + OWN + MAIN)
_EXAMPLE = re.compile(r"Python program:\n\n(.*?)\nassert (.*?) == \?\?\n", re.DOTALL)


def _example(source: str, call: str) -> str:
    """A worked example, made anew out of a recording."""
    program = Program(source=source, call=call)
    text = cwm.encode(record(staged(program)))
    trace = text.removeprefix("<|begin_of_text|>").removesuffix(END)
    asked = question(program)
    value = json.loads(trace.rpartition("<|arg_sep|>")[2].removesuffix("<|frame_sep|>"))
    assert trace.startswith(asked[asked.index("<|trace_context_start|>") :])
    return (
        f"{asked[: asked.index('<|trace_context_start|>')]}{trace}\n\nThe trace ends with {value}, "
        f"which is the value of {call}.\n\n[ANSWER]\nassert {call} == {value}\n[/ANSWER]\n"
    )


def test_the_worked_examples_are_what_happens() -> None:
    found = _EXAMPLE.findall(EXAMPLES)
    assert len(found) == 2
    assert "\n".join(_example(*each) for each in found) == EXAMPLES


def test_the_prompt_is_the_same_in_a_completion_and_a_conversation() -> None:
    plain = FewShot().question(ASK, Sampling())
    (said,) = FewShotChat().question(ASK, Sampling(logprobs=False))["messages"]
    assert plain["prompt"] == said["content"] + OPENING
    assert said["content"].endswith(question(PROGRAM))
    assert EXAMPLES in said["content"]
    assert "[/ANSWER]" in plain["stop"]
    for way in (FewShot(), FewShotChat()):
        assert way.template.count("{PROGRAM}") == 1


def test_a_program_with_braces_is_shown_as_it_is() -> None:
    program = Program(source="def f(n):\n    return {'{SOURCE}': n}\n", call="f('{ASSERTION}')")
    assert question(program).count("{SOURCE}") == 2
    assert "assert f('{ASSERTION}') == ??" in question(program)


@pytest.mark.parametrize("way", [FewShot(), FewShotChat()])
@pytest.mark.parametrize(
    "said",
    [
        OWN + MAIN + ANSWER,
        OPENING + OWN + MAIN + ANSWER,
        "<|frame_sep|>" + OPENING + OWN + MAIN + ANSWER,
        OWN + MAIN + ANSWER.removesuffix("[/ANSWER]"),
        OWN + ANSWER,
        STRIPPED + ANSWER,
        f"<think>[ANSWER]3[/ANSWER]</think>Sure.\n\n```\n{OPENING}{OWN}{MAIN}\n```\n{ANSWER}",
        OWN + MAIN + END + "[ANSWER]2[/ANSWER]",
    ],
)
def test_trace_and_answer_are_read(way: PromptStyle, said: str) -> None:
    found = prediction(way, ASK, Reply(said, False))
    assert (found.text.decode(), found.status, found.codec, found.said) == (OWN + END, "ended", "cwm", "2")


def test_missing_parts_are_not_invented() -> None:
    cut = prediction(FewShot(), ASK, Reply(OWN[:-30], True))
    assert (cut.text.decode(), cut.status, cut.said) == (OWN[:-30], "budget", None)
    late = prediction(FewShot(), ASK, Reply(OWN + MAIN + "\n\n[ANSWER]\nassert f(1) == ", True))
    assert (late.text.decode(), late.status, late.said) == (OWN + END, "ended", None)
    alone = prediction(FewShotChat(), ASK, Reply("[ANSWER]assert f(1) == 3[/ANSWER]", False))
    assert alone.said == "3"
    assert b"_sep|>" not in alone.text
    assert prediction(FewShotChat(), ASK, Reply("", False)).status == "empty"


def test_given_frames_stay_as_they_are() -> None:
    given = OWN[: OWN.index("<|line_sep|>")].replace('{"n": "1"}', '{ "n":"1"}')
    ask = PredictionRequest(program=PROGRAM, given=given.encode())
    rest = OWN[OWN.index("<|line_sep|>") :]
    assert FewShot().question(ask, Sampling())["prompt"].endswith(OPENING + given)
    found = prediction(FewShot(), ask, Reply(rest + MAIN + ANSWER, False))
    assert found.text.decode().startswith(given)
    assert found.said == "2"
    ask = PredictionRequest(program=PROGRAM, given=OWN[: len(OWN) - len(rest)].encode())
    assert prediction(FewShot(), ask, Reply(rest + MAIN + ANSWER, False)).text.decode() == OWN + END
    piece = PredictionRequest(program=PROGRAM, given=ask.given, stop="action_sep")
    found = prediction(FewShot(), piece, Reply('<|line_sep|>{"n": ".."}', False))
    assert found.text == ask.given + b'<|line_sep|>{"n": ".."}<|action_sep|>'


def test_the_ways_are_options() -> None:
    for way in ("fewshot", "fewshot-chat"):
        model = load_model("server:http://h#some", {"way": way})
        assert model.info.config["way"] == way.replace("-", "")
        with pytest.raises(UsageError, match=f"way={way} is for Meta's format only"):
            load_model("server:http://h#some", {"way": way, "codec": "compact"})


TASKS = [Task(program=Program(source="def f(n):\n    return n + 1\n", call=f"f({n})"), name=f"f{n}") for n in (1, 2, 3)]


def _answer(task: Task) -> str:
    """A true trace; the answer behind it is miscopied for f(2), and lacks for f(3)."""
    trace = cwm.encode(record(staged(task.program))).partition("<|frame_sep|>")[2].removesuffix(END)
    call = str(task.program.call)
    said = {"f(1)": "2", "f(2)": "'2'"}.get(call)
    return trace + (f"\n\n[ANSWER]\nassert {call} == {said}\n[/ANSWER]" if said else "")


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    answers = dict[str, str]()
    for task in TASKS:
        ask, text = PredictionRequest(program=task.program), _answer(task)
        answers[FewShotChat().question(ask, Sampling())["messages"][0]["content"]] = text
        rest = text.removeprefix(stage(task.program).opening)
        answers[FewShot().question(ask, Sampling())["prompt"]] = rest
    path = tmp_path_factory.mktemp("server") / "answers.json"
    path.write_text(json.dumps(answers))
    script = Path(__file__).parent / "meta" / "server.py"
    with subprocess.Popen([sys.executable, script, path], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield int(process.stdout.readline())
        process.terminate()


@pytest.mark.parametrize("way", ["fewshot", "fewshot-chat"])
@pytest.mark.parametrize("decoding", ["tagged", "spaced", "stripped"])
def test_an_own_answer_is_judged_beside_its_trace(port: int, tmp_path: Path, way: str, decoding: str) -> None:
    model = load_model(f"server:http://127.0.0.1:{port}#some-{decoding}", {"way": way})
    report = run(Suite(name="own", tasks=TASKS, count=3), model, out=tmp_path / "run")
    assert (report.all.answer.right, report.all.trace.right) == (3, 3)
    assert (report.said.right, report.said.n) == (1, 2)
    kept = {record.name: record for record in newest(tmp_path / "run").values()}
    assert [kept[name].beside for name in ("f1", "f2", "f3")] == [
        ReportedAnswer(own="2"),
        ReportedAnswer(own="'2'"),
        ReportedAnswer(),
    ]
    assert [kept[name].judged["cause"] for name in ("f1", "f2", "f3")] == ["", "answer miscopied", ""]
    assert kept["f2"].verdict().said == "wrong"

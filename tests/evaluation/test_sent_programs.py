"""One prompt, one recorded program: what `encode` writes is what `bench` sends, and the true trace of it is right."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from plain_predictor import PlainPredictor

from worldline.cli import cli
from worldline.codec.cwm import writer as cwm
from worldline.codec.cwm.stage import posed, stage, staged, unposed
from worldline.codec.cwm.text import SPECIAL
from worldline.codec.encode import encode
from worldline.core.errors import FingerprintError, UsageError
from worldline.core.program import Program
from worldline.diagnose.debug import debug
from worldline.evaluation.bench import bench
from worldline.evaluation.external.program import identity
from worldline.evaluation.external.scored import score
from worldline.evaluation.run.directory import newest
from worldline.evaluation.run.record import skipped_record
from worldline.evaluation.run.run import RunState, stored_record
from worldline.evaluation.run.stored import open_run
from worldline.evaluation.suites.suite import Task
from worldline.evaluation.summary import Report
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.servers.fewshot import FewShot, FewShotChat
from worldline.predict.servers.meta import MetaChat, MetaText
from worldline.predict.servers.prompt_styles import PromptStyle, Reply, Sampling, prediction
from worldline.recording.recorder import record

pytestmark = pytest.mark.usefixtures("sandbox")


@dataclass(frozen=True)
class Sent:
    """A program by its name; `has_frames`: the frames of `main` are the model's to write."""

    name: str
    source: str
    call: str | None = None
    has_frames: bool = False
    more: dict[str, Any] = field(default_factory=dict)

    @property
    def program(self) -> Program:
        return Program(source=self.source, call=self.call, **self.more)


ADD = "def f(x, y=2):\n    return [x, y]\n"
APPLY = "def f(g, x):\n    y = g(x)\n    return y\n"
TOTAL = "def f(xs):\n    t = 0\n    for x in xs:\n        t += x\n    return t\n"
PROGRAMS = [
    Sent("a call", ADD, "f(1, 3)"),
    Sent("a default", ADD, "f([1])"),
    Sent("keywords", ADD, "f(y=1, x=4)"),
    Sent("no arguments", "def f():\n    return 3\n", "f()"),
    Sent("a lambda", APPLY, "f(lambda n: n * 2, 3)", has_frames=True),
    Sent(
        "a lambda as a key", "def f(xs, k):\n    return sorted(xs, key=k)\n", "f([3, 1], lambda n: -n)", has_frames=True
    ),
    Sent("a comprehension", TOTAL, "f([n * n for n in range(3)])", has_frames=True),
    Sent("a set comprehension", TOTAL, "f({n % 2 for n in range(3)})", has_frames=True),
    Sent("a generator", TOTAL, "f(n * n for n in range(3))", has_frames=True),
    Sent("a name", "x = 0\ndef f(a):\n    return a + x\n", "f(x := 3)", has_frames=True),
    Sent("two calls", f"{ADD}\ndef g(x):\n    return x * 2\n", "f(g(2))"),
    Sent("more than a call", ADD, "f(1)[0] + 1"),
    Sent("a generator function", "def f(n):\n    for i in range(n):\n        yield i\n", "list(f(2))", has_frames=True),
    Sent("a method", "class C:\n    def go(self, k):\n        return k\n", "C().go(2)"),
    Sent("an exception", "def f(x):\n    return 1 / x\n", "f(0)"),
    Sent("a main of its own", "def main(n):\n    return n\n", "main(4)"),
    Sent("the stack", "import sys\ndef f(n):\n    return sys._getframe(1).f_code.co_name\n", "f(1)", has_frames=True),
    Sent("no newline", "def f(g):\n    return g(1)", "f(lambda n: [n, n])", has_frames=True),
    Sent("a main and a lambda", "def main(g):\n    return g(1)\n", "main(lambda n: n)", has_frames=True),
    Sent("a script", "x = 1\ny = x + 1\nprint(y)\n"),
    Sent("standard input", "x = int(input())\nprint(x * 2)\n", more={"stdin": "21\n"}),
    Sent("arguments", "import sys\nx = sys.argv[1]\nprint(x)\n", more={"argv": ("one",)}),
]
BY_NAME = {item.name: item for item in PROGRAMS}


def true_whole(item: Sent) -> str:
    """The trace of the text that is sent, recorded as it is sent."""
    return cwm.encode(record(staged(item.program)))


def encoded(folder: Path, item: Sent, part: str) -> str:
    """What the command writes."""
    path = folder / "program.py"
    path.write_text(item.source)
    command = ["encode", str(path), *item.more.get("argv", ()), "--format", "cwm", "--part", part]
    command += [] if item.call is None else ["--call", item.call]
    if "stdin" in item.more:
        (folder / "stdin").write_text(item.more["stdin"])
        command += ["--stdin", f"@{folder / 'stdin'}"]
    result = CliRunner().invoke(cli, command, catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


@pytest.fixture(scope="module")
def texts(sandbox: None, tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, str]]:
    """Prompt and steps of every program, as `encode` writes them."""
    folder = tmp_path_factory.mktemp("encoded")
    return {item.name: (encoded(folder, item, "prompt"), encoded(folder, item, "steps")) for item in PROGRAMS}


@pytest.fixture
def suite(tmp_path: Path) -> str:
    """The programs as a suite."""
    path = tmp_path / "programs.jsonl"
    rows = ({"id": item.name, "source": item.source, "call": item.call, **item.more} for item in PROGRAMS)
    path.write_text("".join(json.dumps({key: row[key] for key in row if row[key] is not None}) + "\n" for row in rows))
    return str(path)


@contextmanager
def serving(folder: Path, answers: dict[str, str]) -> Iterator[tuple[str, Path]]:
    """The address of a server with these answers, and its log."""
    (folder / "answers.json").write_text(json.dumps(answers))
    log = folder / "log.jsonl"
    command = [sys.executable, str(Path(__file__).with_name("echo_server.py")), str(folder / "answers.json"), str(log)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield f"server:http://127.0.0.1:{int(process.stdout.readline())}/v1#cwm", log
        finally:
            process.stdin.close()
            process.wait(60)


def all_right(report: Report, run: Path) -> None:
    """Every program is asked for and right."""
    wrong = {
        record.name: (record.kind, record.why, record.found.note, record.judged)
        for record in newest(run).values()
        if record.judged.get("trace") != "right" or record.judged["answer"] != "right" or record.judged["cause"]
    }
    assert wrong == {}
    assert (report.n, report.faults, report.skipped, report.disagrees) == (len(PROGRAMS), 0, 0, 0)


# ---- encode


@pytest.mark.parametrize("name", BY_NAME)
def test_encode_writes_the_true_trace_of_what_is_sent(texts: dict[str, tuple[str, str]], name: str) -> None:
    item, (prompt, steps) = BY_NAME[name], texts[name]
    assert prompt == stage(item.program).prompt
    assert prompt + steps == true_whole(item)
    assert ("<|call_sep|>" in prompt) == (item.call not in (None, "f()") and not item.has_frames)


def test_the_prompt_has_the_arguments_and_main(texts: dict[str, tuple[str, str]]) -> None:
    prompt, _ = texts["a call"]
    assert "def main():  # << START_OF_TRACE\n    return f(1, 3)\n" in prompt
    prompt, steps = texts["a lambda"]
    assert prompt.endswith("def main():  # << START_OF_TRACE\n    return f(lambda n: n * 2, 3)\n<|frame_sep|>")
    assert steps.count("return f(lambda n: n * 2, 3)") == 5


@pytest.mark.parametrize("name", BY_NAME)
def test_a_stored_trace_has_the_same_prompt(texts: dict[str, tuple[str, str]], name: str) -> None:
    item = BY_NAME[name]
    trace = record(item.program)
    assert encode(trace, "cwm", part="prompt").decode() == texts[name][0]
    if item.has_frames:
        with pytest.raises(UsageError, match="encode the program itself"):
            encode(trace, "cwm", part="steps")
        assert encode(trace, "cwm").decode() == cwm.encode(trace)
    else:
        assert encode(trace, "cwm").decode() == "".join(texts[name])


@pytest.mark.parametrize("name", BY_NAME)
def test_the_posed_program_is_posed_as_it_is(name: str) -> None:
    item = BY_NAME[name]
    asked = posed(item.program)
    assert (asked != item.program) == item.has_frames
    assert posed(asked) == asked
    assert stage(asked).prompt == stage(item.program).prompt
    assert identity(asked) == identity(item.program)
    assert (item.program in unposed(asked)) == item.has_frames


# ---- bench, score and replay


@pytest.mark.long(reason="22 programs over HTTP")
def test_bench_sends_what_encode_writes(texts: dict[str, tuple[str, str]], suite: str, tmp_path: Path) -> None:
    with serving(tmp_path, dict(texts.values())) as (model, log):
        report = bench(suite, model, extras={"way": "text"}, scratchpad="none", out=tmp_path / "run")
        sent = {json.loads(line) for line in log.read_text().splitlines()}
    assert sent == {prompt for prompt, _ in texts.values()}
    all_right(report, tmp_path / "run")


def rows_of(path: Path, rows: Iterator[dict[str, str]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def without_tokens(text: str) -> str:
    """A text decoded without special tokens."""
    return SPECIAL.sub("", text)


@pytest.mark.long(reason="22 programs, scored in several forms")
@pytest.mark.parametrize("form", ["by id", "with prompt", "with code", "whole", "decoded"])
def test_score(texts: dict[str, tuple[str, str]], suite: str, tmp_path: Path, form: str) -> None:
    def row(name: str, prompt: str, steps: str) -> dict[str, str]:
        item = BY_NAME[name]
        if form == "with prompt" and item.call is not None:
            return {"id": name, "prompt": prompt, "generation": steps}
        if form == "with code" and item.call is not None:
            return {"id": name, "code": item.source, "call": item.call, "generation": steps}
        if form == "decoded":
            return {"id": name, "generation": without_tokens(steps)}
        return {"id": name, "generation": prompt + steps if form == "whole" else steps}

    path = rows_of(tmp_path / "outputs.jsonl", (row(name, *text) for name, text in texts.items()))
    all_right(score(suite, path, out=tmp_path / "run"), tmp_path / "run")


@pytest.mark.long(reason="22 programs, replayed by several keys")
@pytest.mark.parametrize("key", ["id", "prompt", "digest", "both"])
def test_replay(texts: dict[str, tuple[str, str]], suite: str, tmp_path: Path, key: str) -> None:
    def row(name: str, prompt: str, steps: str) -> dict[str, str]:
        keys = {"id": name, "prompt": prompt, "digest": BY_NAME[name].program.digest}
        chosen = {"id": name, "prompt": "another prompt for " + name} if key == "both" else {key: keys[key]}
        return {**chosen, "text": steps, "codec": "cwm"}

    path = rows_of(tmp_path / "outputs.jsonl", (row(name, *text) for name, text in texts.items()))
    report = bench(suite, f"replay:{path}", scratchpad="none", out=tmp_path / "run")
    all_right(report, tmp_path / "run")


def test_debug_records_the_program_that_is_sent(texts: dict[str, tuple[str, str]], tmp_path: Path) -> None:
    prompt, steps = texts["a lambda"]
    path = rows_of(tmp_path / "outputs.jsonl", iter([{"prompt": prompt, "text": steps, "codec": "cwm"}]))
    result = debug(BY_NAME["a lambda"].program, f"replay:{path}")
    assert (result.diagnosis.cause.name, result.diagnosis.answer) == ("right", True)


def test_a_wrong_value_in_a_lambda_of_the_call_is_found_there(
    texts: dict[str, tuple[str, str]], tmp_path: Path
) -> None:
    prompt, steps = texts["a lambda"]
    wrong = re.sub(r'"6"', '"5"', steps)
    path = rows_of(tmp_path / "outputs.jsonl", iter([{"prompt": prompt, "text": wrong, "codec": "cwm"}]))
    first = debug(BY_NAME["a lambda"].program, f"replay:{path}").diagnosis.first
    assert first is not None
    assert (first.line, first.what) == (5, "value")


def test_the_name_of_a_task_is_no_part_of_its_prompt() -> None:
    program = BY_NAME["a call"].program
    assert PredictionRequest(program=program, name="a").prompt == PredictionRequest(program=program).prompt


def test_a_record_of_the_program_without_its_main_is_asked_for_again(tmp_path: Path) -> None:
    """An older release judged such a program by a truth without the frames of `main`."""
    item = BY_NAME["a lambda"]
    older = Task(program=item.program, name=item.name)
    folder = tmp_path / "run"
    with open_run(folder, {}) as log:
        assert log is not None
        log.add(skipped_record(0, older, "skipped", "older"))
        log.sync()
    with open_run(folder, {}) as log:
        state = RunState(log, record, record)
        assert stored_record(0, older, state) is not None
        assert stored_record(0, replace(older, program=posed(item.program)), state) is None
        with pytest.raises(FingerprintError):
            stored_record(0, replace(older, program=BY_NAME["a call"].program), state)


class Answers(PlainPredictor):
    """Answers in one way of asking with the texts of `encode`, as a model that knows the truth would."""

    name, codec = "answers", "cwm"

    def __init__(self, style: PromptStyle, texts: dict[str, tuple[str, str]]) -> None:
        self.style, self.steps = style, dict(texts.values())

    def predict(self, requests: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        for request in requests:
            assert self.style.question(request, Sampling())
            steps = self.steps[stage(request.program).prompt]
            text = f"```\n{steps}\n```" if isinstance(self.style, MetaChat) else steps
            yield prediction(self.style, request, Reply(text, False))


@pytest.mark.long(reason="22 programs, asked in several ways")
@pytest.mark.parametrize(
    "style", [MetaText(), MetaChat(), FewShot(), FewShotChat()], ids=lambda style: type(style).__name__
)
def test_every_way_of_asking_is_judged_by_the_same_truth(
    texts: dict[str, tuple[str, str]], suite: str, tmp_path: Path, style: PromptStyle
) -> None:
    report = bench(suite, Answers(style, texts), scratchpad="none", out=tmp_path / "run")
    all_right(report, tmp_path / "run")

"""The study of plain runs (studies/languages/) can tell: a true run passes, and each kind of difference is named."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Outcome, Trace
from worldline.recording.recorder import SandboxWorker, prepare

STUDY = Path(__file__).resolve().parents[2] / "studies" / "languages"
sys.path.insert(0, str(STUDY))

from judged import Judged, judge_notations, judge_run  # noqa: E402
from plain_run import Ran, run  # noqa: E402

sys.path.remove(str(STUDY))  # its other modules have names that tests have too

SOURCE = "let xs = [3, 1];\nfor (const x of xs) {\n  console.log(x * 2);\n}\nprocess.exit(4);\n"
PROGRAM = Program(source=SOURCE, name="main.js")


@pytest.fixture(scope="module")
def worker() -> Iterator[SandboxWorker]:
    found = SandboxWorker(prepare(limits=Limits(wall=120), python=None, core="auto", trust=False))
    yield found
    found.close()


@pytest.fixture(scope="module")
def trace(worker: SandboxWorker) -> Trace:
    return worker.record(PROGRAM)


def why(trace: Trace, ran: Ran) -> list[str]:
    """What is found to differ."""
    found = Judged("js", "here")
    judge_run(found, trace, ran)
    return found.why


@pytest.mark.usefixtures("sandbox")
def test_a_true_run_is_alike(trace: Trace, worker: SandboxWorker) -> None:
    ran = run(PROGRAM)
    assert ran == Ran(4, "6\n2\n")
    found = Judged("js", "here")
    judge_run(found, trace, ran)
    judge_notations(found, trace, worker.in_language("js").flow(PROGRAM))
    assert found.alike
    assert (found.end, found.odd_values, found.odd_texts, found.odd_frames) == (True, 0, 0, 0)
    assert min(found.values, found.texts, found.frames) > 3


@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize(
    ("ran", "word"), [(Ran(4, "6\n"), "printed"), (Ran(0, "6\n2\n"), "ended"), (Ran(-9, ""), "ended")]
)
def test_another_end_is_named(trace: Trace, ran: Ran, word: str) -> None:
    assert any(text.startswith(word) for text in why(trace, ran))


@pytest.mark.usefixtures("sandbox")
def test_a_run_that_a_limit_ended_is_not_alike(trace: Trace) -> None:
    cut = replace(trace, outcome=Outcome("limit", "steps"))
    assert any(text.startswith("ended limit steps") for text in why(cut, Ran(4, "6\n2\n")))


@pytest.mark.usefixtures("sandbox")
def test_a_value_that_is_not_canonical_is_named(trace: Trace) -> None:
    texts = [text if text != "6" else "six of them" for text in trace.columns.texts]
    texts = ["[3, 1" if text == "[3, 1]" else text for text in texts]
    odd = replace(trace, columns=replace(trace.columns, texts=texts))
    assert any(text.startswith("no canonical value") for text in why(odd, Ran(4, "6\n2\n")))


def test_a_program_that_does_not_compile_says_why() -> None:
    said = run(Program(source="int main(void) { return x; }\n", name="main.c"))
    assert isinstance(said, str)
    assert "x" in said

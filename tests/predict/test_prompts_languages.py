"""What models are asked about programs that are not Python: the language is named, and nothing is called Python."""

from __future__ import annotations

import pytest
from foreign_runs import LANGUAGES, foreign_run

from worldline.core.language import LANGUAGES as RECORDS
from worldline.core.program import Program
from worldline.predict.prediction import PredictionRequest
from worldline.predict.servers.chat import messages
from worldline.predict.servers.fewshot import question
from worldline.predict.servers.meta import program_text

pytestmark = pytest.mark.unit

PLAIN = Program(source="def f(x):\n    return x\n", call="f(1)")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_chat_model_is_told_the_language(language: str) -> None:
    program = foreign_run(language).program
    said = messages(PredictionRequest(program=program))[-1]["content"]
    assert said.startswith(f"This program is {RECORDS[language].title}, not Python.")
    assert f"```\n# lang={language}\n1|" in said


@pytest.mark.parametrize("language", LANGUAGES)
def test_metas_format_is_asked_for_in_the_language(language: str) -> None:
    program = foreign_run(language).program
    said = program_text(program)
    assert f"```{language}\n" in said
    assert said.count("# << START_OF_TRACE") == 1
    asked = question(program)
    assert f"{RECORDS[language].title} program:\n" in asked
    assert f"// {program.call}\n" in asked
    assert "Python program:" not in asked


def test_nothing_is_added_for_python() -> None:
    assert messages(PredictionRequest(program=PLAIN))[-1]["content"].startswith("```\n1|def f(x):")
    assert program_text(PLAIN).startswith("```python\ndef f(x):")
    assert question(PLAIN).startswith("Python program:")

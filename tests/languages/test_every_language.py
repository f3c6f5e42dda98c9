"""One small program in each language through the verbs behind a recording, as a user types them, in the box."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from foreign_runs import LANGUAGES, foreign_run

from worldline.cli import cli
from worldline.recording.languages import toolchain

pytestmark = pytest.mark.usefixtures("sandbox")
HEADERS = {"cpp": "#include <vector>\n"}


@pytest.fixture(params=LANGUAGES)
def words(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, str, str]:
    """The file of a program in a language, and the call that is meant."""
    language: str = request.param
    if isinstance(found := toolchain.find(language), str):
        pytest.skip(found)
    program = foreign_run(language).program
    path = tmp_path / program.name
    path.write_text(HEADERS.get(language, "") + program.source)
    return str(path), "--call", str(program.call)


def ran(*words: str) -> Result:
    result = CliRunner().invoke(cli, words, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result


def test_a_trace_is_stored_verified_shown_and_written(words: tuple[str, str, str], tmp_path: Path) -> None:
    store = str(tmp_path / "store")
    assert "returned, in" in ran("record", *words, "-o", store).output
    assert ran("verify", store).output == f"fine: {store}\n"
    assert "return 8" in ran("show", store).output
    assert "sum" in ran("show", store, "--step", "-1").output
    assert "compact bare" in ran("cost", store).output
    assert ran("encode", store).output.endswith(")8\n.\n")
    assert "<|return_sep|>" in ran("encode", store, "--format", "cwm").output


def test_what_is_trusted_is_recorded_alike_without_a_box(words: tuple[str, str, str]) -> None:
    sandboxed = json.loads(ran("record", *words, "--json").stdout)
    trusted = json.loads(ran("record", *words, "--json", "--trust").stdout)
    assert sandboxed["steps"] == trusted["steps"]
    assert (sandboxed["notes"], trusted["notes"]) == ([], ["trusted"])
    assert len(sandboxed["steps"]) > 10


def test_the_interpreter_as_a_model_is_right(
    words: tuple[str, str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    page = tmp_path / "page.html"
    found = ran("debug", *words, "--model", "interpreter", "--html", str(page))
    assert "\nright" in found.output
    assert "sum" in page.read_text()
    assert ran("imagine", *words, "--model", "interpreter").output.count("sum=") >= 3


def test_a_limit_of_steps_is_kept(words: tuple[str, str, str]) -> None:
    found = json.loads(ran("record", *words, "--json", "--max-steps", "5").stdout)
    assert (found["outcome"]["kind"], found["outcome"]["detail"]) == ("limit", "steps")
    assert len(found["steps"]) == 5

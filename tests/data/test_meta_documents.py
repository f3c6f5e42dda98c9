"""`data build --format cwm`: documents in Meta's format, as models of that format are asked and answer."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from worldline.cli import cli
from worldline.codec.cwm.parse import parse
from worldline.codec.cwm.stage import stage, staged
from worldline.core.errors import FingerprintError, UsageError
from worldline.core.program import Program
from worldline.data.build.build import build_dataset
from worldline.data.build.shards import read_rows
from worldline.data.mixture import GENERATE, TASKS, Mixture
from worldline.recording.recorder import record

RECIPE = """
from worldline.data.mixture import TASKS, Mixture
def data():
    return Mixture(sources=(TASKS,))
"""


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Forty documents."""
    out = tmp_path_factory.mktemp("meta") / "out"
    mixture = Mixture(sources=(GENERATE, TASKS), format="cwm")
    build_dataset(mixture, out, count=40, workers=1, unit=40, trust=True)
    return out


@pytest.mark.long(reason="builds a dataset of 40 documents")
def test_every_document_is_a_whole_trace_in_meta_s_format(dataset: Path) -> None:
    rows = list(read_rows(dataset))
    assert len(rows) == 40
    for row in rows:
        prompt, steps = row.prompt.decode(), row.steps.decode()
        assert prompt.startswith("<|begin_of_text|><|trace_context_start|>")
        assert steps.endswith("<|end_of_text|>")
        source = prompt.removeprefix("<|begin_of_text|><|trace_context_start|>").partition("<|frame_sep|>")[0]
        parsed = parse(prompt + steps, source)
        assert parsed.malformed is None
        assert parsed.ended
    assert len({row.run for row in rows}) == 40


def test_a_document_is_what_such_a_model_is_asked_and_writes() -> None:
    program = Program(source="def f(n):\n    return n + 1\n", call="f(2)")
    staged_program = staged(program)
    assert staged_program.source.endswith("def main():\n    return f(2)\n")
    assert staged_program.call == "main()"
    assert record(staged_program, trust=True).outcome.detail == "3"
    odd = Program(source="main = 3\ndef f(n):\n    return main\n", call="f(2)")
    assert staged(odd).call == "main_()"
    script = Program(source="x = 1\n")
    assert staged(script) == script
    assert stage(script).called == ""


def test_the_verb_says_so_and_another_format_is_another_dataset(tmp_path: Path) -> None:
    recipe = tmp_path / "tiny.py"
    recipe.write_text(RECIPE)
    words = ["data", "build", str(recipe), "-o", str(tmp_path / "out"), "--count", "3", "--unit", "3", "--workers", "1"]
    done = CliRunner().invoke(cli, [*words, "--format", "cwm", "--trust"])
    assert done.exit_code == 0, done.output
    assert next(iter(read_rows(tmp_path / "out"))).prompt.startswith(b"<|begin_of_text|>")
    again = CliRunner().invoke(cli, [*words, "--count", "4", "--trust"])
    assert isinstance(again.exception, FingerprintError), again.output
    with pytest.raises(UsageError, match="compact or cwm"):
        Mixture(format="json")

"""Who else proposes: a real server process asked over HTTP, a function of the user's; what they say is only tried."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from worldline.cli import cli
from worldline.core.errors import UsageError
from worldline.plan.repair.candidate import Defect
from worldline.plan.repair.proposers import load_proposer, read_sources, write_question

pytest.importorskip("httpx2", reason="the server extra is not installed: pip install 'worldline[server]'")

SOURCE = "def half(n):\n    m = n * 3  # odd\n    return m // 7\n"
DEFECT = Defect(source=SOURCE, name="half.py", failing="half(4)", expected="2", found="1")
SAYS = "Perhaps:\nLINE 2: m = n * 7 // 2  # odd\n\n```python\ndef half(n):\n    return n // 2\n```\nLINE 99: x\n"


@contextmanager
def served(says: str) -> Iterator[str]:
    script = Path(__file__).with_name("chat_server.py")
    process = subprocess.Popen(
        [sys.executable, str(script), says], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        yield f"server:http://127.0.0.1:{process.stdout.readline().strip()}/v1#m"
    finally:
        process.kill()
        process.communicate()


def test_an_answer_is_read_as_lines_and_functions() -> None:
    line, block = read_sources(SAYS, DEFECT)
    assert line == SOURCE.replace("m = n * 3  # odd", "m = n * 7 // 2  # odd")
    assert block == "def half(n):\n    return n // 2\n"
    assert list(read_sources("no idea ``` LINE x: y", DEFECT)) == []
    assert list(read_sources("```python\ndef (:\n```", DEFECT)) == []
    assert "half(4)" in write_question(DEFECT)
    assert "   2      m = n * 3" in write_question(DEFECT)


def test_a_model_behind_a_server_proposes() -> None:
    with served(SAYS) as scheme:
        found = list(load_proposer(scheme).propose(DEFECT))
    assert [each.kind for each in found] == ["proposed", "proposed"]
    assert found[0].by == scheme
    assert found[0].lines == range(2, 3)


def test_missing_server_is_reported() -> None:
    proposer = load_proposer("server:http://127.0.0.1:9#m", {"retries": "0", "timeout": "5"})
    with pytest.raises(UsageError, match="proposes nothing: unreachable"):
        list(proposer.propose(DEFECT))


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    program, tests = tmp_path / "half.py", tmp_path / "half.json"
    program.write_text(SOURCE)
    tests.write_text("[[4], 2]\n[[9], 4]\n[[0], 0]\n[[15], 7]\n[[70], 35]\n")
    return str(program), str(tests)


def test_the_verb_tries_what_a_server_proposes(files: tuple[str, str]) -> None:
    with served(SAYS) as scheme:
        done = CliRunner().invoke(cli, ["plan", "repair", files[0], "--tests", files[1], "--propose", scheme, "--json"])
    assert done.exit_code == 0, done.output
    found = json.loads(done.output)
    assert any("+    return n // 2" in each["patch"] and each["by"] == scheme for each in found["patches"])


def test_user_function_proposes(files: tuple[str, str], tmp_path: Path) -> None:
    own = tmp_path / "own.py"
    own.write_text("def fix(defect):\n    return [defect.source.replace('* 3', '* 7 // 2'), 'def half(n)']\n")
    done = CliRunner().invoke(
        cli, ["plan", "repair", files[0], "--tests", files[1], "--propose", f"python:{own}:fix", "--patches", "1"]
    )
    assert done.exit_code == 0, done.output
    assert "+    m = n * 7 // 2  # odd" in done.output
    assert "by own.py:fix" in done.output


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("fix = 3", "is not a function"),
        ("def fix(d):\n    return 1 / 0", "ZeroDivisionError"),
        ("def fix(d):\n    return [3]", "not int"),
    ],
)  # fmt: skip
def test_invalid_proposer_is_refused(tmp_path: Path, text: str, said: str) -> None:
    own = tmp_path / "own.py"
    own.write_text(text)
    with pytest.raises(UsageError, match=said) as caught:
        list(load_proposer(f"python:{own}:fix").propose(DEFECT))
    assert "\n" not in str(caught.value)
    with pytest.raises(UsageError, match=r"server:URL#MODEL or python"):
        load_proposer("default")

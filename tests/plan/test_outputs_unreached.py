"""Values of tests whose set-up cannot run: executed alone, predicted or unknown, labelled and never filled in."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from worldline.cli import main
from worldline.plan import fill_outputs
from worldline.plan.answer import IMAGINED, RUN, UNKNOWN
from worldline.plan.outputs.report import OutputsReport

pytestmark = pytest.mark.usefixtures("sandbox")

LIB = """\
import nolib
from nolib import trim

def twice(x):
    return [x] * 2

@nolib.cached
def doubled(x):
    return x * 2

def neat(text):
    return "_".join(trim(text).split(" "))
"""
TESTS = """\
from lib import doubled, neat, twice

def test_twice():
    assert twice(3) == ...

def test_steps():
    size = 4
    size += 1
    assert [size, size] == ...

def test_neat():
    assert neat(" a b ") == ...

def test_database(database):
    assert database.total(3) == ...
"""


def filled(folder: Path, tests: str, **options: object) -> OutputsReport:
    (folder / "lib.py").write_text(LIB)
    (folder / "test_lib.py").write_text(tests)
    return fill_outputs(folder / "test_lib.py", **options)  # type: ignore[arg-type]


def test_values_are_executed_alone_or_unknown_and_nothing_is_filled_in(tmp_path: Path) -> None:
    report = filled(tmp_path, TESTS, sure=1.0)
    twice, steps, neat, database = (checked.answer for checked in report.values)
    assert report.diff == ""
    assert twice is not None
    assert (twice.value, twice.how) == ("[3, 3]", RUN)
    assert "not installed" in twice.why
    assert steps is not None
    assert neat is not None
    assert (neat.value, neat.how) == (None, UNKNOWN)
    assert database is None  # it takes a fixture, which only the test itself has


def test_a_set_up_that_raises_is_predicted_past(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("test_c.py").write_text(
        "import socket\nDATABASE = socket.create_connection(('db', 5432))\n\n"
        "def add(a, b):\n    return a + b\n\ndef test_add():\n    assert add(2, 3) == ...\n"
    )
    main(["plan", "outputs", "test_c.py", "--sure", "0.5", "--json"])
    (value,) = json.loads(capsys.readouterr().out)["values"]
    assert (value["value"], value["unreached"]) == (None, True)
    assert (value["answer"]["value"], value["answer"]["how"]) == ("5", IMAGINED)
    assert value["answer"]["why"].startswith("not executed, because its set-up raises gaierror(")
    main(["plan", "outputs", "test_c.py", "--sure", "0.5"])
    assert "add(2, 3): PREDICTED 5" in capsys.readouterr().out

"""CRUXEval-X: the function alone, its call and its answer are cut out of a row, in every language it shares with us."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from sections import sections

from worldline.core.errors import UsageError
from worldline.evaluation import suites
from worldline.evaluation.suites.languages.crux_x import CRUX_ROWS
from worldline.evaluation.suites.suite import Task

pytestmark = pytest.mark.unit

DATA = Path(os.environ.get("WORLDLINE_CRUX_X", "not here"))
ROWS = {path.stem: sections(path) for path in sorted((Path(__file__).parent / "crux_x").glob("*.txt"))}


def row(language: str, given: str | None = None, out: str | None = None) -> dict[str, object]:
    head, test, usual, answer = ROWS[language].values()
    given, out = given or usual.strip(), out or answer.strip()
    return {
        "id": 7,
        "code": head + test.replace("IN", given).replace("OUT", out),
        "input_reasoning": test.replace("IN", "????").replace("OUT", out),
        "output_reasoning": test.replace("IN", given).replace("OUT", "????"),
    }


def tasks(tmp_path: Path, language: str, *rows: dict[str, object]) -> list[Task]:
    (tmp_path / f"{CRUX_ROWS[language].ending}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows))
    return list(suites.load("crux-x", data=tmp_path, language=language).tasks)


@pytest.mark.parametrize("language", ROWS)
def test_a_row_is_a_function_and_its_call(tmp_path: Path, language: str) -> None:
    (task,) = tasks(tmp_path, language, row(language))
    source = task.program.source
    assert task.program.call in ("f([1, 2])", "f([1, 'a('])")
    assert (task.answer, task.program.language, task.name) == ("2", language, f"{CRUX_ROWS[language].ending}/7")
    assert not any(word in source for word in ("test", "main", "javatuples"))
    assert source.count("{") == source.count("}")
    assert source.endswith("}\n")


def test_an_input_that_is_computed_is_left_out(tmp_path: Path) -> None:
    assert tasks(tmp_path, "js", row("js", given="[...'abc']")) == []


def test_an_output_of_several_parts_is_recorded_where_its_type_has_a_name(tmp_path: Path) -> None:
    (js,) = tasks(tmp_path, "js", row("js", out="[4, [1]]"))
    (java,) = tasks(tmp_path, "java", row("java", out="Arrays.asList(4)"))
    assert (js.answer, java.answer) == ("[4, [1]]", None)


def test_a_language_must_be_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="js, ts, java, cpp, rust"):
        suites.load("crux-x", data=tmp_path)


@pytest.mark.skipif(not DATA.is_dir(), reason="CRUXEval-X is not here: WORLDLINE_CRUX_X=datasets/cruxeval_preprocessed")
@pytest.mark.parametrize(("language", "least"), [("js", 740), ("ts", 724), ("java", 697), ("cpp", 732), ("rust", 687)])
def test_nearly_all_of_its_own_rows_are_tasks(language: str, least: int) -> None:
    assert len(list(suites.load("crux-x", data=DATA, language=language).tasks)) >= least

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


GIVEN_TEXTS = {"rust": 'String::from(")(")', "js": "')('"}
"""An input with brackets in a text, by language."""


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
    (tmp_path / f"{CRUX_ROWS[language].files.ending}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows))
    return list(suites.load("crux-x", data=tmp_path, language=language).tasks)


@pytest.mark.parametrize("language", ROWS)
def test_a_row_is_a_function_and_its_call(tmp_path: Path, language: str) -> None:
    (task,) = tasks(tmp_path, language, row(language))
    source = task.program.source
    assert task.program.call in ("f([1, 2])", "f([1, 'a('])")
    assert (task.answer, task.program.language, task.name) == ("2", language, f"{CRUX_ROWS[language].files.ending}/7")
    function = source.removeprefix("package main\n")
    assert not any(word in function for word in ("test", "main", "javatuples"))
    assert source.count("{") == source.count("}")
    assert source.endswith("}\n")


@pytest.mark.parametrize("language", ROWS)
def test_rows_of_the_repository_without_blanks_give_the_same_tasks(tmp_path: Path, language: str) -> None:
    """`datasets/cruxeval-x` is a list of only `id` and `code`, and without `code` where the translation failed."""
    ending, whole = CRUX_ROWS[language].files.ending, row(language)
    with_texts = row(language, given=GIVEN_TEXTS.get(language, '(")(")'))
    rows = [{"id": 1}, *({"id": one["id"], "code": one["code"]} for one in (whole, with_texts | {"id": 8}))]
    folder = tmp_path / "datasets/cruxeval-x"
    folder.mkdir(parents=True)
    (folder / f"{ending}.json").write_text(json.dumps(rows, indent=4))
    by_name = {task.name: task for task in suites.load("crux-x", data=tmp_path, language=language).tasks}
    (known,) = tasks(tmp_path, language, whole)
    found = by_name[f"{ending}/7"]
    assert (found.program, found.answer) == (known.program, known.answer)
    assert by_name[f"{ending}/8"].program.call == "f(')(')"


@pytest.mark.parametrize("folder", ["datasets/cruxeval_preprocessed", "cruxeval_preprocessed", ""])
def test_the_folder_of_the_repository_is_enough(tmp_path: Path, folder: str) -> None:
    (tmp_path / folder).mkdir(parents=True, exist_ok=True)
    (task,) = tasks(tmp_path / folder, "js", row("js"))
    (found,) = suites.load("crux-x", data=tmp_path, language="js").tasks
    assert found.program == task.program


def test_files_of_hugging_face_are_read(tmp_path: Path) -> None:
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    (tmp_path / "data").mkdir()
    table = pyarrow.Table.from_pylist([row("cpp")])
    parquet.write_table(table, tmp_path / "data/Cpp-00000-of-00001.parquet")
    (task,) = suites.load("crux-x", data=tmp_path, language="cpp").tasks
    assert (task.name, task.answer) == ("cpp/7", "2")


def test_a_folder_without_the_language_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"has no file of CRUXEval-X for Rust, such as .*rs.jsonl: pass the folder of"):
        suites.load("crux-x", data=tmp_path, language="rust")


def test_rows_whose_test_cannot_be_read_are_left_out(tmp_path: Path) -> None:
    codes = ["", "function f() {}\n", f"{row('js')['code']}x", str(row("js")["code"]).partition("deepEqual(cand")[0]]
    (tmp_path / "js.json").write_text(json.dumps([{"id": n, "code": code} for n, code in enumerate(codes)]))
    names = [task.name for task in suites.load("crux-x", data=tmp_path, language="js").tasks]
    assert names == ["js/2"]


def test_an_input_that_is_computed_is_left_out(tmp_path: Path) -> None:
    assert tasks(tmp_path, "js", row("js", given="[...'abc']")) == []


def test_an_output_of_several_parts_is_recorded_where_its_type_has_a_name(tmp_path: Path) -> None:
    (js,) = tasks(tmp_path, "js", row("js", out="[4, [1]]"))
    (java,) = tasks(tmp_path, "java", row("java", out="Arrays.asList(4)"))
    assert (js.answer, java.answer) == ("[4, [1]]", None)


def test_a_language_must_be_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="js, ts, java, cpp, rust, go"):
        suites.load("crux-x", data=tmp_path)


@pytest.mark.skipif(not DATA.is_dir(), reason="CRUXEval-X is not here: WORLDLINE_CRUX_X=datasets/cruxeval_preprocessed")
@pytest.mark.parametrize(
    ("language", "least"), [("js", 740), ("ts", 724), ("java", 697), ("cpp", 732), ("rust", 687), ("go", 692)]
)
def test_nearly_all_of_its_own_rows_are_tasks(language: str, least: int) -> None:
    assert len(list(suites.load("crux-x", data=DATA, language=language).tasks)) >= least

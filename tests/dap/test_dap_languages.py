"""Programs that are not Python by the protocol: stepped through as predicted; their values, objects and conditions.

Most runs are written by hand and replayed, so that no toolchain is needed: of the true run nothing is asked there.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from dapclient import Adapter
from foreign_runs import LANGUAGES, foreign_run
from language_sessions import LIST_C, MIXED_JS, HandWritten

from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.predict.interpreter import Interpreter
from worldline.predict.prediction import PredictionRequest
from worldline.recording.languages import toolchain
from worldline.ui.dap.expressions import UnknownValue, parse

pytestmark = pytest.mark.usefixtures("sandbox")
HEADERS = {"cpp": "#include <vector>\n"}
NAMES = {
    "list": "Node#2(v=1, next=Node#1(v=2, next=None))", "p": "Ptr#3([3, 1, 2], at=1)", "done": "False", "n": "3",
    "o": "{'a': <undefined>, 'b': [1]}", "none": "None", "s": "'a && b'",
}  # fmt: skip


@pytest.fixture
def adapter() -> Iterator[Adapter]:
    """An adapter that must end well."""
    with Adapter() as made:
        yield made


def launched(adapter: Adapter, one: HandWritten, folder: Path, **options: Any) -> None:
    """A program on disk, predicted as it is written by hand."""
    path, rows = folder / one.program.name, folder / "rows.jsonl"
    path.write_text(one.program.source)
    rows.write_text(json.dumps({"digest": one.program.digest, "text": one.found.decode()}) + "\n")
    adapter.launch(program=str(path), call=one.program.call, model=f"replay:{rows}", **options)


def variables(adapter: Adapter, number: int = 0) -> dict[str, dict[str, Any]]:
    """The rows of the scope Predicted of the innermost frame, or under a reference, by name."""
    if not number:
        frame = adapter.ask("stackTrace", threadId=1)["stackFrames"][0]
        number = adapter.ask("scopes", frameId=frame["id"])["scopes"][0]["variablesReference"]
    return {one["name"]: one for one in adapter.ask("variables", variablesReference=number)["variables"]}


def test_c_is_stepped_through_and_pointers_open(adapter: Adapter, tmp_path: Path) -> None:
    launched(adapter, LIST_C, tmp_path, lines=[8])
    assert adapter.stopped()[1:] == ("total", 8)
    rows = variables(adapter)
    assert (rows["sum"]["type"], rows["p"]["type"], rows["list"]["type"]) == ("integer", "pointer", "Node")
    assert "hasObjectId" in rows["p"]["presentationHint"]["attributes"]
    block = variables(adapter, rows["p"]["variablesReference"])
    assert list(block) == ["[0]", "[1] ←", "[2]"]
    assert block["[1] ←"]["evaluateName"] == "p[0]"
    link = variables(adapter, rows["list"]["variablesReference"])
    inner = variables(adapter, link["next"]["variablesReference"])
    assert (inner["next"]["value"], inner["next"]["type"]) == ("None", "null pointer")
    assert adapter.ask("evaluate", expression="*p", context="hover")["result"] == "1"
    assert adapter.ask("evaluate", expression="list->next->next", context="hover") == {
        "result": "None (NULL)", "type": "null pointer", "variablesReference": 0,
    }  # fmt: skip
    assert adapter.ask("evaluate", expression="list->next->next", context="watch")["result"] == "None"


def test_conditions_and_log_points_are_written_as_in_the_language(adapter: Adapter, tmp_path: Path) -> None:
    launched(adapter, LIST_C, tmp_path, lines=[{"line": 10, "condition": "list->v == 2 && sum != 0"}])
    assert adapter.stopped()[1:] == ("total", 10)
    assert adapter.scope("Predicted")["sum"] == "4"


def test_breakpoints_stand_on_lines_with_code(adapter: Adapter, tmp_path: Path) -> None:
    launched(adapter, LIST_C, tmp_path, stopOnEntry=True)
    adapter.stopped()
    source = {"path": str(tmp_path / "list.c")}
    placed = adapter.ask("setBreakpoints", source=source, breakpoints=[{"line": 1}, {"line": 11}, {"line": 21}])
    assert [(one["verified"], one["line"]) for one in placed["breakpoints"]] == [(True, 3), (True, 12), (False, 21)]


def test_a_cycle_opens_without_end(adapter: Adapter, tmp_path: Path) -> None:
    launched(adapter, MIXED_JS, tmp_path, lines=[15])
    adapter.stopped()
    rows = variables(adapter)
    assert (rows["gaps"]["type"], rows["text"]["type"]) == ("array", "string")
    sandbox = rows["box"]
    for _ in range(5):
        sandbox = variables(adapter, sandbox["variablesReference"])["inner"]
        assert (sandbox["value"], sandbox["type"]) == ("Box#1", "Box")
    assert adapter.ask("evaluate", expression="gaps[1]", context="hover")["result"] == "<hole> (a hole of the array)"
    assert adapter.ask("evaluate", expression="gaps[0] === null", context="watch")["result"] == "True"


def test_a_reference_opens_as_what_another_name_writes_out(adapter: Adapter, tmp_path: Path) -> None:
    wrong = HandWritten(MIXED_JS.program, MIXED_JS.steps, (b"12 big=BigInt(5)\n", b"12 big=BigInt(5) other=[Box#1]\n"))
    launched(adapter, wrong, tmp_path, lines=[15])
    adapter.stopped()
    other = variables(adapter, variables(adapter)["other"]["variablesReference"])["[0]"]
    assert list(variables(adapter, other["variablesReference"])) == ["inner"]


def test_a_program_as_text_says_its_language(adapter: Adapter, tmp_path: Path) -> None:
    program = Program(source=LIST_C.program.source, name="program.c")
    rows = tmp_path / "rows.jsonl"
    rows.write_text(json.dumps({"digest": program.digest, "text": LIST_C.found.decode()}) + "\n")
    adapter.launch(source=program.source, language="c", model=f"replay:{rows}", stopOnEntry=True)
    assert adapter.stopped()[1:] == ("main", 15)
    frame = adapter.ask("stackTrace", threadId=1)["stackFrames"][0]
    text = adapter.ask("source", source=frame["source"], sourceReference=frame["source"]["sourceReference"])
    assert (text["content"], text["mimeType"]) == (program.source, "text/x-c")


def test_an_unknown_language_is_refused(adapter: Adapter) -> None:
    adapter.ask("initialize", adapterID="worldline")
    assert "`language` must be one of python, js" in adapter.refused("launch", source="x", language="cobol")


@pytest.mark.parametrize(
    ("language", "source", "wanted"),
    [
        ("c", "list->v != NULL && !done", "True"),
        ("c", "list->next->next == NULL", "True"),
        ("c", "p[0] + p[-1]", "4"),
        ("c", "*p * 2", "2"),
        ("c", "n * p[1]", "6"),
        ("cpp", "none == nullptr || done", "True"),
        ("js", "o.a === undefined", "True"),
        ("js", "o.b !== null", "True"),
        ("js", "s == 'a && b'", "True"),
        ("java", "done != true", "True"),
        ("rust", "!done && n >= 3", "True"),
        ("go", "none == nil && !done", "True"),
        ("js", "null", "None"),
    ],
)
def test_expressions_as_the_language_spells_them(language: str, source: str, wanted: str) -> None:
    assert parse(source, language).value(NAMES) == wanted


def test_names_of_the_program_come_before_words_of_its_language() -> None:
    assert parse("undefined", "js").value({"undefined": "1"}) == "1"
    with pytest.raises(UnknownValue, match="before the block"):
        parse("p[-2]", "c").value(NAMES)
    with pytest.raises(UnknownValue):
        parse("null", "python").value(NAMES)
    with pytest.raises(UsageError):
        parse("f(x)", "c")


def test_the_actual_run_is_shown_beside_the_prediction(adapter: Adapter, tmp_path: Path) -> None:
    missing = toolchain.find("c")
    if isinstance(missing, str):
        pytest.skip(missing)
    (truth,) = Interpreter().predict([PredictionRequest(program=LIST_C.program)])
    assert b"9 sum=3\n" in truth.text
    launched(adapter, HandWritten(LIST_C.program, truth.text, LIST_C.wrong), tmp_path, filters=["first-state"])
    assert adapter.stopped()[1:] == ("total", 9)
    assert adapter.scope("Actual")["sum"] == "3"
    assert adapter.scope("Difference") == {"sum": "3, predicted 4"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_is_recorded_and_stepped_through(adapter: Adapter, tmp_path: Path, language: str) -> None:
    if isinstance(missing := toolchain.find(language), str):
        pytest.skip(missing)
    program = foreign_run(language).program
    path = tmp_path / program.name
    path.write_text(program.source.replace("int twice", f"{HEADERS.get(language, '')}int twice", 1))
    line = next(at for at, text in enumerate(path.read_text().splitlines(), 1) if "sum +=" in text)
    adapter.launch(program=str(path), call=program.call, model="interpreter", lines=[line])
    assert adapter.stopped()[1:] == ("total", line)
    assert adapter.scope("Predicted")["sum"] == adapter.scope("Actual")["sum"] == "0"
    assert adapter.step("stepIn")[1] == "twice"
    assert adapter.step("stepOut")[1] == "total"
    assert adapter.step("continue")[1:] == ("total", line)
    assert adapter.scope("Predicted")["sum"] == "6"
    assert adapter.ask("evaluate", expression="sum + 1", context="watch")["result"] == "7"
    assert adapter.step("reverseContinue")[1:] == ("total", line)

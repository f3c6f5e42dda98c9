"""A session by the protocol: launched, stepped both ways, stopped, looked at, changed. Each message fits the schema."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from dapclient import Adapter, Process

from worldline.predict.interpreter import Interpreter
from worldline.predict.prediction import PredictionRequest
from worldline.recording.collect import collect

pytestmark = pytest.mark.usefixtures("sandbox")
EXAMPLES = Path(__file__).parents[2] / "examples"
FACT: dict[str, Any] = {"program": str(EXAMPLES / "factorial.py"), "call": "fact(3)", "model": "interpreter"}
COUNT = str(EXAMPLES / "count.py")


@pytest.fixture
def adapter() -> Iterator[Adapter]:
    """An adapter that must end well."""
    with Adapter() as made:
        yield made


def replayed(folder: Path, call: str, *changes: tuple[bytes, bytes]) -> str:
    """A model that writes the true run of `count`, but for some bytes of it."""
    program = collect(COUNT, call=call)
    (truth,) = Interpreter().predict([PredictionRequest(program=program)])
    text = truth.text
    for old, new in changes:
        assert old in text, text
        text = text.replace(old, new, 1)
    path = folder / "rows.jsonl"
    path.write_text(json.dumps({"digest": program.digest, "text": text.decode()}) + "\n")
    return f"replay:{path}"


def test_steps_in_over_and_out_of_calls(adapter: Adapter) -> None:
    adapter.launch(**FACT, stopOnEntry=True)
    assert adapter.stopped() == ("entry", "fact", 1)
    assert adapter.scope("Predicted") == {"n": "3"}
    assert adapter.step("stepIn") == ("step", "fact", 2)
    assert adapter.step("stepIn") == ("step", "fact", 4)
    assert adapter.step("stepIn") == ("step", "fact", 2)
    assert adapter.scope("Predicted") == {"n": "2"}
    assert adapter.scope("Predicted", 1) == {"n": "3"}
    assert adapter.step("next") == ("step", "fact", 4)
    assert adapter.step("next") == ("step", "fact", 5)
    assert adapter.scope("Predicted") == {"n": "2", "r": "1"}
    assert adapter.step("stepOut") == ("step", "fact", 5)
    assert adapter.scope("Predicted") == {"n": "3", "r": "2"}
    assert adapter.step("next")[0] == "end"
    adapter.ask("continue", threadId=1)
    adapter.event("terminated")


def test_steps_back_and_runs_back(adapter: Adapter) -> None:
    adapter.launch(**FACT, lines=[3])
    assert adapter.stopped() == ("breakpoint", "fact", 3)
    assert adapter.scope("Predicted") == {"n": "1"}
    assert adapter.step("stepBack") == ("step", "fact", 2)
    assert adapter.step("stepBack") == ("step", "fact", 4)
    assert adapter.scope("Predicted") == {"n": "2"}
    assert adapter.step("reverseContinue") == ("entry", "fact", 1)
    assert adapter.step("stepBack") == ("step", "fact", 1)
    assert adapter.step("continue") == ("breakpoint", "fact", 3)
    assert adapter.step("continue")[0] == "end"
    assert adapter.step("reverseContinue") == ("breakpoint", "fact", 3)
    assert adapter.step("next") == ("step", "fact", 5)
    assert adapter.step("stepBack") == ("step", "fact", 4)
    assert len(adapter.ask("stackTrace", threadId=1)["stackFrames"]) == 2


def test_every_step_is_a_stop_by_instruction(adapter: Adapter) -> None:
    adapter.launch(**FACT | {"call": "fact(1)"}, stopOnEntry=True)
    found = [adapter.stopped()]
    while found[-1][0] != "end":
        found.append(adapter.step("stepIn", granularity="instruction"))
    assert [line for _, _, line in found[:-1]] == [1, 2, 3, 3]
    assert adapter.step("stepBack", granularity="instruction") == ("step", "fact", 3)


def test_breakpoints_move_to_lines_that_run_and_say_when_they_cannot(adapter: Adapter) -> None:
    lines: list[Any] = [1, 4, 99, {"line": 2, "condition": "n ="}, {"line": 2, "hitCondition": "often"}]
    lines.append({"line": 2, "logMessage": "{print(n)}"})
    made = adapter.launch(**FACT, lines=lines)
    assert [one["verified"] for one in made] == [True, True, False, False, False, False]
    assert [one["line"] for one in made[:2]] == [2, 4]
    assert "can execute" in made[2]["message"]
    assert all(one["message"] for one in made[3:])
    source = {"path": FACT["program"]}
    found = adapter.ask("breakpointLocations", source=source, line=1, endLine=9)["breakpoints"]
    assert [one["line"] for one in found] == [2, 3, 4, 5]
    made = adapter.ask("setBreakpoints", source=source, lines=[3])["breakpoints"]
    assert [one["line"] for one in made] == [3]
    assert adapter.ask("setBreakpoints", source={"path": "/etc/passwd"}, breakpoints=[{"line": 1}]) == {
        "breakpoints": [{"verified": False, "message": "this file is not part of the program"}]
    }


def test_files_beside_the_main_one_are_stepped_into(adapter: Adapter, tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("import other\n\ndef f(n):\n    return other.twice(n) + 1\n")
    (tmp_path / "other.py").write_text("def twice(n):\n    return n * 2\n")
    other = str(tmp_path / "other.py")
    made = adapter.launch(program=str(tmp_path / "main.py"), call="f(2)", model="interpreter", path=other, lines=[1])
    assert (made[0]["line"], made[0]["source"]["path"]) == (2, other)
    assert adapter.stopped() == ("breakpoint", "twice", 2)
    frames = adapter.ask("stackTrace", threadId=1)["stackFrames"]
    assert [one["source"]["name"] for one in frames] == ["other.py", "main.py"]
    assert len(adapter.ask("loadedSources")["sources"]) == 2


def test_conditions_hit_counts_and_log_points(adapter: Adapter) -> None:
    lines = [
        {"line": 7, "condition": "c == 'r' and n >= 1"},
        {"line": 6, "hitCondition": "% 4"},
        {"line": 7, "logMessage": "{c} makes {n + 1} of {len(word)}, {nothing}"},
    ]
    adapter.launch(program=COUNT, call="count('berry', 'r')", model="interpreter", lines=lines)
    assert adapter.stopped() == ("breakpoint", "count", 6)
    assert adapter.scope("Predicted")["c"] == "'r'"
    assert adapter.step("continue") == ("breakpoint", "count", 7)
    assert adapter.scope("Predicted") == {"word": "'berry'", "letter": "'r'", "n": "1", "c": "'r'"}
    assert adapter.output("console").splitlines() == [
        "'b' makes 1 of 5, <there is no name nothing here>", "'e' makes 1 of 5, <there is no name nothing here>",
        "'r' makes 1 of 5, <there is no name nothing here>", "'r' makes 2 of 5, <there is no name nothing here>",
    ]  # fmt: skip
    assert adapter.step("reverseContinue") == ("breakpoint", "count", 6)
    assert adapter.scope("Predicted")["n"] == "1", "the fourth pass, whichever way it is reached"


def test_a_condition_without_a_value_does_not_hit_and_is_reported(adapter: Adapter) -> None:
    adapter.launch(**FACT, lines=[{"line": 2, "condition": "missing > 1"}])
    assert adapter.stopped()[0] == "end"
    assert "there is no name missing here" in adapter.output("console")


def test_conditions_and_wrong_branches_are_described(adapter: Adapter, tmp_path: Path) -> None:
    model = replayed(tmp_path, "count('by', 'y')", (b"7 n=1\n6\n8\n)1", b"7 n=1\n6\n7 n=2\n6\n8\n)2"))
    adapter.launch(program=COUNT, call="count('by', 'y')", model=model, filters=["first-action"])
    stop = adapter.event("stopped")
    assert (stop["reason"], stop["description"]) == ("exception", "wrong action")
    told = adapter.ask("exceptionInfo", threadId=1)["description"]
    words = "line 6: `for c in word` is over (word is 'by'); the model continues as if it had a next"
    assert f"branch: {words}" in told.splitlines()
    assert adapter.step("stepBack")[2] == 6
    assert adapter.scope("Conditions") == {
        "predicted": "for c in word: a next", "actual": "for c in word: over",
    }  # fmt: skip


def test_a_wrong_state_stops_where_it_is_seen(adapter: Adapter, tmp_path: Path) -> None:
    model = replayed(tmp_path, "count('berry', 'r')", (b"7 n=1", b"7 n=5"))
    adapter.launch(program=COUNT, call="count('berry', 'r')", model=model, filters=["first-state", "first-action"])
    stop = adapter.event("stopped")
    assert (stop["reason"], stop["description"]) == ("exception", "wrong state")
    assert stop["text"] == "line 7: n is 1, predicted 5"
    assert adapter.scope("Predicted")["n"] == "5"
    assert adapter.scope("Actual")["n"] == "1"
    assert adapter.scope("Difference") == {"n": "1, predicted 5"}
    info = adapter.ask("exceptionInfo", threadId=1)
    assert info["exceptionId"] == "wrong state"
    assert "cause: wrong value" in info["description"]
    assert adapter.step("continue")[0] == "end"
    assert adapter.refused("exceptionInfo", threadId=1) == "nothing is wrong here"


def test_a_wrong_action_stops_before_its_line(adapter: Adapter, tmp_path: Path) -> None:
    model = replayed(tmp_path, "count('ab', 'r')", (b"7\n6\n8\n", b"7\n6\n7\n6\n8\n"))
    adapter.launch(program=COUNT, call="count('ab', 'r')", model=model, filters=["first-action"])
    stop = adapter.event("stopped")
    assert (stop["reason"], stop["description"]) == ("exception", "wrong action")
    assert stop["text"] == "line 8 comes next, but the model first predicts line 7"
    assert adapter.ask("stackTrace", threadId=1)["stackFrames"][0]["line"] == 7
    assert list(adapter.scope("Actual").values()) == ["the actual run does not execute this step"]


@pytest.mark.parametrize(
    ("name", "stops"),
    [("wrong-value", True), ("missed-change", False), ("divergence", True), ("wrong", True), ("raised", False)],
)
def test_filters_are_causes(adapter: Adapter, tmp_path: Path, name: str, stops: bool) -> None:
    model = replayed(tmp_path, "count('berry', 'r')", (b"7 n=1", b"7 n=5"))
    adapter.launch(program=COUNT, call="count('berry', 'r')", model=model, filters=[name])
    assert adapter.event("stopped")["reason"] == ("exception" if stops else "end")


def test_filters_take_conditions_and_refuse_what_is_none(adapter: Adapter) -> None:
    options = [
        {"filterId": "raised", "condition": "text == 'x'"},
        {"filterId": "nonsense"},
        {"filterId": "wrong", "condition": "print()"},
    ]
    adapter.launch(
        program=str(EXAMPLES / "parse.py"), call="first(['1', 'x'])", model="interpreter", stopOnEntry=True
    )  # fmt: skip
    adapter.stopped()
    found = adapter.ask("setExceptionBreakpoints", filters=[], filterOptions=options)["breakpoints"]
    assert [one["verified"] for one in found] == [True, False, False]
    reason, function, line = adapter.step("continue")
    assert (reason, function, line) == ("exception", "parse", 3)
    info = adapter.ask("exceptionInfo", threadId=1)
    assert info["exceptionId"] == "ValueError"


def test_values_are_trees_in_pages(adapter: Adapter) -> None:
    source = "def f(n):\n    xs = list(range(n))\n    d = {'a': [1, (2,)], 3: None}\n    return xs, d\n"
    adapter.launch(source=source, call="f(2500)", model="interpreter", stopOnEntry=True)
    adapter.stopped()
    for _ in range(3):
        adapter.step("next")
    frame = adapter.ask("stackTrace", threadId=1)["stackFrames"][0]
    scopes = adapter.ask("scopes", frameId=frame["id"])["scopes"]
    rows = adapter.ask("variables", variablesReference=scopes[0]["variablesReference"])["variables"]
    n, xs, d = rows
    assert (xs["indexedVariables"], d["namedVariables"], n["variablesReference"]) == (2500, 2, 0)
    assert xs["value"].startswith("[0, 1, 2, ")
    assert xs["value"].endswith(", 2498, 2499] (len 2,500)")
    assert len(xs["value"]) <= 120
    page = adapter.ask("variables", variablesReference=xs["variablesReference"], filter="indexed", start=2000, count=3)
    assert [(one["name"], one["value"]) for one in page["variables"]] == [
        ("[2000]", "2000"), ("[2001]", "2001"), ("[2002]", "2002"),
    ]  # fmt: skip
    assert adapter.ask("variables", variablesReference=xs["variablesReference"], filter="named")["variables"] == []
    pairs = adapter.ask("variables", variablesReference=d["variablesReference"])["variables"]
    assert [(one["name"], one["value"]) for one in pairs] == [("['a']", "[1, (2,)]"), ("[3]", "None")]
    assert pairs[0]["evaluateName"] == "d['a']"
    assert adapter.ask("evaluate", expression=pairs[0]["evaluateName"])["result"] == "[1, (2,)]"
    assert len(adapter.ask("evaluate", expression="xs", context="clipboard")["result"]) > 10_000
    text = adapter.ask("source", source=frame["source"], sourceReference=frame["source"]["sourceReference"])
    assert text["content"] == source
    adapter.step("stepBack")
    assert "any more" in adapter.refused("variables", variablesReference=xs["variablesReference"])
    assert "no frame" in adapter.refused("scopes", frameId=frame["id"])


def test_evaluates_and_completes_names_of_any_frame(adapter: Adapter) -> None:
    adapter.launch(**FACT, lines=[3])
    adapter.stopped()
    frames = adapter.ask("stackTrace", threadId=1)["stackFrames"]
    assert adapter.ask("evaluate", expression="n * 10", frameId=frames[2]["id"], context="watch")["result"] == "30"
    assert adapter.ask("evaluate", expression="n", frameId=frames[0]["id"], context="hover")["result"] == "1"
    assert "no name r here" in adapter.refused("evaluate", expression="r")
    assert "only the calls" in adapter.refused("evaluate", expression="exit()")
    found = adapter.ask("completions", text="1 + n", column=6)["targets"]
    assert {"label": "n", "start": 4, "length": 1} in found
    assert [one["label"] for one in adapter.ask("completions", text=":br", column=4)["targets"]] == [
        "branches",
        "branch",
    ]
    pages = adapter.ask("stackTrace", threadId=1, startFrame=1, levels=1)
    assert (pages["totalFrames"], [one["id"] for one in pages["stackFrames"]]) == (3, [frames[1]["id"]])


def test_output_comes_once_as_it_is_passed(adapter: Adapter) -> None:
    program = str(EXAMPLES / "primes.py")
    adapter.launch(program=program, model="interpreter", lines=[{"line": 9, "hitCondition": "3"}])
    assert adapter.stopped() == ("breakpoint", "<module>", 9)
    assert adapter.output() == "2\n3\n"
    adapter.step("next")
    assert adapter.output() == "2\n3\n5\n"
    adapter.step("stepBack")
    adapter.step("next")
    assert adapter.output() == "2\n3\n5\n"
    adapter.step("continue")
    assert adapter.output() == "2\n3\n5\n7\n11\n13\n17\n19\n"


def test_a_branch_prints_what_is_new_on_it(adapter: Adapter) -> None:
    adapter.launch(source="print('a')\nx = 1\nprint(x)\n", model="interpreter", lines=[])
    adapter.stopped()
    adapter.step("stepBack")
    adapter.ask("setExpression", expression="x", value="2")
    assert adapter.stopped() == ("goto", "<module>", 3)
    adapter.step("continue")
    assert adapter.output() == "a\n1\n2\n"


def test_a_program_that_cannot_run_is_reported(adapter: Adapter) -> None:
    adapter.launch(source="def f(:\n", model="interpreter")
    assert adapter.stopped()[0] == "end"
    assert "SyntaxError in line 1" in adapter.output("console")


def test_a_variable_that_is_set_is_a_branch(adapter: Adapter) -> None:
    adapter.launch(**FACT, lines=[{"line": 5, "condition": "n == 3"}])
    assert adapter.stopped() == ("breakpoint", "fact", 5)
    assert adapter.ask("setExpression", expression="r", value="n + 4") == {"value": "7", "type": "int"}
    assert adapter.stopped() == ("goto", "fact", 5)
    assert adapter.scope("Predicted") == {"n": "3", "r": "7"}
    assert adapter.step("continue")[0] == "end"
    assert adapter.step("stepBack") == ("step", "fact", 5)
    assert adapter.scope("Predicted") == {"n": "3", "r": "7"}
    listed = adapter.ask("evaluate", expression=":branches", context="repl")["result"].splitlines()
    assert listed[0].startswith("  0")
    assert listed[1].startswith("* 1 from 0")
    adapter.ask("evaluate", expression=":branch 0", context="repl")
    assert adapter.stopped()[0] == "goto"
    frame = adapter.ask("stackTrace", threadId=1)["stackFrames"][0]
    scopes = adapter.ask("scopes", frameId=frame["id"])["scopes"]
    references = [one["variablesReference"] for one in scopes]
    assert "Predicted" in adapter.refused("setVariable", variablesReference=references[1], name="n", value="1")
    assert "not an expression" in adapter.refused(
        "setVariable", variablesReference=references[0], name="n", value="1 +"
    )
    assert "not a name" in adapter.refused("setVariable", variablesReference=references[0], name="n[0]", value="1")
    adapter.ask("setVariable", variablesReference=references[0], name="n", value="0x2")
    assert adapter.stopped()[0] == "goto"
    assert adapter.scope("Predicted")["n"] == "2"


def test_a_line_that_is_forced_is_a_branch(adapter: Adapter) -> None:
    adapter.launch(program=COUNT, call="count('ab', 'b')", model="interpreter", lines=[7])
    adapter.stopped()
    source = {"path": COUNT}
    targets = adapter.ask("gotoTargets", source=source, line=8)["targets"]
    assert [one["line"] for one in targets] == [8]
    assert adapter.ask("gotoTargets", source=source, line=99)["targets"] == []
    assert adapter.ask("gotoTargets", source={"path": "/nowhere"}, line=8)["targets"] == []
    assert "cannot go" in adapter.refused("goto", threadId=1, targetId=4)
    adapter.ask("goto", threadId=1, targetId=targets[0]["id"])
    assert adapter.stopped() == ("goto", "count", 8)
    assert adapter.scope("Predicted") == {"word": "'ab'", "letter": "'b'", "n": "0", "c": "'a'"}
    assert adapter.step("continue")[0] == "end"


def test_a_model_that_cannot_continue_leaves_the_position(adapter: Adapter, tmp_path: Path) -> None:
    model = replayed(tmp_path, "count('ab', 'r')")
    adapter.launch(program=COUNT, call="count('ab', 'r')", model=model, lines=[7])
    assert adapter.stopped() == ("breakpoint", "count", 7)
    adapter.ask("setExpression", expression="n", value="5")
    while adapter.stopped()[0] != "goto" or "back on branch 0" not in str(adapter.seen):
        pass
    assert "does not start with" in adapter.output("important")
    assert adapter.scope("Predicted")["n"] == "0"


def test_restarts_frames_and_programs(adapter: Adapter, tmp_path: Path) -> None:
    program = tmp_path / "p.py"
    program.write_text("def f(n):\n    m = n + 1\n    return m\n")
    adapter.launch(program=str(program), call="f(1)", model="interpreter", lines=[3])
    assert adapter.stopped() == ("breakpoint", "f", 3)
    frame = adapter.ask("stackTrace", threadId=1)["stackFrames"][0]
    adapter.ask("restartFrame", frameId=frame["id"])
    assert adapter.stopped() == ("goto", "f", 1)
    program.write_text("def f(n):\n    m = n + 1\n\n    return m * 2\n")
    adapter.ask("restart")
    assert adapter.event("breakpoint")["breakpoint"]["line"] == 4
    assert adapter.stopped() == ("breakpoint", "f", 4)
    adapter.ask("restart", arguments={"program": str(program), "call": "f(5)", "model": "interpreter"})
    assert adapter.stopped() == ("breakpoint", "f", 4)
    assert adapter.scope("Predicted") == {"n": "5", "m": "6"}


def test_a_rewritten_program_is_a_source_of_its_own(adapter: Adapter) -> None:
    source = "def f(a, b):\n    return (a + b) * (a - b)\n"
    adapter.launch(source=source, call="f(3, 2)", model="interpreter", stopOnEntry=True)
    adapter.stopped()
    adapter.ask("evaluate", expression=":rewrite flatten", context="repl")
    assert adapter.stopped()[0] == "goto"
    frame = adapter.ask("stackTrace", threadId=1)["stackFrames"][0]
    text = adapter.ask("source", sourceReference=frame["source"]["sourceReference"])["content"]
    assert text != source
    made = adapter.ask("setBreakpoints", source=frame["source"], breakpoints=[{"line": 3}])["breakpoints"]
    assert made[0]["verified"]
    assert adapter.step("continue") == ("breakpoint", "f", 3)
    assert len(adapter.ask("loadedSources")["sources"]) == 2
    assert "no branch" in adapter.refused("evaluate", expression=":branch 9", context="repl")
    assert "unknown command" in adapter.refused("evaluate", expression=":nonsense", context="repl")
    assert "`how` must be one of" in adapter.refused("evaluate", expression=":rewrite upside-down", context="repl")
    assert ":why" in adapter.ask("evaluate", expression=":help", context="repl")["result"]


@pytest.mark.parametrize(
    ("launch", "why"),
    [
        ({}, "either a `program`"),
        ({"program": "/nowhere.py"}, "cannot read"),
        ({"program": COUNT, "source": "x"}, "either a `program`"),
        ({"program": COUNT, "call": "count("}, "one expression"),
        ({"program": COUNT, "model": "/no/such"}, "no model"),
        ({"program": COUNT, "model": "interpreter", "modelOptions": {"codec": "morse"}}, "codec"),
        ({"program": COUNT, "modelOptions": {"x": []}}, "must be a string"),
        ({"program": COUNT, "limit": -1}, "limit"),
        ({"program": COUNT, "reveal": -1}, "reveal"),
        ({"program": 3}, "string `program`"),
        ({"program": COUNT, "args": "x"}, "list of strings"),
        ({"program": COUNT, "stopOnEntry": 1}, "true or false"),
        ({"program": "a\x00b"}, "cannot read"),
    ],
)
def test_an_invalid_launch_is_refused_and_another_may_follow(
    adapter: Adapter, launch: dict[str, object], why: str
) -> None:
    adapter.ask("initialize", adapterID="worldline")
    found = adapter.answer(adapter.send("launch", **launch))
    assert not found["success"]
    assert why in found["message"]
    assert found["body"]["error"]["showUser"]
    adapter.ask("launch", **FACT, nonsense=1)
    adapter.event("initialized")
    assert "unknown key 'nonsense'" in adapter.output("console")


def test_requests_out_of_turn_are_refused(adapter: Adapter) -> None:
    assert "before `launch`" in adapter.refused("launch", **FACT)
    assert "no program is launched" in adapter.refused("stackTrace", threadId=1)
    adapter.ask("initialize", adapterID="worldline")
    assert "already" in adapter.refused("initialize", adapterID="worldline")
    assert "attach" in adapter.refused("attach")
    assert "no program is launched" in adapter.refused("configurationDone")
    adapter.ask("launch", **FACT)
    assert "already" in adapter.refused("launch", **FACT)
    assert "running" in adapter.refused("next", threadId=1)
    assert "running" in adapter.refused("stackTrace", threadId=1)
    adapter.ask("configurationDone")
    adapter.stopped()
    assert "already" in adapter.refused("configurationDone")
    adapter.ask("terminate")
    adapter.event("terminated")
    assert "has ended" in adapter.refused("next", threadId=1)
    assert adapter.ask("threads")["threads"][0]["name"] == "interpreter predicts fact(3)"


def test_lines_and_columns_from_zero(adapter: Adapter) -> None:
    adapter.ask("initialize", adapterID="worldline", linesStartAt1=False, columnsStartAt1=False)
    adapter.ask("launch", **FACT)
    made = adapter.ask("setBreakpoints", source={"path": FACT["program"]}, breakpoints=[{"line": 2}])["breakpoints"]
    assert (made[0]["verified"], made[0]["line"]) == (True, 2)
    adapter.ask("configurationDone")
    assert adapter.stopped() == ("breakpoint", "fact", 2)
    adapter.ask("gotoTargets", source={"path": Path(str(FACT["program"])).as_uri()}, line=3)


def test_without_debugging_it_runs_to_its_end(adapter: Adapter) -> None:
    adapter.launch(program=str(EXAMPLES / "primes.py"), model="interpreter", noDebug=True, lines=[9])
    adapter.event("terminated")
    assert adapter.output() == "2\n3\n5\n7\n11\n13\n17\n19\n"


def test_it_is_a_process_that_ends_with_its_client() -> None:
    with Adapter(Process()) as adapter:
        adapter.launch(**FACT, stopOnEntry=True)
        adapter.stopped()
        adapter.ask("disconnect")
    gone = Process()
    assert gone.end() == "", "a client that says nothing and leaves"


def test_a_launch_limits_the_recording(adapter: Adapter) -> None:
    adapter.launch(**FACT, steps=3, stopOnEntry=True)
    assert adapter.stopped() == ("entry", "fact", 1)
    adapter.step("stepIn")
    assert adapter.scope("Actual") == {"n": "3"}
    adapter.step("stepIn")
    adapter.step("stepIn")
    assert adapter.scope("Predicted") == {"n": "2"}
    assert list(adapter.scope("Actual")) == ["(none)"]


def test_hidden_inputs_are_a_scope_of_the_step_that_draws(adapter: Adapter, tmp_path: Path) -> None:
    path = tmp_path / "dice.py"
    path.write_text("import random\n\ndef f(k):\n    x = random.randrange(k)\n    return x\n")
    run = {"program": str(path), "call": "f(6)", "model": "interpreter", "seed": 1}
    adapter.launch(**run, stopOnEntry=True)
    assert adapter.stopped() == ("entry", "f", 3)
    assert adapter.step("stepIn") == ("step", "f", 4)
    assert adapter.scope("Hidden inputs") == {"a draw of 0 to 5": "5"}
    assert adapter.step("stepIn") == ("step", "f", 5)
    assert adapter.scope("Predicted") == {"k": "6", "x": "5"}
    frame = adapter.ask("stackTrace", threadId=1)["stackFrames"][0]["id"]
    names = [one["name"] for one in adapter.ask("scopes", frameId=frame)["scopes"]]
    assert names == ["Predicted", "Actual", "Difference"]


def test_a_long_value_shows_its_last_change(adapter: Adapter) -> None:
    source = "def f(n):\n    xs = list(range(n))\n    xs[500] = -1\n    s = 'ab' * n\n    s += 'xyz'\n    return xs\n"
    adapter.launch(source=source, call="f(1000)", model="interpreter", stopOnEntry=True)
    adapter.stopped()
    values = []
    for _ in range(5):
        adapter.step("next")
        frame = adapter.ask("stackTrace", threadId=1)["stackFrames"][0]
        scope = adapter.ask("scopes", frameId=frame["id"])["scopes"][0]
        rows = adapter.ask("variables", variablesReference=scope["variablesReference"])["variables"]
        values.append({row["name"]: row["value"] for row in rows})
    assert values[1]["xs"].endswith(", 998, 999] (len 1,000)")
    assert values[2]["xs"].endswith(", 999] (len 1,000), after xs[500]=-1")
    assert values[2]["xs"] == values[3]["xs"] == values[4]["xs"]  # an editor marks it once
    assert values[4]["s"].endswith("xyz' (len 2,003), after s+='xyz'")
    frame = adapter.ask("stackTrace", threadId=1)["stackFrames"][0]
    whole = adapter.ask("evaluate", expression="xs", frameId=frame["id"], context="clipboard")["result"]
    assert whole.startswith("[0, 1, 2, ")
    assert ", 499, -1, 501, " in whole

"""Outputs made elsewhere, in Meta's format: each kind of failure has its own row, and a fault of a scorer is seen."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from worldline.cli import suites as verbs
from worldline.codec.cwm import writer as cwm
from worldline.codec.cwm.text import TOKENS
from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.diagnose.diagnosis import cause
from worldline.evaluation import suites
from worldline.evaluation.compare import compare
from worldline.evaluation.external.program import with_main
from worldline.evaluation.external.scored import score
from worldline.evaluation.run.directory import newest, verify
from worldline.evaluation.run.run import run
from worldline.evaluation.run.truth import RunEnd, truth
from worldline.evaluation.score import judge
from worldline.evaluation.suites.suite import Suite, Task
from worldline.predict.interpreter import Interpreter
from worldline.predict.prediction import Prediction
from worldline.recording.recorder import record
from worldline.ui.terminal.suite_report import print_report

CODE = "def f(s, n):\n    t = s * n\n    u = t[1:]\n    return u\n"
ROWS = [
    {"code": CODE, "input": f"'ab{n}', {n + 1}", "output": repr((f"ab{n}" * (n + 1))[1:]), "id": f"sample_{n}"}
    for n in range(9)
]
END = "<|end_of_text|>"


@pytest.fixture(scope="module")
def true() -> dict[str, str]:
    """The true text of each row, without its prompt."""
    found = {}
    for row in ROWS:
        trace = record(Program(source=CODE, call=f"f({row['input']})"))
        given = cwm.prompt(CODE, cwm.entry_line(trace))
        found[row["id"]] = cwm.encode(trace).removeprefix(given)
    return found


@pytest.fixture
def crux(tmp_path: Path) -> Path:
    path = tmp_path / "crux.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


def dump(tmp_path: Path, outputs: dict[str, str], **more: str) -> Path:
    path = tmp_path / "dump.jsonl"
    path.write_text(
        "".join(json.dumps({"id": name, "generation": text, **more}) + "\n" for name, text in outputs.items())
    )
    return path


def stripped(text: str) -> str:
    """As a dump that was decoded without special tokens reads."""
    for name in TOKENS:
        text = text.replace(f"<|{name}|>", "\n" if name == "frame_sep" else "")
    return text


def outputs(true: dict[str, str]) -> dict[str, str]:
    """One output of each kind."""
    names = list(true)
    texts = list(true.values())
    return {
        names[0]: texts[0],
        names[1]: stripped(texts[1]),
        names[2]: texts[2][: len(texts[2]) // 2],
        names[3]: texts[3].removesuffix(END) + texts[3],
        names[4]: "",
        names[5]: "I think that the answer is hard to say.",
        names[6]: texts[6].replace("b6ab6", "b6xb6"),
        names[7]: texts[7],
    }


def test_each_kind_of_output_has_its_own_row(tmp_path: Path, crux: Path, true: dict[str, str]) -> None:
    found = score("crux", dump(tmp_path, outputs(true)), data=crux, out=tmp_path / "run")
    assert found.n == 8
    endings = {name: (part.answer.right, part.answer.n) for name, part in found.by_ending.items()}
    assert endings["whole"] == (3, 4)
    assert {"truncated", "run-on", "empty", "malformed"} <= endings.keys()
    assert all(endings[name][1] == 1 for name in ("truncated", "run-on", "empty", "malformed"))
    assert found.causes["empty"].n == found.causes["malformed"].n == found.causes["wrong value"].n == 1
    assert found.causes["budget, right up to the cut"].n == 1
    assert found.all.answer.truncated == 1
    assert verify(tmp_path / "run") > 0
    records = list(newest(tmp_path / "run").values())
    assert {record.found.codec for record in records} == {"cwm"}
    assert records[0].truth.decode() == true["sample_0"]


def test_a_scored_file_is_a_run_that_compares(tmp_path: Path, crux: Path, true: dict[str, str]) -> None:
    score("crux", dump(tmp_path, outputs(true)), data=crux, out=tmp_path / "one")
    better = outputs(true) | {"sample_4": true["sample_4"]}
    score("crux", dump(tmp_path, better), data=crux, out=tmp_path / "two")
    found = compare(tmp_path / "one", tmp_path / "two")
    assert [(flip.name, flip.is_lost, flip.cause) for flip in found.flips] == [("sample_4", False, "empty")]


def test_rows_that_show_their_program_need_no_data(tmp_path: Path, true: dict[str, str]) -> None:
    rows = [{**row, "expected": row["output"], "generation": true[row["id"]], "output": None} for row in ROWS[:3]]
    path = tmp_path / "own.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = score("crux", path)
    assert (found.n, found.disagrees, found.all.trace.right) == (3, 0, 3)
    rows[1]["expected"] = "'other'"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = score("crux", path)
    assert (found.n, found.disagrees, found.all.trace.right) == (3, 0, 3)
    assert found.as_json()["causes"] == {"scorer artefact": {"n": 1, "answer": 0, "trace": 0}}


def test_a_file_without_programs_is_refused(tmp_path: Path, true: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="--data"):
        score("crux", dump(tmp_path, {"sample_0": "no trace at all"}))
    with pytest.raises(UsageError, match="a suite is one of"):
        score("chess", dump(tmp_path, {"sample_0": "x"}))


def test_an_answer_beside_the_trace(tmp_path: Path, crux: Path, true: dict[str, str]) -> None:
    """What another scorer took for the answer: its mistake is seen, and it counts where there is no trace."""
    path = tmp_path / "said.jsonl"
    rows = [
        {"id": "sample_1", "generation": true["sample_1"], "answer": "'b1ab1'"},
        {"id": "sample_2", "generation": true["sample_2"], "answer": "nonsense"},
        {"id": "sample_3", "generation": "No trace: it is clear.", "answer": '"b3ab3ab3ab3"'},
        {"id": "sample_4", "generation": "No trace: it is clear.", "answer": "'b4'"},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    seen: dict[str, Any] = {}
    score("crux", path, data=crux, out=tmp_path / "run")
    for each in newest(tmp_path / "run").values():
        seen[each.name] = (each.judged["answer"], each.judged["trace"], each.judged["cause"])
    assert seen["sample_1"] == ("right", "right", "")
    assert seen["sample_2"] == ("right", "right", "scorer artefact")
    assert seen["sample_3"][:2] == ("right", "malformed")
    assert seen["sample_4"][:2] == ("wrong", "malformed")


def test_the_models_own_answer_is_judged_beside_its_trace(tmp_path: Path, crux: Path, true: dict[str, str]) -> None:
    """`[ANSWER]` behind a trace: right, miscopied, or not what the file's scorer made of it."""
    path = tmp_path / "own.jsonl"
    own = "{}[ANSWER]{}[/ANSWER]".format
    rows = [
        {"id": "sample_1", "generation": own(true["sample_1"], "'b1ab1'"), "answer": "'b1ab1'"},
        {"id": "sample_2", "generation": own(true["sample_2"], "'b2ab'")},
        {"id": "sample_3", "generation": own(true["sample_3"], "'b3ab3ab3ab3'"), "answer": "b3ab3"},
        {"id": "sample_4", "generation": true["sample_4"], "passed": False},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = score("crux", path, data=crux, out=tmp_path / "run")
    records = {each.name: each for each in newest(tmp_path / "run").values()}
    causes = {name: each.judged["cause"] for name, each in records.items()}
    assert list(causes.values()) == ["", "answer miscopied", "scorer artefact", "scorer artefact"]
    assert [each.said for each in records.values()] == ["right", "wrong", "right", None]
    assert (found.said.n, found.said.right) == (3, 2)
    assert found.as_json()["said"]["right"] == 2
    assert cause(records["sample_2"].sample()).name == "answer miscopied"  # diagnosed again
    out = io.StringIO()
    print_report(Console(file=out, width=120), found)
    assert "separate answer" in out.getvalue()
    again = score("crux", path, data=crux, out=tmp_path / "run")
    assert (again.said, again.causes) == (found.said, found.causes)


def test_the_command_and_its_table(
    tmp_path: Path, crux: Path, true: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    path = dump(tmp_path, outputs(true))
    verbs.score.main(["crux", str(path), "--data", str(crux), "--json"], standalone_mode=False)
    found = json.loads(capsys.readouterr().out)
    assert (found["suite"], found["model"], found["n"]) == ("crux", "dump.jsonl", 8)
    assert found["causes"]["empty"] == {"n": 1, "answer": 1, "trace": 1}
    out = io.StringIO()
    print_report(Console(file=out, width=120), score("crux", path, data=crux))
    assert "cause of failure" in out.getvalue()
    assert "run-on answer" in out.getvalue()


# ---- Meta's format as a predictor writes it


@pytest.mark.parametrize("name", ["permutation", "generated", "composition", "horizon"])
def test_the_interpreter_is_perfect_in_metas_format_too(name: str) -> None:
    found = run(suites.load(name), Interpreter(codec="cwm"), limit=8)
    assert (found.n, found.all.answer.right, found.all.trace.right) == (8, 8, 8)


def judged(program: Program, change: tuple[str, str] | None = None, status: str = "ended") -> tuple[str, str]:
    """The two outcomes of the true text, changed so."""
    task = Task(program=program)
    true = truth(task, record(program))
    assert true is not None
    text = true.text_in("cwm").decode()
    assert change is None or change[0] in text
    found = text.replace(*change) if change else text
    verdict = judge(task, true, Prediction(text=found.encode(), status=status, codec="cwm"))
    assert (verdict.cause == "") == (verdict.answer == verdict.trace == "right")
    return verdict.answer, verdict.trace


F = Program(source=CODE, call="f('ab', 2)")


@pytest.mark.parametrize(
    ("change", "status", "expected"),
    [
        pytest.param(None, "ended", ("right", "right"), id="true"),
        pytest.param(('"u": "', '"u": "\'x\' '), "ended", ("right", "wrong"), id="a wrong value on the way"),
        pytest.param(("<|arg_sep|>\"'bab'\"", "<|arg_sep|>\"'baa'\""), "ended", ("wrong", "wrong"), id="answer"),
        pytest.param(("'bab'", '\\"bab\\"'), "ended", ("right", "right"), id="another spelling"),
        pytest.param((END, ""), "budget", ("truncated", "truncated"), id="cut"),
        pytest.param((END, ""), "ended", ("right", "right"), id="an end that the server keeps"),
        pytest.param(("<|return_sep|>", END), "ended", ("malformed", "malformed"), id="stopped of itself"),
        pytest.param((END, "tail"), "budget", ("malformed", "malformed"), id="not the format"),
    ],
)
def test_outcomes_in_metas_format(change: tuple[str, str] | None, status: str, expected: tuple[str, str]) -> None:
    assert judged(F, change, status) == expected


def test_an_exception_is_an_answer_in_metas_format() -> None:
    program = Program(source="def f(x):\n    return 1 // x\n", call="f(0)")
    assert judged(program) == ("right", "right")
    assert judged(program, ("ZeroDivisionError", "ValueError")) == ("wrong", "wrong")


def test_a_handled_exception_is_not() -> None:
    source = "def f(x):\n    try:\n        1 // x\n    except ZeroDivisionError:\n        pass\n"
    program = Program(source=source, call="f(0)")
    task, trace = Task(program=program), record(program)
    true = truth(task, trace)
    assert true is not None
    assert true.answer == RunEnd("return", "None")
    assert judged(program) == ("right", "right")


def test_a_script_in_metas_format_is_judged_by_its_trace() -> None:
    program = Program(source="x = 2\nprint(x)\n")
    assert judged(program) == ("right", "right")
    assert judged(program, ('"x": "2"', '"x": "3"')) == ("wrong", "wrong")


def test_the_budget_follows_the_notation() -> None:
    limits: dict[str, int] = {}

    class Asked(Interpreter):
        def predict(self, asks: Any, /) -> Any:
            limits[self.codec] = asks[0].limit
            return super().predict(asks)

    for codec in ("compact", "cwm"):
        run(Suite(name="one", tasks=[Task(program=F)]), Asked(codec=codec))
    assert limits["cwm"] > 2 * limits["compact"] - 512


MANY = {
    "comprehension": ("def f(xs):\n    return [x * 2 for x in xs if x]\n", "[1, 0, 3]"),
    "generator": ("def f(n):\n    t = 0\n    for x in (i * i for i in range(n)):\n        t += x\n    return t\n", "4"),
    "raised": ("def f(d):\n    try:\n        return d['x']\n    except KeyError:\n        return 'none'\n", "{}"),
    "non-ASCII": ('def f(s):\n    """a \u2264 b"""\n    return s.upper() + "\u2264"\n', "'\u00e9a'"),
    "nested": ("def g(s):\n    return s[::-1]\ndef f(s):\n    return g(s) + g(s)\n", "'a b'"),
}


def test_outputs_that_lost_their_special_tokens_are_right_without_conversion(tmp_path: Path) -> None:
    """As `skip_special_tokens` leaves the truth: nothing in the place of a token, and the call made by a `main`."""
    rows, texts = [], []
    for name, (code, given) in MANY.items():
        program = with_main(Program(source=code, call=f"f({given})"))
        trace = record(program)
        text = cwm.encode(trace).removeprefix(cwm.prompt(program.source, cwm.entry_line(trace)))
        for token in TOKENS:
            text = text.replace(f"<|{token}|>", "")
        assert "<|" not in text
        rows.append({"id": name, "code": code, "input": given, "output": trace.outcome.detail})
        texts.append({"id": name, "generation": text})
    data, path = tmp_path / "crux.jsonl", tmp_path / "stripped.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    path.write_text("".join(json.dumps(row) + "\n" for row in texts))
    with pytest.raises(UsageError, match=r"cruxeval\.jsonl of https://github\.com/facebookresearch/cruxeval"):
        score("crux", path)
    report = score("crux", path, data=data)
    assert (report.n, report.all.answer.right, report.all.trace.right) == (len(MANY),) * 3


def test_a_row_without_a_program_is_named(tmp_path: Path, true: dict[str, str]) -> None:
    path = tmp_path / "some.jsonl"
    rows = [{"id": "a", "generation": true["sample_0"]}, {"id": "b", "generation": "x", **ROWS[0]} | {"id": "b"}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    told: list[tuple[int, int]] = []
    report = score("crux", path, progress=lambda done, of: told.append((done, of)))
    (why,) = report.left_out
    assert why.startswith("no program")
    assert report.left_out[why] == ("a",)
    assert told == [(0, 1), (1, 1)]
    out = io.StringIO()
    print_report(Console(file=out, width=200), report)
    assert f"not counted, {why}: 1: a" in out.getvalue()

"""Outputs made elsewhere: files of any shape, fields of any name, and what each text is, in a column of its own."""

from __future__ import annotations

import gzip
import html
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline.codec.cwm.external.reading import read as read_foreign
from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.diagnose.diagnosis import Diagnosis
from worldline.diagnose.sample import Sample
from worldline.evaluation.external.predictions import NOTES, ExternalPrediction, read_predictions
from worldline.evaluation.external.program import from_prompt, with_main
from worldline.evaluation.external.rows import FIELDS, read_rows
from worldline.predict.interpreter import Interpreter
from worldline.predict.prediction import PredictionRequest

CODE = "def f(text):\n    out = [c.upper() for c in text]\n    return ''.join(out)"
TRACE = """\
{}def main(): # << START_OF_TRACE
{}    return f('ab')
{"text": "'ab'"}def f(text):
{"text": ".."}    out = [c.upper() for c in text]
{".0": "<str_iterator object>"}    out = [c.upper() for c in text]
{".0": ".."}    out = [c.upper() for c in text]
{".0": "..", "c": "'a'"}    out = [c.upper() for c in text]
{".0": "..", "c": "'b'"}    out = [c.upper() for c in text]
    out = [c.upper() for c in text]
"['A', 'B']"{"text": "'ab'", "out": "['A', 'B']"}    return ''.join(out)
    return ''.join(out)
"'AB'"    return f('ab')
"'AB'\""""
ANSWERED = TRACE + "\n\nNow let us analyze the trace.\n\n[ANSWER]\nassert f('ab') == 'AB'\n[/ANSWER]"
PROMPT = f"""\
You are a computational world model.
1. The execution trace prediction starts with the <|trace_context_start|> token and ends with <|frame_sep|>.
We indicate the entry point of the execution trace with a # << START_OF_TRACE marker.

def f(a,b):
    return a

def main(): # << START_OF_TRACE
    return f(1,3)

<|frame_sep|><|call_sep|>{{}}<|action_sep|>def main(): # << START_OF_TRACE
<|frame_sep|>

Now solve this problem:

Python function:
{CODE}
assert f('ab') == ??

We indicate the entry point of the execution trace with a # << START_OF_TRACE marker.

{CODE}

def main(): # << START_OF_TRACE
    return f('ab')

"""
STUCK = TRACE.partition('{".0": "..", "c"')[0] + '{".0": ".."}    out = [c.upper() for c in text]\n' * 50
ROW = {"id": "sample_1", "code": CODE, "input": "'ab'", "output": "'AB'", "generation": ANSWERED}


def _write(path: Path, value: Any, *, lines: bool = True) -> Path:
    rows = value if lines else [value]
    path.write_text("\n".join(json.dumps(row) for row in rows))
    return path


def _one(tmp_path: Path, row: Any, **options: Any) -> ExternalPrediction:
    (found,) = read_predictions(_write(tmp_path / "rows.jsonl", [row]), **options)
    return found


def _agrees(found: ExternalPrediction) -> None:
    """The frames are those of the interpreter, in the same notation, value for value."""
    assert found.program is not None
    ask = PredictionRequest(program=found.program)
    (truth,) = Interpreter(codec="cwm").predict([ask])
    diagnosis = Diagnosis(Sample(ask=ask, truth=truth, found=found.prediction))
    assert diagnosis.divergences == ()
    assert diagnosis.found == diagnosis.truth
    assert diagnosis.truth.ended


def test_a_row_with_code_and_input(tmp_path: Path) -> None:
    found = _one(tmp_path, ROW)
    assert (found.id, found.note, found.codec, found.answer, found.expected) == (
        "sample_1", "whole", "cwm", "'AB'", "'AB'",
    )  # fmt: skip
    assert found.program == Program(source=f"{CODE}\n\ndef main():\n    return f('ab')\n", call="main()")
    assert found.prediction.status == "ended"
    _agrees(found)


def test_a_row_with_nothing_but_its_prompt(tmp_path: Path) -> None:
    for text in (TRACE, PROMPT + TRACE):
        found = _one(tmp_path, {"task_id": 7, "prompt": PROMPT, "response": text})
        assert (found.id, found.note, found.answer) == ("7", "whole", None)
        _agrees(found)


def test_the_prompt_says_what_the_model_saw(tmp_path: Path) -> None:
    found = _one(tmp_path, ROW | {"code": CODE.replace("upper", "lower"), "prompt": PROMPT})
    assert found.program is not None
    assert "upper" in found.program.source
    main = "def main():  # << START_OF_TRACE\n    return f('ab')\n"
    tagged = f"<|begin_of_text|><|trace_context_start|>{CODE}\n\n{main}<|frame_sep|>"
    assert from_prompt(tagged) == found.program
    assert from_prompt("# << START_OF_TRACE") is None
    assert from_prompt(tagged.replace("main()", "main(x)")) is None


def test_a_program_by_id(tmp_path: Path) -> None:
    known = Program(source=CODE + "\n", call="f('ab')")
    found = _one(tmp_path, {"id": "a", "trace": TRACE}, programs={"a": known}.get)
    assert found.program == with_main(known)
    _agrees(found)
    direct = "\n".join(TRACE.split("\n")[2:-1]).rpartition("    return f")[0]
    found = _one(tmp_path, {"id": "a", "trace": direct}, programs={"a": known}.get)
    assert found.program == known
    _agrees(found)
    assert _one(tmp_path, {"id": "b", "trace": TRACE}, programs={"a": known}.get).note == "no program"


@pytest.mark.parametrize(
    ("text", "note", "status"),
    [
        (TRACE, "whole", "ended"),
        (ANSWERED + "\n\nNow solve this problem:\n", "run-on", "ended"),
        (TRACE[:300], "truncated", "budget"),
        (TRACE[:300] + "\nI give up.\n\n", "malformed", "ended"),
        (STUCK, "repetition", "budget"),
        ("", "empty", "empty"),
        (None, "empty", "empty"),
        ("The answer is 'AB'.", "malformed", "ended"),
    ],
)  # fmt: skip
def test_each_way_to_fail_has_its_note(tmp_path: Path, text: str | None, note: str, status: str) -> None:
    found = _one(tmp_path, ROW | {"generation": text})
    assert (found.note, found.prediction.status) == (note, status)
    assert found.note in NOTES
    assert bool(found.detail) == (note in ("run-on", "malformed", "repetition"))


def test_compact_text_stays_compact(tmp_path: Path) -> None:
    program = Program(source=CODE + "\n", call="f('ab')")
    (truth,) = Interpreter().predict([PredictionRequest(program=program)])
    text = truth.text.decode()
    found = _one(tmp_path, {"id": "a", "text": text, "code": CODE, "input": "'ab'"})
    assert (found.codec, found.note, found.text) == ("compact", "whole", truth.text)
    cut = text[: text.rindex("\n", 0, -3) + 1]
    assert _one(tmp_path, {"id": "a", "text": cut, "code": CODE, "input": "'ab'"}).note == "truncated"
    found = _one(tmp_path, {"id": "a", "text": text + "1|def g():\n", "code": CODE, "input": "'ab'"})
    assert (found.codec, found.note, found.text) == ("compact", "run-on", truth.text)
    spoilt = text.replace("\n3\n", "\n3 and so on\n")
    found = _one(tmp_path, {"id": "a", "text": spoilt, "code": CODE, "input": "'ab'"})
    assert (found.codec, found.note, found.text) == ("compact", "malformed", spoilt.encode())


def test_files_of_every_shape(tmp_path: Path) -> None:
    second = ROW | {"id": "sample_2"}
    shapes = {
        "lines.jsonl": "\n".join(json.dumps(row) for row in (ROW, second)) + "\n",
        "array.json": json.dumps([ROW, second], indent=2),
        "keyed.json": json.dumps({row["id"]: {k: row[k] for k in row if k != "id"} for row in (ROW, second)}),
        "summary.json": json.dumps({"pass_at_1": 0.5, "n": 2, "results": [ROW, second]}),
    }
    for name, text in shapes.items():
        plain, packed = tmp_path / name, tmp_path / f"{name}.gz"
        plain.write_text(text)
        packed.write_bytes(gzip.compress(text.encode()))
        for path in (plain, packed):
            found = read_predictions(path)
            assert [(row.id, row.note) for row in found] == [("sample_1", "whole"), ("sample_2", "whole")], name
    one = _write(tmp_path / "one.json", ROW, lines=False)
    assert [row.id for row in read_predictions(one)] == ["sample_1"]


def test_a_summary_of_nothing_but_its_rows(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_text(json.dumps({"results": [{"id": "a", "code": CODE, "input": "'ab'", "raw_output": TRACE}]}))
    (row,) = read_rows(path)
    assert (row.id, row.text) == ("a", TRACE)
    path.write_text(json.dumps({"a": [{"raw_output": TRACE}], "b": [{"raw_output": TRACE}]}))
    assert [row.id for row in read_rows(path)] == ["a", "b"]


def test_several_generations(tmp_path: Path) -> None:
    known = {"sample_1": Program(source=CODE + "\n", call="f('ab')")}
    choices = [{"message": {"content": TRACE}}, {"text": TRACE[:100]}]
    for value in ({"sample_1": [TRACE, TRACE[:100]]}, [{"id": "sample_1", "choices": choices}]):
        path = _write(tmp_path / "many.json", value, lines=False)
        found = read_predictions(path, programs=known.get)
        assert [(row.id, row.sample, row.note) for row in found] == [
            ("sample_1", 0, "whole"), ("sample_1", 1, "truncated"),
        ]  # fmt: skip


def test_fields_by_other_names(tmp_path: Path) -> None:
    row = {"key": "a", "body": CODE, "given": "'ab'", "should": "'AB'", "said": TRACE, "generation": "other"}
    names = {"id": "key", "code": "body", "input": "given", "expected": "should", "text": "said"}
    found = _one(tmp_path, row, fields=names)
    assert (found.id, found.note, found.expected) == ("a", "whole", "'AB'")
    with pytest.raises(UsageError, match="unknown role nonsense"):
        _one(tmp_path, row, fields={"nonsense": "x"})


def test_output_is_the_text_only_where_something_else_is_expected(tmp_path: Path) -> None:
    (row,) = read_rows(_write(tmp_path / "a.jsonl", [{"id": 1, "expected": "'AB'", "output": TRACE}]))
    assert (row.text, row.roles["expected"]) == (TRACE, "'AB'")
    rows = [{"id": 1, "code": CODE, "output": "'AB'"}, {"id": 2, "code": CODE, "output": "'AB'", "text": TRACE}]
    first, second = read_rows(_write(tmp_path / "b.jsonl", rows))
    assert (first.text, first.roles["expected"]) == ("", "'AB'")
    assert (second.text, second.roles["expected"]) == (TRACE, "'AB'")


def test_a_field_of_unknown_name_is_no_empty_output(tmp_path: Path) -> None:
    row = {"id": 1, "code": CODE, "input": "'ab'", "output": "'AB'", "imagined": TRACE}
    with pytest.raises(UsageError, match="id, code, input, output, imagined"):
        _one(tmp_path, row)
    assert _one(tmp_path, row, fields={"text": "imagined"}).note == "whole"


def test_a_solution_stands_behind_its_prompt(tmp_path: Path) -> None:
    head, _, body = CODE.partition("\n")
    row = {"task_id": "HumanEval/0", "prompt": head + "\n", "canonical_solution": body, "input": "'ab'"}
    found = _one(tmp_path, row | {"generation": TRACE})
    assert (found.note, found.program) == ("whole", with_main(Program(source=CODE + "\n", call="f('ab')")))


@pytest.mark.parametrize("known", [True, False])
def test_a_new_problem_behind_the_trace_is_not_the_one_that_was_asked(tmp_path: Path, known: bool) -> None:
    program = with_main(Program(source=CODE + "\n", call="f('ab')"))
    (truth,) = Interpreter(codec="cwm").predict([PredictionRequest(program=program)])
    shown = "<|begin_of_text|><|trace_context_start|>"
    asked = shown + program.source.replace("main():", "main(): # << START_OF_TRACE") + "<|frame_sep|>"
    other = f"{shown}def main(): # << START_OF_TRACE\n    return 7\n<|frame_sep|><|call_sep|>{{}}<|action_sep|>"
    text = truth.text.decode() + other
    row = {"id": "a", "generation": text if known else asked + text}
    found = _one(tmp_path, row, programs=({"a": program} if known else {}).get)
    assert (found.note, found.program, found.text) == ("run-on", program, truth.text)


def test_a_failure_report(tmp_path: Path) -> None:
    page = (
        '<!DOCTYPE html><html><table><tr id="row-sample_1"><td><pre>code</pre></td><td>'
        "<span>Expected: <strong>&#x27;AB&#x27;</strong></span><br>"
        "<span>Predicted: <strong>None</strong></span></td></tr>"
        '</table><details id="raw-sample_1"><summary>x</summary><h4>Prompt:</h4><pre class="prompt">'
        f"{html.escape(PROMPT)}</pre><h4>Output:</h4><pre>{html.escape(ANSWERED)}</pre></details>"
        f'<details id="raw-sample_2"><pre class="prompt">{html.escape(PROMPT)}</pre><pre></pre></details></html>'
    )
    path = tmp_path / "report.html"
    path.write_text(page)
    first, second = read_predictions(path)
    assert (first.id, first.note, first.expected, first.answer) == ("sample_1", "whole", "'AB'", "None")
    assert (second.id, second.note) == ("sample_2", "empty")
    _agrees(first)


@pytest.mark.parametrize("data", [b"", b"\n", b"{", b"\xff", b"\x1f\x8bnot", b"[]", b"<html></html>"])
def test_an_unreadable_file_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "bad"
    path.write_bytes(data)
    with pytest.raises(UsageError):
        read_predictions(path)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from([name for names in FIELDS.values() for name in names]) | st.text(max_size=3),
            inner,
            max_size=4,
        )
    ),
)


@given(JSON)
def test_any_rows_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, value: Any) -> None:
    path = tmp_path_factory.mktemp("any") / "rows.json"
    path.write_text(json.dumps(value))
    try:
        found = read_predictions(path)
    except UsageError:
        return
    assert all(row.note in NOTES and row.prediction.text is not None for row in found)


@given(st.text(max_size=300))
def test_any_text_of_a_program(text: str) -> None:
    assert read_foreign(text, Program(source=CODE, call="f('ab')")).kind in NOTES

"""The diagnosis of programs in other languages than Python."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from foreign_runs import LANGUAGES, foreign_run, give_tables, trace_of

from worldline.analyze.flow.line_words import decision, may_change, on_line
from worldline.analyze.flow.table import read_table
from worldline.analyze.rewrite import rewrite, rewrite_program
from worldline.codec.compact.prompt import Compact
from worldline.codec.cwm import writer as cwm
from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.diagnose.blame.executed import executed_operations
from worldline.diagnose.diagnosis import Diagnosis
from worldline.diagnose.interventions import INTERVENTIONS, Unfit, other_format, plan
from worldline.diagnose.sample import Sample
from worldline.predict import table
from worldline.predict.interpreter import Interpreter
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.scratchpad import MODES, Scratchpad, fold_text

pytestmark = pytest.mark.unit

CODECS = ("compact", "cwm")
GENERIC = {"", "argument", "call", "exception", "condition", "iteration", "output", "yield"}


@pytest.fixture(autouse=True)
def known_tables(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The tables that guests would make, without a box: what reads them is under test, not who makes them."""
    give_tables(monkeypatch)
    yield
    table.table_of.cache_clear()


def diagnosed(trace: Trace, *changes: tuple[str, str], codec: str = "compact", status: str = "ended") -> Diagnosis:
    """The truth and a prediction that is it but for these changes."""
    if codec == "compact":
        text = b"".join(_steps(trace))
    else:
        text = cwm.encode(trace).removeprefix(cwm.prompt_of(trace)).encode()
    result = text
    for old, new in changes:
        assert old.encode() in result, (old, result)
        result = result.replace(old.encode(), new.encode(), 1)
    ask = PredictionRequest(program=trace.program)
    truth = Prediction(text=text, status="ended", codec=codec)
    record = _no_run
    return Diagnosis(
        Sample(ask=ask, truth=truth, found=Prediction(text=result, status=status, codec=codec)), record, record
    )


def _steps(trace: Trace) -> Iterator[bytes]:
    from worldline.codec.compact.writer import encode_steps

    yield encode_steps(trace)


def _no_run(program: Program) -> Trace:
    raise AssertionError("nothing is run again for this")


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_truth_is_right(language: str, codec: str) -> None:
    result = diagnosed(foreign_run(language).trace, codec=codec)
    assert (result.cause.name, result.divergences, result.answer) == ("right", (), True)
    assert executed_operations(result) == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_wrong_value_is_put_down_to_its_line(language: str) -> None:
    result = diagnosed(foreign_run(language).trace, (" sum=8", " sum=9"))
    why, first = result.cause, result.first
    assert (why.name, why.operation, why.type) == ("wrong value", "", "int")
    assert first is not None
    assert (first.name, first.wanted, first.got, first.line) == ("sum", "8", "9", 7)
    assert why.evidence == "sum is 8, predicted 9, computed by `sum += twice(xs[i]);`"
    assert executed_operations(result) == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_wrong_value_in_metas_notation(language: str) -> None:
    result = diagnosed(foreign_run(language).trace, ('"sum": "8"', '"sum": "9"'), codec="cwm")
    assert (result.cause.name, result.cause.operation, result.cause.type) == ("wrong value", "", "int")
    assert result.cause.evidence == "sum is 8, predicted 9, computed by `sum += twice(xs[i]);`"
    assert result.first is not None
    assert result.first.line == 6


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_loop_that_continues_is_named_by_its_line(language: str) -> None:
    result = diagnosed(foreign_run(language).trace, ("6 -i\n9\n", "6 i=2\n7\n")).cause
    assert (result.name, result.operation) == ("wrong action", "iteration")
    assert result.detail.startswith("for ")
    assert "line 6 decides by" in result.evidence


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_another_line_where_nothing_decides(language: str, codec: str) -> None:
    changes = {
        "compact": ("5 sum=0\n6 ", "5 sum=0\n9 "),
        "cwm": (
            '"sum": "0"}<|action_sep|>' + foreign_run(language).program.source.split("\n")[5],
            '"sum": "0"}<|action_sep|>' + foreign_run(language).program.source.split("\n")[8],
        ),
    }
    result = diagnosed(foreign_run(language).trace, changes[codec], codec=codec).cause
    assert (result.name, result.detail, result.operation) == ("wrong action", "next line", "")
    assert result.evidence.startswith("after line 5, next is `line 6")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_call_that_is_missed_is_named_by_its_function(language: str) -> None:
    run = foreign_run(language)
    start = run.steps.index(b"(1 ")
    inner = run.steps[start : run.steps.index(b" sum=6")]
    result = diagnosed(run.trace, ("7\n" + inner.decode() + " sum=6", "7 sum=6")).cause
    assert (result.name, result.detail, result.operation) == ("wrong action", "call missed", "call")
    assert "twice is called (line 1)" in result.evidence


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_change_that_is_missed_or_invented(language: str) -> None:
    missed = diagnosed(foreign_run(language).trace, ("5 sum=0\n", "5\n")).cause
    assert (missed.name, missed.operation) == ("missed change", "")
    invented = diagnosed(foreign_run(language).trace, ("9\n", "9 i=7\n")).cause
    assert (invented.name, invented.operation) == ("invented change", "")


def test_a_source_that_reads_as_python_has_no_operations_of_python() -> None:
    source = "a = [1, 2]\nb = a[0] + a[1]\nif (b > 2): c = 1\nd = id(b)\n"
    trace = trace_of(Program(source=source, name="a.js"), b"(1\n1 a=[1, 2]\n2 b=3\n3 c=1\n4 d=5\n)None\n.\n")
    for old, new in (("b=3", "b=4"), ("d=5", "d=6"), ("a=[1, 2]", "a=[1, 3]"), ("3 c=1", "3\n3 c=1")):
        result = diagnosed(trace, (old, new))
        assert result.cause.operation in GENERIC
        assert result.cause.name != "could not be known"
        assert executed_operations(result) == {}


def test_only_another_run_shows_what_could_not_be_known() -> None:
    source = "int x = rand();\nint y = 2;\n"
    program = Program(source=source, name="a.c", call="main()")
    item = trace_of(program, b"(1\n1 x=5\n2 y=2\n)0\n.\n")
    other = trace_of(program, b"(1\n1 x=7\n2 y=2\n)0\n.\n")
    sample = diagnosed(item, ("x=5", "x=6")).sample
    result = Diagnosis(sample, None, lambda program: other).cause
    assert (result.name, result.detail) == ("could not be known", "something outside the program")
    assert Diagnosis(sample, None, lambda program: item).cause.name == "wrong value"
    assert Diagnosis(sample).cause.name == "wrong value"


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_interventions_apply_or_give_a_reason(language: str, codec: str) -> None:
    change = (" sum=8", " sum=9") if codec == "compact" else ('"sum": "8"', '"sum": "9"')
    result = diagnosed(foreign_run(language).trace, change, codec=codec)
    for intervention in INTERVENTIONS:
        try:
            built = plan(intervention, result, codec=codec)
        except Unfit as unfit:
            text = str(unfit)
        else:
            assert intervention in ("repair", "format", "queries")
            assert built.ask.program == result.sample.ask.program
            continue
        if intervention in ("flatten", "chars"):
            assert "only Python can be rewritten" in text
    assert other_format(result.sample) == (Compact() if codec == "cwm" else Compact(delta="element"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_guard_sees_where_the_control_flow_was_left(language: str) -> None:
    result = diagnosed(foreign_run(language).trace, ("6 i=0\n7\n", "6 i=0\n5\n"))
    built = plan("guard", result, codec="compact")
    assert built.ask.given.endswith(b"6 i=0\n")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_scratchpad_is_refused(language: str) -> None:
    run = foreign_run(language)
    for mode in MODES:
        if mode == "none":
            continue
        with pytest.raises(UsageError, match="a scratchpad rewrites only Python"):
            list(Scratchpad(Interpreter(), mode).predict([PredictionRequest(program=run.program)]))
    assert fold_text(run.program, Compact(), run.steps) == run.steps
    assert rewrite_program(run.program, flatten=True) == run.program
    done = rewrite("x = f(g(1))\n", flatten=True, language=language)
    assert not done.changed
    assert "only Python can be rewritten" in done.why


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("  for (int i = 0; i < n; i++) {", "iteration"), ("} while (x > 0);", "iteration"),
        ("'outer: loop {", "iteration"),
        ("    while let Some(x) = it.next() {", "iteration"), ("outer: for (;;) {", "iteration"), ("do {", "iteration"),
        ("if (x) {", "condition"), ("    } else if (y) {", "condition"), ("switch (x) {", "condition"),
        ("match x {", "condition"), ("x = 1;", None), ("form(3);", None), ("iffy = 2;", None), ("} else {", None),
    ],
)  # fmt: skip
def test_what_a_line_decides(text: str, name: str | None) -> None:
    result = decision(text)
    assert (None if result is None else result.name) == name


@pytest.mark.parametrize(
    ("text", "does"),
    [
        ("x = 1;", True), ("x += y;", True), ("x++;", True), ("++x;", True), ("x.push(3);", True), ("x[2] = 1;", True),
        ("let x = 2;", True), ("for (const x of xs) {", True), ("for x in 0..3 {", True), ("x->next = y;", True),
        ("scanf(&x);", True), ("grow(&mut x);", True), ("f(x);", False), ("if (x == 1) {", False), ("y = x;", False),
        ("return x;", False), ("box = 1;", False), ("a.x = 1;", False), ("$x = 1;", False), ("x => x + 1", False),
    ],
)  # fmt: skip
def test_whether_a_line_changes_a_name(text: str, does: bool) -> None:
    assert may_change(text, "x") == does


def test_a_line_is_quoted() -> None:
    result = on_line("    sum += twice(xs[i], $y);")
    assert (result.name, result.text) == ("", "sum += twice(xs[i], $y);")
    assert result.operands == {"sum", "twice", "xs", "i", "$y"}


def test_tables_are_read_once() -> None:
    program = foreign_run("c").program
    assert table.table_of(program) is table.table_of(program)
    assert table.table_of(Program(source="x = 1\n")) is None
    assert read_table(json.dumps(foreign_run("c").table).encode()).flows[0].name == "twice"

"""An example of each cause: a true recording and a prediction with one error."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recorded import COPIES, COUNT, EXCEPTIONS, FACT, PROGRAMS, SHARED, sample, truth, why
from tiers import examples

from worldline.codec.compact.prompt import Compact
from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.diagnose.cause import CAUSES
from worldline.diagnose.diagnosis import Diagnosis, cause
from worldline.diagnose.sample import ReportedAnswer, Sample
from worldline.predict.interpreter import Interpreter
from worldline.predict.prediction import STATUSES, Prediction, PredictionRequest

CODECS = ("compact", "cwm")


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_the_truth_is_right(program: Program, codec: str) -> None:
    result = Diagnosis(sample(program, codec=codec))
    assert result.cause.name == "right"
    assert result.divergences == ()
    assert result.answer


# ---- wrong action ----


def test_a_misjudged_condition_is_named() -> None:
    # c == 'e' is taken for 'r'
    result = why(COUNT, ("3 c='e'\n4\n3", "3 c='e'\n4\n5 n=1\n3"))
    assert (result.name, result.detail, result.operation) == ("wrong action", "c == letter", "condition")
    assert "line 4" in result.evidence
    assert result.divergence is not None
    assert result.divergence.step == 6


def test_a_misjudged_condition_is_named_in_metas_notation() -> None:
    line = '<|line_sep|>{"n": ".."}<|action_sep|>'
    result = why(FACT, (f"{line}    r = fact(n - 1)", f"{line}        return 1"), codec="cwm")
    assert (result.name, result.detail, result.operation) == ("wrong action", "n < 2", "condition")


def test_a_loop_left_early_is_a_wrong_action() -> None:
    result = why(COUNT, ("3 c='y'\n4\n3\n6", "3\n6"))
    assert (result.name, result.operation) == ("wrong action", "iteration")
    assert result.detail == "c in word"


def test_a_while_loop_left_early_names_its_condition() -> None:
    result = why(EXCEPTIONS, ("11\n12 x=6\n11\n12 x=5\n11\n", "11\n12 x=6\n11\n"))
    assert (result.name, result.detail) == ("wrong action", "x > 5")


def test_an_exception_that_is_missed() -> None:
    for old, new in (
        ("7\n!KeyError('k')\n8 e=", "7 x=7\n8 e="),
        ("!KeyError('k')\n8 e=KeyError('k')\n9 x=7 -e", "9 x=7"),
    ):
        result = why(EXCEPTIONS, (old, new))
        assert (result.name, result.detail, result.operation) == ("wrong action", "exception missed", "exception")


def test_a_call_that_is_not_entered() -> None:
    result = why(SHARED, ("9\n(1 xs=[1, 2, 5]\n2 xs=[1, 2, 5, 9]\n3\n)4\n a=", "9 a="))
    assert (result.name, result.detail) == ("wrong action", "call missed")


def test_a_run_that_raises_instead_of_returning() -> None:
    result = Diagnosis(sample(COUNT, (")('erry', 'bexyxyyxy', 2)", ")!KeyError('k')")))
    assert result.divergences[0].what == "outcome"
    assert not result.answer
    assert (result.cause.name, result.cause.detail) == ("wrong action", "exception invented")


# ---- wrong values ----

OPERATIONS = [
    pytest.param(COUNT, "left='erry'", "left='rry'", "slice", "str", id="slice"),
    pytest.param(COUNT, "right='berryr'", "right='berrry'", "concatenation", "str", id="concatenation"),
    pytest.param(COUNT, "5 n=1", "5 n=3", "arithmetic", "int", id="augmented"),
    pytest.param(COUNT, "'bexyxyyxy', 2)", "'bexyyxyxy', 2)", "replace", "tuple", id="replace, in a tuple returned"),
    pytest.param(COUNT, "2 n=0", "2 n=5", "literal", "int", id="literal"),
    pytest.param(COUNT, "c='e'", "c='y'", "iteration", "str", id="loop variable"),
    pytest.param(FACT, "(1 n=2", "(1 n=7", "arithmetic", "int", id="argument of a call"),
    pytest.param(FACT, "(1 n=3", "(1 n=7", "argument", "int", id="argument of the first call"),
    pytest.param(FACT, "r=1", "r=8", "call", "int", id="what a call gave back"),
    pytest.param(FACT, ")6", ")8", "arithmetic", "int", id="returned"),
    pytest.param(COPIES, "s='xxxxx'", "s='xxxx'", "repetition", "str", id="repetition"),
    pytest.param(COPIES, "u='HELLO WORLD'", "u='HELLO wORLD'", "upper", "str", id="method"),
    pytest.param(COPIES, "LEH\\n'", "LE\\n'", "copy", "str", id="printed"),
    pytest.param(EXCEPTIONS, "*22", "*23", "literal", "int", id="yielded"),
    pytest.param(EXCEPTIONS, "'t': [1, 484]}", "'t': [1, 584]}", "copy", "dict", id="in a dict returned"),
    pytest.param(EXCEPTIONS, "!KeyError('k')", "!KeyError('a')", "exception", "exception", id="raised"),
]


@pytest.mark.parametrize(("program", "old", "new", "operation", "type_"), OPERATIONS)
def test_a_wrong_value_is_put_down_to_its_operation_and_type(
    program: Program, old: str, new: str, operation: str, type_: str
) -> None:
    result = why(program, (old, new))
    assert (result.name, result.operation, result.type) == ("wrong value", operation, type_), result


def test_a_wrong_value_in_metas_notation_is_put_down_to_the_line_before() -> None:
    result = why(COUNT, ('"left": "\'erry\'"', '"left": "\'rry\'"'), codec="cwm")
    assert (result.name, result.operation, result.type) == ("wrong value", "slice", "str")
    assert result.detail == "character 0"


def test_a_right_answer_after_a_wrong_value_does_not_make_the_trace_right() -> None:
    result = Diagnosis(sample(COUNT, ("left='erry'", "left='rry'")))
    assert result.answer
    assert result.cause.name == "wrong value"


def test_an_operation_that_was_not_executed_is_not_copying() -> None:
    result = why(COPIES, ("u='HELLO WORLD'", "u='hello world'"))
    assert (result.name, result.operation) == ("wrong value", "upper")


# ---- which names change ----


@pytest.mark.parametrize(
    ("codec", "old", "new"),
    [("compact", "5 n=1\n3\n", "5\n3\n"), ("cwm", '"n": "1", "c": ".."', '"n": "..", "c": ".."')],
)
def test_a_missed_change(codec: str, old: str, new: str) -> None:
    result = why(COUNT, (old, new), codec=codec)
    assert (result.name, result.detail, result.operation, result.type) == ("missed change", "n", "arithmetic", "int")


@pytest.mark.parametrize(
    ("codec", "old", "new"),
    [
        ("compact", "3 c='e'\n4\n", "3 c='e' n=7\n4\n"),
        ("cwm", '"n": "..", "c": "\'e\'"}', '"n": "7", "c": "\'e\'"}'),
    ],
)  # fmt: skip
def test_an_invented_change(codec: str, old: str, new: str) -> None:
    result = why(COUNT, (old, new), codec=codec)
    assert (result.name, result.detail, result.type) == ("invented change", "n", "int")


def test_a_line_that_sets_a_name_to_what_it_was_invents_nothing() -> None:
    same = Program(source="def f(q):\n    q = max(q, 3)\n    return q\n", call="f(5)")
    result = why(same, ("2\n", "2 q=3\n"))
    assert (result.name, result.operation, result.type) == ("wrong value", "max", "int")


def test_a_copy_taken_for_the_same_object_is_an_invented_change() -> None:
    result = why(SHARED, ("8 a=[1, 2, 5] b=[1, 2, 5]", "8 a=[1, 2, 5] b=[1, 2, 5] c=[1, 2, 5]"))
    assert (result.name, result.detail) == ("invented change", "c taken for the object of a")


@pytest.mark.parametrize(
    ("codec", "old", "new"), [("compact", "12 x=6\n", "12 x=6 -t\n"), ("cwm", '"x": "6", "t": ".."', '"x": "6"')]
)
def test_a_lost_variable(codec: str, old: str, new: str) -> None:
    result = why(EXCEPTIONS, (old, new), codec=codec)
    assert (result.name, result.detail, result.type) == ("lost variable", "t", "list")


def test_a_lost_variable_is_to_blame_for_the_exception_that_follows() -> None:
    program = Program(source="def f(x):\n    y = x + 1\n    return y * x\n", call="f(2)")
    line = "<|action_sep|>    return y * x\n"
    raised = "\"(<class 'UnboundLocalError'>, UnboundLocalError('x'), <traceback object at 0x7f>)\""
    end = f'<|return_sep|>{line}<|arg_sep|>"6"'
    lost = ('"x": "..", "y": "3"', '"y": "3"')
    result = why(program, lost, (end, f"<|exception_sep|>{line}<|arg_sep|>{raised}<|frame_sep|>{end}"), codec="cwm")
    assert (result.name, result.detail) == ("lost variable", "x")
    # Without the exception's cause, the exception itself is wrong.
    result = why(program, (end, f"<|exception_sep|>{line}<|arg_sep|>{raised}<|frame_sep|>{end}"), codec="cwm")
    assert (result.name, result.detail) == ("wrong action", "exception invented")


def test_a_name_that_does_not_go_is_a_missed_change() -> None:
    assert why(COPIES, ("8 -s", "8")).name == "missed change"


@pytest.mark.parametrize(
    ("codec", "old", "new", "detail"),
    [
        pytest.param("compact", "8 a=[1, 2, 5] b", "8 b", "a and b", id="another name of the frame"),
        pytest.param("compact", " a=[1, 2, 5, 9] b", " b", "a and b", id="through a call"),
        pytest.param("compact", " a=[1, 2, 5, 9] b=[1, 2, 5, 9] n", " n", "a and b", id="through a call, both"),
        pytest.param("cwm", '"a": "[1, 2, 5]"', '"a": ".."', "a and b", id="whole locals"),
        pytest.param("cwm", '"a": "[1, 2, 5, 9]", "b"', '"a": "..", "b"', "a and b", id="whole, through a call"),
    ],
)  # fmt: skip
def test_forgotten_aliasing(codec: str, old: str, new: str, detail: str) -> None:
    result = why(SHARED, (old, new), codec=codec)
    assert (result.name, result.detail, result.type) == ("forgotten aliasing", detail, "list"), result


def test_aliasing_between_a_function_and_its_caller() -> None:
    source = "def grow(xs):\n    xs.append(9)\n\ndef f(a):\n    grow(a)\n    return a\n"
    passed = Program(source=source, call="f([1])")
    for codec, old, new in (("compact", " a=[1, 9]\n", ""), ("cwm", '"a": "[1, 9]"', '"a": ".."')):
        result = why(passed, (old, new), codec=codec)
        assert (result.name, result.detail) == ("forgotten aliasing", "a and xs"), result


def test_a_sharing_mark_that_is_missing_is_forgotten_aliasing() -> None:
    result = cause(sample(SHARED, (" b&a", ""), options=Compact(same=True)))
    assert result.name == "forgotten aliasing"


def test_a_value_copied_from_another_step() -> None:
    result = why(COPIES, ("v='DLROW OLLEH'", "v='hello world'"))
    assert (result.name, result.detail, result.operation) == ("copied from the wrong step", "step 3", "slice")


def test_a_name_copied_from_another_name() -> None:
    result = why(COPIES, ("2 a=3 b=1 c=2", "2 a=2 b=1 c=2"))
    assert (result.name, result.operation, result.type) == ("copied from the wrong step", "copy", "int")
    assert "`b`" in result.evidence


# ---- texts that do not end, or not as they should ----


@pytest.mark.parametrize("codec", CODECS)
def test_malformed(codec: str) -> None:
    old, new = ("r=1", "r=1)") if codec == "compact" else ('"r": "1"', '"r": 1')
    result = why(FACT, (old, new), codec=codec)
    assert result.name == "malformed"
    assert result.detail
    assert result.divergence is not None
    assert result.divergence.is_cut


def test_stopping_before_the_end_is_malformed() -> None:
    assert why(FACT, cut=" r=2").name == "malformed"
    assert why(FACT, cut=" r=2", status="broken").name == "malformed"


@pytest.mark.parametrize("codec", CODECS)
def test_what_went_wrong_first_is_the_cause_not_what_broke_later(codec: str) -> None:
    changes = [("n=2", "n=5"), ("r=1", "r=1)")] if codec == "compact" else [('"n": "2"', '"n": "5"'), ('"r": "1"', "")]
    assert why(FACT, *changes, codec=codec).name == "wrong value"


@pytest.mark.fuzz
@pytest.mark.parametrize("codec", CODECS)
def test_a_budget_that_cuts_a_right_text(codec: str) -> None:
    for cut in range(truth(FACT, codec).text.index(b"n"), len(truth(FACT, codec).text), examples(5, 1)):
        item = sample(FACT, codec=codec)
        result = Prediction(text=item.truth.text[:cut], status="budget", codec=codec)
        why = cause(Sample(ask=item.ask, truth=item.truth, found=result))
        if why.name != "empty":  # as long as only the prompt is there
            assert (why.name, why.detail) == ("budget", "right up to the cut"), (cut, why)


@pytest.mark.parametrize("codec", CODECS)
def test_a_budget_that_cuts_a_wrong_text(codec: str) -> None:
    old, new, cut = ("n=2", "n=5", "5\n)6") if codec == "compact" else ('"n": "2"', '"n": "5"', '"6"')
    result = why(FACT, (old, new), codec=codec, cut=cut, status="budget")
    assert (result.name, result.detail, result.under) == ("budget", "wrong before the cut", "wrong value")
    assert (result.operation, result.type) == ("arithmetic", "int")


def test_a_wrong_last_line_that_was_cut_is_wrong_before_the_cut() -> None:
    result = why(COUNT, ("right='berryr'\n", "right='bexxx"), cut="7\n", status="budget")
    assert (result.name, result.detail) == ("budget", "wrong before the cut")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("3\n6 left", "3 c='y'\n4\n" * 50 + "3\n6 left", id="steps"),
        pytest.param("left='erry'", "left='e" + "rry" * 60, id="inside a value"),
    ],
)
def test_degenerate_repetition(old: str, new: str) -> None:
    result = why(COUNT, (old, new), cut="3\n6 left" if old[0] == "3" else " right=", status="budget")
    assert result.name == "degenerate repetition", result
    assert result.divergence is not None
    assert "times" in result.evidence


def test_garbage_over_and_over_is_repetition() -> None:
    for codec in CODECS:
        item = sample(FACT, codec=codec)
        result = Prediction(text=b"lorem ipsum " * 40, status="budget", codec=codec)
        assert cause(Sample(ask=item.ask, truth=item.truth, found=result)).name == "degenerate repetition"


def test_a_true_repetition_is_not_a_fault() -> None:
    loop = Program(source="def f():\n    n = 0\n    for _ in 'a' * 400:\n        pass\n    return n\n", call="f()")
    text = truth(loop).text
    ask = PredictionRequest(program=loop)
    result = cause(Sample(ask=ask, truth=truth(loop), found=Prediction(text=text[:700], status="budget")))
    assert (result.name, result.detail) == ("budget", "right up to the cut")


def test_a_repetition_after_something_wrong_is_not_the_cause() -> None:
    result = why(
        COUNT, ("2 n=0", "2 n=5"), ("3\n6 left", "3\n4\n" * 50 + "3\n6 left"), cut="3\n6 left", status="budget"
    )
    assert (result.name, result.under, result.operation) == ("budget", "wrong value", "literal")


@pytest.mark.parametrize(("text", "status"), [(b"", "empty"), (b"", "ended"), (b" \n", "budget"), (b".\n", "ended")])
def test_empty(text: bytes, status: str) -> None:
    item = sample(FACT)
    assert cause(Sample(ask=item.ask, truth=item.truth, found=Prediction(text=text, status=status))).name == "empty"


def test_empty_in_metas_notation() -> None:
    item = sample(FACT, codec="cwm")
    prompt = item.truth.text[: item.truth.text.index(b"<|call_sep|>")]
    for text in (b"", b"<|end_of_text|>", prompt, prompt + b"<|end_of_text|>"):
        result = Prediction(text=text, status="ended", codec="cwm")
        assert cause(Sample(ask=item.ask, truth=item.truth, found=result)).name == "empty", text


@pytest.mark.parametrize(
    ("codec", "old", "new"),
    [
        ("compact", ".\n", ".\n(1 n=3\n"),
        ("compact", ".\n", "(1 n=3\n2\n"),
        ("cwm", "<|end_of_text|>", '<|call_sep|>{"n": "3"}<|action_sep|>def fact(n):\n<|frame_sep|>'),
        ("cwm", "<|end_of_text|>", '<|line_sep|>{"n": "3"}<|action_sep|>    if n < 2:\n<|frame_sep|>'),
    ],
)
def test_a_text_that_continues_after_the_end(codec: str, old: str, new: str) -> None:
    for status in ("ended", "budget"):
        assert why(FACT, (old, new), codec=codec, status=status).name == "run-on"


def test_a_dump_that_lost_the_token_of_the_end_is_right() -> None:
    assert why(FACT, ("<|end_of_text|>", ""), codec="cwm").name == "right"
    assert why(FACT, ("<|end_of_text|>", ""), codec="cwm", status="budget").name == "budget"


def test_a_right_trace_that_was_judged_wrong() -> None:
    """Three causes, not one: the model miscopied it, the benchmark is wrong, the scorer is."""
    true, other = "( 'erry', 'bexyxyyxy', 2 )", "('erry',)"
    assert why(COUNT, beside=ReportedAnswer(own=other)).name == "answer miscopied"
    assert why(COUNT, beside=ReportedAnswer(own=other, taken=true)).name == "answer miscopied"
    assert why(COUNT, beside=ReportedAnswer(expected=other)).name == "scorer artefact"
    assert why(COUNT, beside=ReportedAnswer(own=true, taken=true, expected=other)).name == "scorer artefact"
    assert why(COUNT, beside=ReportedAnswer(taken="('erry',")).name == "scorer artefact"
    assert why(COUNT, beside=ReportedAnswer(own=true, taken="('erry',", expected=true)).name == "scorer artefact"
    assert why(COUNT, beside=ReportedAnswer(own=true, expected=true, failed=True)).name == "scorer artefact"
    assert why(COUNT, beside=ReportedAnswer(own=true, taken=true, expected=true)).name == "right"  # compared as values
    assert why(COUNT, ("2 n=0", "2 n=5"), beside=ReportedAnswer(own="1")).name == "wrong value"
    text = why(COUNT, beside=ReportedAnswer(own=other)).evidence
    assert text == "the trace ends with ('erry', 'bexyxyyxy', 2), the model's separate answer is ('erry',)"


def test_tool_faults() -> None:
    item = sample(FACT)
    assert why(FACT, status="fault").name == "tool fault"
    broken = Prediction(text=b"", status="fault")
    assert cause(Sample(ask=item.ask, truth=broken, found=item.found)).name == "tool fault"


# ---- all of them ----


def test_notations_do_not_mix() -> None:
    with pytest.raises(UsageError):
        Sample(ask=PredictionRequest(program=FACT), truth=truth(FACT), found=truth(FACT, "cwm"))


PIECES = [
    b"(1 n=3\n", b"2\n", b"5\n", b")6\n", b".\n", b"4 r=",
    b"<|call_sep|>", b'{"n": "3"}', b"<|action_sep|>", b"<|frame_sep|>",
]  # fmt: skip


@given(
    text=st.binary(max_size=80) | st.lists(st.sampled_from(PIECES), max_size=20).map(b"".join),
    codec=st.sampled_from(CODECS),
    status=st.sampled_from(STATUSES),
)
def test_any_bytes_have_a_cause(text: bytes, codec: str, status: str) -> None:
    result = Prediction(text=text, status=status, codec=codec)
    why = cause(Sample(ask=PredictionRequest(program=FACT), truth=truth(FACT, codec), found=result))
    assert why.name in CAUSES
    assert (why.name == "right") <= (status != "fault")


@given(data=st.data(), codec=st.sampled_from(CODECS), program=st.sampled_from(PROGRAMS))
def test_any_damage_to_a_true_text_has_a_cause(data: st.DataObject, codec: str, program: Program) -> None:
    true = truth(program, codec)
    start = data.draw(st.integers(0, len(true.text)))
    stop = data.draw(st.integers(start, min(start + 30, len(true.text))))
    text = true.text[:start] + data.draw(st.binary(max_size=6)) + true.text[stop:]
    result = Prediction(text=text, status=data.draw(st.sampled_from(STATUSES)), codec=codec)
    assert cause(Sample(ask=PredictionRequest(program=program), truth=true, found=result)).name in CAUSES


def test_every_cause_has_a_row_in_the_docs() -> None:
    page = (Path(__file__).parents[2] / "docs" / "concepts" / "causes.md").read_text()
    assert re.findall(r"^\| `([a-z -]+)` \|", page, re.MULTILINE) == list(CAUSES)


@pytest.mark.parametrize(
    ("text", "name", "evidence"),
    [
        ("(1 a=1\n2 c=7777", "wrong value", "c is 3, predicted 7777"),
        ("(1 a=1\n2 c=3", "malformed", "2 steps are missing"),
        ("(1 a=1\n2 c=", "malformed", "at 11 of 11"),
        ("(1 a=1\n2 c=3\n3\n)3", "malformed", "only the end is missing"),
        ("(1 a=1\n2 c=3\n3\n)3\n", "malformed", "only the end is missing"),
        ("(1 a=1\n2 c=3\n3\n)3\n.", "malformed", "only the end is missing"),
    ],
)
def test_a_text_that_stops_on_its_own_is_judged_up_to_its_end(text: str, name: str, evidence: str) -> None:
    program = Program(source="def f(a):\n    c = a + 2\n    return c\n", call="f(1)")
    ask = PredictionRequest(program=program)
    (true,) = Interpreter().predict([ask])
    assert true.text.startswith(b"(1 a=1\n2 c=3\n"), true.text
    result = Diagnosis(Sample(ask=ask, truth=true, found=Prediction(text=text.encode(), status="ended"))).cause
    assert result.name == name, result
    assert evidence in result.evidence, result

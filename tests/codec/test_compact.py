"""The compact codec: its examples byte for byte, and its laws over arbitrary traces."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from compact_traces import Machine, Spy, make_trace
from hypothesis import given, settings
from hypothesis import strategies as st
from tiers import examples

from worldline.codec.compact.parse import Parsed, parse
from worldline.codec.compact.prompt import Compact, prompt
from worldline.codec.compact.reader import read_answer
from worldline.codec.compact.words import Fault
from worldline.codec.compact.writer import encode, encode_steps
from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.core.state import State
from worldline.core.trace import Frame, Step, Trace

pytestmark = pytest.mark.unit

FACT = """def fact(n):
    if n < 2:
        return 1
    r = fact(n - 1)
    return r * n
"""
FACT_PROMPT = """1|def fact(n):
2|    if n < 2:
3|        return 1
4|    r = fact(n - 1)
5|    return r * n
>fact(2)
"""
BUILD = """def f(n):
    xs, d, s = [0] * 5, {}, ''
    for i in range(n):
        xs[i] = i
        d[i] = i
        s += 'ab'
"""
PAIRS = """def g(n):
    for i in range(n):
        yield i
def f():
    out = []
    for a, b in zip(g(2), g(3)):
        out.append(a + b)
    return out
"""
CAUGHT = """def h(x):
    try:
        k(x)
    except ValueError as e:
        x = None
    del x
def k(x):
    raise ValueError(x)
"""
MODES = [Compact(delta=delta, same=same) for delta in ("whole", "element") for same in (False, True)]
SPARSE = [Compact(delta=delta, reveal=n) for delta in ("whole", "element") for n in (0, 2, 3, 7)]
traces = st.builds(lambda seed, count: Machine(Random(seed)).run(count), st.integers(0, 2**32), st.integers(0, 60))


def recorded(source: str, call: str | None) -> Trace:
    return Spy(Program(source=source, call=call)).record()


def wanted(trace: Trace, options: Compact) -> list[Step]:
    """The projection that the codec keeps when every step is revealed."""
    return [step if options.same else replace(step, same={}) for step in trace.steps]


def test_a_recursion_is_written_as_documented() -> None:
    text = encode(recorded(FACT, "fact(2)")).decode()
    assert text == FACT_PROMPT + "(1 n=2\n2\n4\n(1 n=1\n2\n3\n)1\n r=1\n5\n)2\n.\n"


def test_generators_that_take_turns_are_named_by_how_recently_they_yielded() -> None:
    text = encode_steps(recorded(PAIRS, "f()")).decode()
    assert text.startswith(
        "(4\n5 out=[]\n6\n(1 n=2\n2 i=0\n3\n*0\n(1 n=3\n2 i=0\n3\n*0\n a=0 b=0\n7 out=[0]\n6\n~1\n2 i=1\n3\n*1\n"
        "~1\n2 i=1\n3\n*1\n a=1 b=1\n7 out=[0, 2]\n6\n~1\n2\n)None\n"
    )


def test_an_exception_leaves_one_frame_and_is_caught_in_the_next() -> None:
    text = encode_steps(recorded(CAUGHT, "h(1)")).decode()
    assert text == (
        "(1 x=1\n2\n3\n(7 x=1\n8\n)!ValueError(1)\n!ValueError(1)\n4 e=ValueError(1)\n5 x=None -e\n6 -x\n)None\n.\n"
    )


def test_element_deltas_are_smaller_and_say_the_same() -> None:
    trace = recorded(BUILD, "f(5)")
    whole, element = encode_steps(trace), encode_steps(trace, Compact(delta="element"))
    assert b" xs[3]=3\n" in element
    assert b" d[4]=4\n" in element
    assert b" s+='ab'\n" in element
    assert len(element) < len(whole)
    assert parse(encode(trace, Compact(delta="element"))).steps == list(trace.steps)


def test_path_only_text_has_no_state_and_queries_reveal_it() -> None:
    trace, options = recorded(FACT, "fact(2)"), Compact(reveal=0)
    assert encode_steps(trace, options) == b"(1\n2\n4\n(1\n2\n3\n)\n5\n)\n.\n"
    queries = [(2, "r"), (3, "missing"), (len(trace) - 1, "")]
    text = encode_steps(trace, options, queries=queries)
    assert text == b"(1\n2\n4\n(1\n?missing\n-\n2\n3\n)\n?r\n=1\n5\n)\n?\n=2\n.\n"


def test_queries_round_trip() -> None:
    trace = recorded(FACT, "fact(2)")
    text = prompt(trace.program) + encode_steps(trace, queries=[(2, "r"), (2, "n"), (6, ""), (1, "r")])
    parsed = parse(text)
    assert (parsed.malformed, parsed.ended) == (None, True)
    assert [(query.step, query.name, query.value) for query in parsed.queries] == [
        (1, "r", None), (6, "", "1"), (2, "r", "1"), (2, "n", "2"),
    ]  # fmt: skip
    assert parse(text.replace(b"?r\n=1", b"?r\n=7")).ended  # a wrong answer is wrong, not malformed


def test_a_query_needs_a_step_that_has_names() -> None:
    trace = recorded(FACT, "fact(2)")
    with pytest.raises(UsageError, match="no names"):
        encode_steps(trace, queries=[(len(trace) - 1, "n")])
    with pytest.raises(UsageError, match="no step 99"):
        encode_steps(trace, queries=[(99, "n")])


@pytest.mark.parametrize(("text", "value"), [("=1", "1"), ("=[1, 'x']", "[1, 'x']"), ("-", None)])
def test_answers_are_parsed(text: str, value: str | None) -> None:
    assert read_answer(text) == value


@pytest.mark.parametrize(("text", "offset"), [("", 0), ("1", 0), ("=1 2", 2), ("='é', ", 4)])
def test_anything_else_is_not_an_answer(text: str, offset: int) -> None:
    with pytest.raises(Fault) as fault:
        read_answer(text)
    assert fault.value.args[0] == offset


@pytest.mark.parametrize(
    "program",
    [
        Program(source=""),
        Program(source="\n", call=""),
        Program(source="a\rb\r\nc", call=">x", argv=("", "a b"), stdin="1\n"),
        Program(source="x = 1", call="f(\n1)", files=(("a/b.py", ""), ("it's", "1|2\n>\n"))),
        Program(source="# \udc80\x00\x0c", call="f('\udc80\r')", stdin="\udc80"),
    ],
)
def test_prompts_round_trip(program: Program) -> None:
    parsed = parse(prompt(program, Compact(reveal=5)))
    assert (parsed.malformed, parsed.ended, parsed.steps) == (None, False, [])
    assert parsed.options == Compact(reveal=5)
    restored = parsed.program
    assert restored is not None
    assert (restored.call, restored.argv, restored.stdin) == (program.call, program.argv, program.stdin)
    assert [path for path, _ in restored.files] == [path for path, _ in program.files]
    lines = program.source.replace("\r\n", "\n").replace("\r", "\n")
    assert restored.source == (lines if not lines or lines.endswith("\n") else lines + "\n")


@pytest.mark.parametrize(
    ("options", "header"),
    [
        (Compact(), b""),
        (Compact(delta="element"), b"# element\n"),
        (Compact(reveal=0), b"# reveal=0\n"),
        (Compact(delta="element", reveal=16, same=True), b"# element reveal=16 same\n"),
        (Compact(same=True, bare=True), b"# same bare\n"),
    ],
)
def test_the_header_names_the_mode(options: Compact, header: bytes) -> None:
    assert prompt(Program(source=""), options) == header + b">\n"


@pytest.mark.parametrize("bad", [{"delta": "part"}, {"reveal": -1}])
def test_unknown_modes_are_refused(bad: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        Compact(**bad)  # type: ignore[arg-type]


def test_an_impossible_trace_is_refused() -> None:
    frames = [Frame(0, "f", "program.py", -1, 0)]
    call = Step(0, "call", 0, 0, 1, {}, (), {}, None)
    for step in (Step(1, "resume", 0, 0, 1, {}, (), {}, None), Step(1, "return", 0, 0, 1, {}, (), {}, None)):
        with pytest.raises(UsageError):
            encode(make_trace([call, step], frames))


@given(traces, st.sampled_from(MODES))
@settings(max_examples=examples(40, 300), deadline=None)
def test_parsing_restores_the_steps(trace: Trace, options: Compact) -> None:
    data = encode(trace, options)
    parsed = parse(data)
    assert parsed.malformed is None
    assert parsed.steps == wanted(trace, options)
    assert parsed.hidden == trace.hidden
    assert parsed.ended == (trace.outcome.kind in ("returned", "raised"))
    assert [(frame.parent, frame.file) for frame in parsed.frames] == [(f.parent, f.file) for f in trace.frames]
    assert again(parsed, parsed.ended) == data


@given(traces, st.sampled_from(SPARSE))
@settings(max_examples=examples(40, 300), deadline=None)
def test_sparse_texts_keep_every_action_and_the_state_where_it_is_revealed(trace: Trace, options: Compact) -> None:
    data = encode(trace, options)
    parsed = parse(data)
    assert parsed.malformed is None
    assert [action(step) for step in parsed.steps] == [action(step) for step in trace.steps]
    true, shown = State(), State()
    for step, seen in zip(trace.steps, parsed.steps, strict=True):
        true.apply(step)
        shown.apply(seen)
        if options.reveals(step.i):
            assert seen.arg == step.arg
            if step.event not in ("output", "input", "exit"):
                assert shown.frames[step.frame] == true.frames[step.frame]
        else:
            assert (seen.delta, seen.gone) == ({}, ())
    assert again(parsed, parsed.ended) == data


def action(step: Step) -> tuple[str, int, int]:
    return step.event, step.frame, step.line


def again(parsed: Parsed, ended: bool) -> bytes:
    """The parsed text as a trace, encoded again."""
    assert parsed.program is not None
    outcome = "returned" if ended else "limit"
    trace = make_trace(parsed.steps, parsed.frames, program=parsed.program, hidden=parsed.hidden, outcome=outcome)
    return encode(trace, parsed.options)


@given(traces, st.sampled_from([*MODES, *SPARSE]))
@settings(max_examples=examples(10, 60), deadline=None)
def test_the_prompt_may_be_separate(trace: Trace, options: Compact) -> None:
    first, steps = prompt(trace.program, options), encode_steps(trace, options)
    assert first + steps == encode(trace, options)
    apart, together = parse(steps, first), parse(first + steps)
    assert apart.steps == together.steps
    assert apart.end + len(first) == together.end


def test_a_prefix_gives_the_steps_of_its_whole_lines() -> None:
    """A step that is not followed by its frame's next event has no changes yet: only its action is compared."""
    trace = Machine(Random(5)).run(60)
    data = encode(trace, Compact(delta="element"))
    whole = parse(data).steps
    for cut in range(len(prompt(trace.program, Compact(delta="element"))), len(data)):
        parsed = parse(data[:cut])
        assert parsed.malformed is None
        assert not parsed.ended
        assert [action(step) for step in parsed.steps] == [action(step) for step in whole[: len(parsed.steps)]]
        assert data[:cut].rfind(b"\n") + 1 == parsed.end


def test_a_repeated_value_is_no_change_in_loose_mode() -> None:
    source = "def f():\n    a = 1\n    b = 2\n    a, b = b, a\n    a, b = b, a\n    b = 3\n    return a\n"
    prompt_bytes = prompt(Program(source=source, call="f()"), Compact(reveal=3))
    true, again = b"(1\n2\n3 a=1\n4\n5\n6 b=2\n7\n)1\n.\n", b"(1\n2\n3 a=1\n4\n5\n6 a=1 b=2\n7\n)1\n.\n"
    strict, loose = parse(again, prompt_bytes), parse(again, prompt_bytes, loose=True)
    assert strict.malformed is not None
    assert not strict.ended
    assert loose.ended
    assert loose.steps == parse(true, prompt_bytes).steps
    assert parse(again.replace(b"a=1 b", b"a=2 b"), prompt_bytes, loose=True).steps != loose.steps
    assert not parse(again + b"7\n", prompt_bytes, loose=True).ended
    for twice in (b"a=1 a=2", b"a=2 a=1", b"a=1 a=1", b"a=1 b=2 -a"):
        assert not parse(again.replace(b"a=1 b=2", twice), prompt_bytes, loose=True).ended

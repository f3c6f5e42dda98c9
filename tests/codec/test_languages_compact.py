"""The compact notation of other languages: the language in the header, lines as its tools count them."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from compact_traces import Machine, make_trace
from foreign_runs import LANGUAGES, foreign_run
from hypothesis import given, settings
from hypothesis import strategies as st
from tiers import examples

from worldline.codec.compact.parse import parse
from worldline.codec.compact.prompt import Compact, Prompt, parse_prompt, prompt
from worldline.codec.compact.writer import encode
from worldline.core.malformed import Malformed
from worldline.core.program import Program
from worldline.core.trace import Frame, Step

pytestmark = pytest.mark.unit

VALUES = (
    "Ptr#1([3, 1], at=1)", "Ptr#1([3, 9], at=1)", "Ptr#1([3, 9], at=0)", "<undefined>", "<uninit>", "<hole>",
    "BigInt(5)", "Circle(1.0)", "ArrayList#2([1])", "ArrayList#2([1, 2])", "Node#3(class=1, 'a b'=2, next=None)",
    "Node#3(class=2, 'a b'=2, next=None)", "Node#3(class=2, 'a b'=3, next=Node#3)", "HashMap#4({'a': [1, 2, 3, 4]})",
    "HashMap#4({'a': [1, 2, 3, 5]})", "StringBuilder#5('ab')", "Some(Ptr#1([1], at=0))", "Map#1({1: <undefined>})",
    "'$x'", "-0.0", "[<hole>, 1]", "'$Foo'#6(x=1)",
)  # fmt: skip
NAMES = ("$x", "this", "class", "x.y", "self", "_", "été", "a::b")
MODES = [Compact(), Compact(delta="element"), Compact(reveal=3), Compact(reveal=0), Compact(same=True, bare=True)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_header_names_the_language(language: str) -> None:
    program = foreign_run(language).program
    assert prompt(program).startswith(f"# lang={language}\n1|".encode())
    options = Compact(delta="element", reveal=2, same=True, bare=True)
    text = prompt(program, options)
    assert text.startswith(f"# element reveal=2 same bare lang={language}\n1|".encode())
    restored = parse_prompt(text)
    assert isinstance(restored, Prompt)
    assert (restored.options, restored.program.language) == (options, language)
    assert restored.program == replace(program, name=restored.program.name)
    assert prompt(restored.program, options) == text


@pytest.mark.parametrize("header", ["# lang=python", "# lang=lua", "# lang=", "# lang=js bare", "#lang=js"])
def test_no_other_header_is_read(header: str) -> None:
    assert isinstance(parse_prompt(f"{header}\n1|x\n>\n".encode()), Malformed)


@pytest.mark.parametrize(
    ("name", "source", "lines"),
    [
        ("a.js", "a\u2028b\u2029c\rd\r\ne", ["a", "b", "c", "d", "e"]),
        ("a.java", "a\u2028b\rc\r\nd\n", ["a\u2028b", "c", "d"]),
        ("a.c", "a\rb\r\nc\r\r\nd\n\ne\r", ["a\rb", "c", "d", "", "e"]),
        ("a.rs", "a\u2028b\rc\n", ["a\u2028b\rc"]),
        ("a.py", "a\u2028b\rc\n", ["a\u2028b", "c"]),
    ],
)
def test_lines_end_where_the_language_ends_them(name: str, source: str, lines: list[str]) -> None:
    text = prompt(Program(source=source, name=name))
    shown = [line for line in text.decode().split("\n") if line[:1].isdigit()]
    assert shown == [f"{number}|{line}" for number, line in enumerate(lines, 1)]
    restored = parse_prompt(text)
    assert isinstance(restored, Prompt)
    assert prompt(restored.program) == text


def test_nothing_is_left_out_of_a_bare_listing() -> None:
    source = "// a comment\n\nx = `\n\n`\n"
    bare, whole = (prompt(Program(source=source, name="a.js"), Compact(bare=bare)) for bare in (True, False))
    assert bare.partition(b"\n")[2] == whole.partition(b"\n")[2]


@pytest.mark.parametrize("options", MODES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_executions_round_trip(language: str, options: Compact) -> None:
    trace = foreign_run(language).trace
    data = encode(trace, options)
    parsed = parse(data)
    assert (parsed.malformed, parsed.ended, parsed.options) == (None, True, options)
    if options.reveal == 1:
        assert parsed.steps == list(trace.steps)


@pytest.mark.parametrize("options", MODES)
def test_values_of_other_languages_round_trip(options: Compact) -> None:
    random, steps = Random(1), [Step(0, "call", 0, 0, 1, {}, (), {}, None)]
    for i in range(1, 300):
        names = {random.choice(NAMES): random.choice(VALUES) for _ in range(random.randint(0, 3))}
        steps.append(Step(i, "line", 0, 0, random.randint(1, 9), names, (), {}, None))
    steps.append(Step(300, "return", 0, 0, 9, {}, (), {}, "Circle(1.0)"))
    program = Program(source="x\n" * 9, name="a.ts", call="f()")
    trace = make_trace(steps, [Frame(0, "f", program.name, -1, 0)], program=program)
    parsed = parse(encode(trace, options))
    assert (parsed.malformed, parsed.ended) == (None, True)
    if options.reveal == 1:
        assert parsed.steps == steps


@settings(max_examples=examples(10, 60), deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 40), st.sampled_from(LANGUAGES), st.sampled_from(MODES))
def test_any_trace_round_trips(seed: int, count: int, language: str, options: Compact) -> None:
    trace = Machine(Random(seed)).run(count)
    run = foreign_run(language).program
    program = replace(trace.program, name=run.name, source=run.source)
    frames = [replace(frame, file=program.name if frame.file == "program.py" else frame.file) for frame in trace.frames]
    trace = replace(trace, program=program, frames=frames)
    parsed = parse(encode(trace, options))
    assert parsed.malformed is None
    if options.reveal == 1:
        assert parsed.steps == [step if options.same else replace(step, same={}) for step in trace.steps]

"""The guide: every text that is written for a run passes byte by byte, and what it lets end can be read."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

import pytest
from recorded_programs import GENERATOR, HUMANEVAL, SHAPES
from tiers import examples

from worldline.analyze.flow.control import successors
from worldline.codec.compact.guide.guide import Guide, ImpossibleByte
from worldline.codec.compact.parse import parse
from worldline.codec.compact.prompt import Compact, prompt
from worldline.codec.compact.writer import encode_steps
from worldline.core.events import ENDED
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.recording.recorder import record_many

LONG = 20_000  # bytes: longer texts are followed once
MODES = [
    Compact(),
    Compact(bare=True),
    Compact(delta="element"),
    Compact(reveal=0),
    Compact(reveal=3),
    Compact(same=True),
    Compact(delta="element", reveal=2, same=True),
]
SOURCE = """\
def g(n):
    k = n + 1
    yield k
    yield n
def f(a, b):
    xs = []
    for i in g(a):
        xs.append(i)
    try:
        y = 1 // b
    except ZeroDivisionError as e:
        y = 2
    finally:
        z = 3
    return [x for x in xs]
"""
CALLED, SCRIPT = Program(source=SOURCE, call="f(1, 2)"), Program(source=SOURCE + "print(f(1, 0))\n")


def follow(text: bytes, guide: Guide) -> None:
    """Feed a text; each byte must be among what was allowed."""
    for at, byte in enumerate(text):
        assert guide.bits >> byte & 1, (text[max(0, at - 80) : at], text[at : at + 20])
        guide.feed(byte)


def check(trace: Trace, options: Compact) -> None:
    text = encode_steps(trace, options)
    for guarded in (False, True) if len(text) < LONG else (True,):
        guide = Guide(trace.program, options, guard=guarded)
        follow(text, guide)
        assert guide.ended == text.endswith(b"\n.\n")
        if guide.ended:
            assert not guide.bits
            assert not guide.allowed().any()


def record_all(programs: list[Program], steps: int) -> list[Trace]:
    """Those that came to their end: a run that was cut may show changes of a step that nothing follows any more."""
    traces = list(record_many(programs, trust=True, limits=Limits(steps=steps)))
    ended = [trace for trace in traces if trace.outcome.kind in ENDED]
    assert len(ended) >= 0.8 * len(traces)
    return ended


@pytest.mark.sampled(1)
@pytest.mark.parametrize("options", MODES)
def test_recorded_programs_of_every_shape_pass(options: Compact) -> None:
    for trace in record_all(SHAPES, 500):
        check(trace, options)


@pytest.mark.fuzz
def test_generated_programs_pass_in_every_mode() -> None:
    programs = [Program(source=GENERATOR(seed).program()) for seed in range(examples(20, 100))]
    for at, trace in enumerate(record_all(programs, 400)):
        check(trace, MODES[at % len(MODES)])


@pytest.mark.long(reason="all of HumanEval")
def test_humaneval_passes() -> None:
    if not HUMANEVAL:
        pytest.skip("HumanEval is not in ../shared/data")
    for at, trace in enumerate(record_all(HUMANEVAL, 300)):
        check(trace, MODES[at % len(MODES)])


@pytest.mark.parametrize("options", MODES)
def test_texts_with_queries_pass(options: Compact) -> None:
    for trace in record_all([CALLED, SCRIPT], 200):
        steps = list(trace.steps)
        plain = [step for step in steps if step.event in ("call", "line", "resume")]
        asked = [(step.i, name) for step in plain for name in ("xs", "k")]
        asked += [(step.i, "") for step in steps if step.arg is not None]
        text = encode_steps(trace, options, queries=asked)
        for guarded in (False, True):
            follow(text, Guide(trace.program, options, guard=guarded, queries=True))
        quiet = Guide(trace.program, options)
        for byte in text:  # understood, though not offered
            quiet.feed(byte)
        assert quiet.ended


@dataclass
class Walk:
    """A text of allowed bytes, chosen at random but with a wish to come to an end."""

    random: Random

    def text(self, guide: Guide, wanted: int, most: int) -> bytes:
        found = bytearray()
        while not guide.ended and len(found) < most:
            allowed = [byte for byte in range(256) if guide.bits >> byte & 1]
            assert allowed, f"a dead end behind {bytes(found[-80:])!r}"
            found.append(self.byte(allowed, late=len(found) > wanted, fresh=found[-1:] in (b"", b"\n")))
            guide.feed(found[-1])
        return bytes(found)

    def byte(self, allowed: list[int], *, late: bool, fresh: bool) -> int:
        for byte in b".)" if late and fresh else b"":
            if byte in allowed:
                return byte
        for byte in b"\n]})>'\"":
            if byte in allowed and self.random.random() < 0.35:
                return byte
        plain = [byte for byte in allowed if byte < 128]
        digits = [byte for byte in plain if 48 <= byte < 58]
        return self.random.choice(digits if digits and self.random.random() < 0.5 else plain or allowed)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("options", MODES)
@pytest.mark.parametrize("guarded", [False, True])
def test_what_the_guide_lets_end_can_be_read(options: Compact, guarded: bool) -> None:
    """Known gaps only: sets out of order, edits and reveals that are not canonical, floats that are not shortest."""
    walk, ended, bad = Walk(Random(7)), 0, []
    for turn in range(40):
        program = (CALLED, SCRIPT)[turn % 2]
        text = walk.text(guide := Guide(program, options, guard=guarded), 150, 3000)
        parsed = parse(text, prompt(program, options))
        ended += guide.ended
        if parsed.malformed is not None:
            bad.append(parsed.malformed.expected)
        else:
            assert parsed.ended == guide.ended
    assert ended >= 35
    known = {"the elements of a set in canonical order", "a canonical float"}
    if options.delta == "element":
        known |= {"an edit that fits the value", "the canonical form of the change"}
    if options.reveal > 1:
        known |= {"the canonical form of these steps"}
    assert set(bad) <= known
    assert len(bad) <= 4


@pytest.mark.long(reason="tries all 256 bytes at each byte of a text")
def test_refused_bytes_are_not_allowed() -> None:
    """Whatever is not allowed is refused, at every byte of a text."""
    (trace,) = record_all([SCRIPT], 200)
    guide = Guide(trace.program, guard=True)
    for byte in encode_steps(trace):
        for other in range(256):
            if guide.allowed()[other] or other == ord("?"):
                continue
            with pytest.raises(ImpossibleByte):
                guide.fork().feed(other)
        guide.feed(byte)


def test_the_guard_allows_only_lines_that_may_follow() -> None:
    """Behind every line of a run: a number that can be completed to a line step is one of the successors."""
    (trace,) = record_all([CALLED], 200)
    flows = {flow.line: flow for flow in successors(SOURCE) if flow.name != "<module>"}
    state: list[tuple[int, str, int]] = []
    guide, seen = Guide(CALLED, guard=True), 0
    for line in encode_steps(trace).splitlines(keepends=True):
        if state:
            first, event, newest = state[-1]
            flow = flows[first]
            may = flow.start if event == "call" else flow.next.get(newest, frozenset())
            for number in range(1, 20):
                fork = guide.fork()
                try:
                    fork.feed_all(b"%d\n" % number)
                except ImpossibleByte:
                    continue
                assert number in may
                seen += 1
        guide.feed_all(line)
        mark = line.split()[0].decode() if not line.startswith(b" ") else ""
        if mark.startswith("("):
            state.append((int(mark[1:]), "call", int(mark[1:])))
        elif mark.isdigit():
            state[-1] = (state[-1][0], "line", int(mark))
        elif mark.startswith((")", "*", "~", "!", "@")):
            break  # one frame after another is enough; the walk above covers the rest
    assert seen > 3


def test_without_the_guard_any_line_of_the_source_may_come() -> None:
    guide = Guide(CALLED)
    guide.feed_all(b"(5 a=1 b=2\n")
    for line in (2, 6, 14, 15):
        guide.fork().feed_all(b"%d\n" % line)
    for line in (0, 13, 16, 99):
        with pytest.raises(ImpossibleByte):
            guide.fork().feed_all(b"%d\n" % line)


def test_names_are_those_of_the_program() -> None:
    for guarded, wrong in ((False, (b"nothing", b"os", b"Xs")), (True, (b"k", b"n", b"nothing"))):
        guide = Guide(CALLED, guard=guarded)
        guide.feed_all(b"(5 a=1 b=2\n6 ")
        for name in (b"xs", b"y", b"a"):
            guide.fork().feed_all(name + b"=1\n")
        for name in wrong:
            with pytest.raises(ImpossibleByte):
                guide.fork().feed_all(name + b"=1\n")
    dynamic = Guide(Program(source="globals()['é x'] = 1\n"))
    dynamic.feed_all(b"(1\n1 '\xc3\xa9 x'=1 anything=2\n")


@pytest.mark.parametrize(
    "steps",
    [
        b"2\n", b")1\n", b".\n2", b"(2\n", b"(5 a=1 a=2\n", b"(5\n6 xs=[]\n(1\n", b"(5\n6\n xs=[]\n", b"(5\n6)1 a=1\n",
        b"(5\n6\n.", b"(5\n6!E()\n.", b"(5\n6!E()\n/", b"(5\n6\n~", b"(5\n6\n/", b"(5\n6\n@", b"(5\n06\n",
        b"(5\n6 a=01\n", b"(5\n6 -a -a\n", b"(5\n6 -a b=1\n", b"(5\n6 a&b\n", b"(5\n6 a[0]=1\n", b"(5\n6\n6)1\n",
        b"%x=1\n", b"(5\n6)!E()\n:1",
    ],
)  # fmt: skip
def test_what_no_text_can_hold_is_refused(steps: bytes) -> None:
    with pytest.raises(ImpossibleByte):
        Guide(CALLED).feed_all(steps)


def test_forced_text_is_the_only_way_on() -> None:
    guide = Guide(CALLED, guard=True)
    guide.feed_all(b"(5 a=1 b=2\n6 xs=[]\n")
    guide.feed_all(b"7\n(1 n=1\n2 k=2\n3\n*2")
    assert guide.forced() == b""
    guide.feed_all(b"\n i=2\n")
    assert guide.bits.bit_count() > 1
    lone = Guide(Program(source="x = None\n"))
    lone.feed_all(b"(1\n1 x=Tru")
    assert lone.forced() == b""  # still the beginning of any class's name
    lone.feed_all(b"e\n)[]")
    assert lone.forced() == b"\n"
    lone.feed_all(b"\n.")
    assert lone.forced() == b"\n"
    before = lone.fork()
    assert lone.advance(10) == b"\n"
    assert lone.ended
    assert not before.ended


@pytest.mark.long(reason="writes up to 25 bytes at each byte of two texts")
def test_forks_are_independent() -> None:
    (trace,) = record_all([SCRIPT], 200)
    for options in (Compact(), Compact(delta="element", same=True)):
        text = encode_steps(trace, options)
        guide = Guide(SCRIPT, options, guard=True)
        for at, byte in enumerate(text):
            fork = guide.fork()
            assert fork.bits == guide.bits
            Walk(Random(at)).text(fork, 0, 25)
            guide.feed(byte)
        assert guide.ended

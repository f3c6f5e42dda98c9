"""What was really recorded in each language, behind the recording: both notations and back, the guide, a diagnosis."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import pytest

from worldline.analyze.flow.table import FlowTable, read_table
from worldline.codec.compact.guide.guide import Guide, ImpossibleByte
from worldline.codec.compact.parse import parse
from worldline.codec.compact.prompt import Compact
from worldline.codec.compact.writer import encode, encode_steps
from worldline.codec.cwm import writer as cwm
from worldline.codec.cwm.frames import frames
from worldline.codec.cwm.parse import parse as parse_cwm
from worldline.core.events import ENDED
from worldline.core.language import LANGUAGES, language_of, usual_name
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.diagnose.diagnosis import Diagnosis
from worldline.diagnose.sample import Sample
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.recording.languages import toolchain
from worldline.recording.recorder import SandboxWorker, prepare

pytestmark = pytest.mark.usefixtures("sandbox")
PROGRAMS = Path(__file__).parent / "contract" / "programs"
FLOWS = Path(__file__).parent / "flows"  # control flow of every kind that a language has
SCRIPTS, CALL = ("returns", "shares", "long"), "f([3, 1], 'ab')"
MODES = [Compact(), Compact(delta="element"), Compact(reveal=3), Compact(reveal=0), Compact(same=True, bare=True)]


@dataclass(frozen=True)
class Recorded:
    """A trace, and what its guest knew of it before."""

    trace: Trace
    table: FlowTable | None


@lru_cache(maxsize=8)
def recorded(language: str) -> tuple[Recorded, ...]:
    """The contract's programs of a language that come to their end, each recorded once."""
    found = toolchain.find(language)
    if isinstance(found, str):
        pytest.skip(found)
    pieces = re.split(r"^=== (\w+)\n", (PROGRAMS / f"{language}.txt").read_text(), flags=re.MULTILINE)[1:]
    texts = dict(zip(pieces[::2], pieces[1::2], strict=True))
    name = "Main.java" if language == "java" else usual_name(language)
    programs = [Program(source=texts[each], name=name) for each in SCRIPTS]
    flows = (path for path in sorted(FLOWS.iterdir()) if language_of(path.name) == language)
    programs += [Program(source=path.read_text(), name=path.name) for path in flows]
    programs.append(Program(source=texts["called"], name=name, call=CALL))
    worker = SandboxWorker(prepare(limits=Limits(wall=120, steps=2000), python=None, core="auto", trust=False))
    try:
        made = [(worker.record(one), worker.in_language(language).flow(one)) for one in programs]
    finally:
        worker.close()
    for trace, flow in made:
        assert flow is not None
        assert trace.outcome.kind in ENDED, (trace.program.source, trace.outcome, trace.stderr)
    return tuple(Recorded(trace, read_table(data, trace.program) if data else None) for trace, data in made)


@pytest.fixture(scope="module", params=[language for language in LANGUAGES if language != "python"])
def runs(request: pytest.FixtureRequest) -> tuple[Recorded, ...]:
    return recorded(request.param)


@pytest.mark.sampled(12)
@pytest.mark.parametrize("options", MODES)
def test_the_compact_notation_and_back(runs: tuple[Recorded, ...], options: Compact) -> None:
    for run in runs:
        found = parse(encode(run.trace, options))
        assert (found.malformed, found.ended, found.options) == (None, True, options)
        if options.reveal == 1:
            wanted = [step if options.same else replace(step, same={}) for step in run.trace.steps]
            assert found.steps == wanted


def test_metas_format_and_back(runs: tuple[Recorded, ...]) -> None:
    for run in runs:
        program = run.trace.program
        entry = 0 if program.call is None else None
        text = cwm.encode(run.trace)
        found = parse_cwm(text, program.source, entry=entry, language=program.language, table=run.table)
        assert (found.malformed, found.ended) == (None, True)
        assert list(found.frames) == frames(run.trace)


@pytest.mark.sampled(12)
@pytest.mark.parametrize("options", MODES)
def test_every_true_text_passes_the_guide(runs: tuple[Recorded, ...], options: Compact) -> None:
    for run in runs:
        text = encode_steps(run.trace, options)
        for guard, table in ((True, run.table), (False, run.table), (True, None)):
            guide = Guide(run.trace.program, options, guard=guard, table=table)
            guide.feed_all(text)
            assert guide.ended


def test_a_guest_knows_the_control_flow(runs: tuple[Recorded, ...]) -> None:
    """Behind each line of the called function only some of its lines may follow; those that do not are refused."""
    run = runs[-1]
    assert run.table is not None
    lines = sorted({step.line for step in run.trace.steps if step.event == "line"})
    refused = 0
    text = encode_steps(run.trace)
    for step in (at for at, byte in enumerate(text) if byte == 0x0A):
        guide = Guide(run.trace.program, guard=True, table=run.table)
        guide.feed_all(text[: step + 1])
        for line in lines if not guide.ended else ():
            try:
                guide.fork().feed_all(b"%d\n" % line)
            except ImpossibleByte:
                refused += 1
    assert refused > len(lines)


def test_a_wrong_value_is_diagnosed(runs: tuple[Recorded, ...]) -> None:
    run = runs[-1]
    text = encode_steps(run.trace)
    wrong = re.sub(rb"total=4", b"total=5", text, count=1)
    assert wrong != text
    truth, found = (Prediction(text=each, status="ended") for each in (text, wrong))
    cause = Diagnosis(Sample(ask=PredictionRequest(program=run.trace.program), truth=truth, found=found)).cause
    assert (cause.name, cause.type, cause.operation) == ("wrong value", "int", "")
    assert "total is 4, predicted 5, computed by `" in cause.evidence

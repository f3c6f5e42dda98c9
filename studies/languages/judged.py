"""A recorded program beside its plain run: its end, what it printed, its values, and both notations there and back."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from itertools import product
from typing import Any

from plain_run import Ran

from worldline.analyze.flow.table import read_table
from worldline.codec.compact.parse import parse as parse_compact
from worldline.codec.compact.prompt import Compact
from worldline.codec.compact.writer import encode as encode_compact
from worldline.codec.cwm import parse as cwm_parse
from worldline.codec.cwm import writer as cwm
from worldline.codec.cwm.frames import frames
from worldline.core.trace import NO_TEXT, Outcome, Trace
from worldline.core.value import scan

MODES = (
    *(Compact(delta=d, same=s, bare=b) for d, s, b in product(("whole", "element"), (False, True), (False, True))),
    Compact(reveal=3),
    Compact(reveal=0),
)
SHOWN = 300  # characters of a reason


@dataclass
class Judged:
    """What was found of one program; `why` is empty where nothing differs."""

    language: str
    name: str
    commit: str = ""
    compiled: bool = True
    outcome: str = ""
    limits: str = "usual"
    steps: int = 0
    end: bool = False
    values: int = 0
    odd_values: int = 0
    texts: int = 0
    odd_texts: int = 0
    frames: int = 0
    odd_frames: int = 0
    unsure_lines: int = 0
    cut: bool = False
    seconds: float = 0.0
    why: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """The row that is kept."""
        return asdict(self)

    @property
    def alike(self) -> bool:
        """Whether a program that compiles has no difference of any kind."""
        return not self.why


def judge_run(found: Judged, trace: Trace, ran: Ran) -> None:
    """The end, the output and every value of a recorded run."""
    found.outcome, found.steps = f"{trace.outcome.kind} {trace.outcome.detail}"[:SHOWN], len(trace)
    why = list(_ends_apart(trace, ran))
    found.end = not why
    told = set(trace.columns.change_value) | set(trace.columns.arg)
    told.discard(NO_TEXT)
    odd = [text for text in (trace.columns.texts[at] for at in told) if not _is_canonical(text)]
    found.values, found.odd_values = len(told), len(odd)
    found.why += why + [f"no canonical value: {text[:SHOWN]}" for text in odd[:3]]


def judge_notations(found: Judged, trace: Trace, flow: bytes | None) -> None:
    """Both notations of a recorded run, there and back."""
    found.texts = len(MODES)
    for options in MODES:
        if why := _compact(trace, options):
            found.odd_texts += 1
            found.why.append(f"{options}: {why}"[:SHOWN])
    _cwm(found, trace, flow)


def _ends_apart(trace: Trace, ran: Ran) -> Iterator[str]:
    status = _status(trace.outcome)
    if status != ran.status:
        last = trace.stderr.strip().splitlines()[-1:]
        yield f"ended {trace.outcome.kind} {trace.outcome.detail[:SHOWN]}, plainly {ran.status}; {last}"
    if trace.output != ran.stdout:
        yield f"printed {trace.output[-SHOWN:]!r}, plainly {ran.stdout[-SHOWN:]!r}"


def _status(outcome: Outcome) -> int | None:
    """The exit status that an outcome stands for; None where it is no end of the program's own."""
    if outcome.kind == "exited":
        return int(outcome.detail)
    if outcome.kind == "killed" and outcome.detail in signal.Signals.__members__:
        return -signal.Signals[outcome.detail].value
    return {"returned": 0, "raised": 1}.get(outcome.kind)


def _is_canonical(text: str) -> bool:
    return scan(text) == len(text)


def _compact(trace: Trace, options: Compact) -> str:
    read = parse_compact(encode_compact(trace, options))
    if read.malformed is not None:
        return str(read.malformed)
    if options.reveal != 1:
        return "" if len(read.steps) == len(trace) else f"{len(trace)} steps became {len(read.steps)}"
    for true, got in zip(trace.steps, read.steps, strict=False):
        if (true if options.same else replace(true, same={})) != got:
            return f"{true} became {got}"
    if len(read.steps) != len(trace):
        return f"{len(trace)} steps became {len(read.steps)}"
    return "" if read.hidden == trace.hidden else "the hidden inputs differ"


def _cwm(found: Judged, trace: Trace, flow: bytes | None) -> None:
    """Frames as Meta's format shows them; a line that its text leaves open among several is unsure, not odd."""
    program, table = trace.program, None if flow is None else read_table(flow)
    entry = 0 if program.call is None else None
    read = cwm_parse.parse(cwm.encode(trace), program.source, entry=entry, language=program.language, table=table)
    wanted = frames(trace)
    found.frames = len(wanted)
    if read.malformed is not None:
        found.why.append(f"cwm: {read.malformed}"[:SHOWN])
    odd = []
    for true, got in zip(wanted, read.frames, strict=False):
        unsure = got.line is None and true.line in got.candidates
        found.unsure_lines += unsure
        if (true.event, true.locals, true.arg) != (got.event, got.locals, got.arg) or not (
            unsure or got.line == true.line
        ):
            odd.append(f"cwm: {true} became {got}"[:SHOWN])
    found.odd_frames = len(odd) + abs(len(wanted) - len(read.frames))
    found.why += odd[:1]
    if len(wanted) != len(read.frames):
        found.why.append(f"cwm: {len(wanted)} frames became {len(read.frames)}")

"""Programs in other languages in the terminal and on the debug page: colours, and names of values."""

from __future__ import annotations

import io

from language_sessions import LIST_C, MIXED_JS, HandWritten
from rich.console import Console

from worldline.core.program import Program
from worldline.diagnose.debug import Debugged, rows
from worldline.diagnose.diagnosis import Diagnosis
from worldline.diagnose.sample import Sample
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.ui.report.debug_page import page
from worldline.ui.session.session import Session
from worldline.ui.terminal.debug import print_debugged
from worldline.ui.terminal.step import draw
from worldline.ui.terminal.step.cursor import SessionCursor

C_WORDS = "None is NULL, <uninit> is memory that was never written, Ptr is a pointer into a block of memory"
JS_WORDS = "None is null, <undefined> is undefined, <hole> is a hole of the array, BigInt(5) is 5n"


def sample(one: HandWritten) -> Sample:
    """A program's two runs."""
    truth = Prediction(text=one.steps, status="ended")
    return Sample(ask=one.ask, truth=truth, found=Prediction(text=one.found, status="ended", logprob=-1.0))


def debugged(one: HandWritten) -> Debugged:
    """The same, debugged."""
    diagnosis = Diagnosis(sample(one))
    return Debugged(
        model="by hand",
        diagnosis=diagnosis,
        rows=tuple(rows(diagnosis)),
        confidences=(),
        belief=None,
        tried=(),
        seconds={},
    )


def shown(found: Debugged) -> str:
    """What a terminal shows."""
    file = io.StringIO()
    print_debugged(Console(file=file, width=300, color_system=None), found)
    return file.getvalue()


def test_debug_has_a_footnote() -> None:
    assert f"in C: {C_WORDS}" in shown(debugged(LIST_C))
    assert f"in JavaScript: {JS_WORDS}" in shown(debugged(MIXED_JS))


def test_the_debug_page_has_colours_and_a_footnote() -> None:
    built = page(debugged(MIXED_JS))
    assert "<p class=soft>In JavaScript: None is null, &lt;undefined&gt; is undefined" in built
    assert '<span class="token-keyword">let</span>' in built


def test_the_state_of_step_has_its_words_in_its_last_line() -> None:
    cursor = SessionCursor(Session.of_sample(sample(LIST_C), name="list.c", model="by hand"))
    cursor.seek(5)
    lines = [line.plain.rstrip() for line in draw.state(cursor.view, None, 120, 16, focused=False)]
    assert len(lines) == 16
    assert lines[-1].startswith("None is NULL, <uninit> is memory that was never written")
    low = draw.state(cursor.view, None, 120, 5, focused=False)
    assert not any("NULL" in line.plain for line in low)


def test_the_state_of_step_has_the_difference_in_sight() -> None:
    names = [f"name{n}" for n in range(30)]
    source = "\n".join(["def f():", *(f"    {name} = 1" for name in names), "    return 1\n"])
    steps = "".join(f"{line}{change}\n" for line, change in enumerate(["", *(f" {name}=1" for name in names)], 1))
    text = f"(1\n{steps.partition(chr(10))[2]}32\n)1\n".encode()
    ask = PredictionRequest(program=Program(source=source, call="f()"))
    truth, found = (Prediction(text=part, status="ended") for part in (text, text.replace(b"name20=1", b"name20=2")))
    assert Diagnosis(Sample(ask=ask, truth=truth, found=found)).first is not None
    cursor = SessionCursor(Session.of_sample(Sample(ask=ask, truth=truth, found=found), name="f", model="by hand"))
    cursor.seek(31)
    shown_lines = [line.plain for line in draw.state(cursor.view, None, 80, 10, focused=False)]
    assert any(line.startswith("X name20") for line in shown_lines)
    chosen = [line.plain for line in draw.state(cursor.view, (0, "name2"), 80, 10, focused=True)]
    assert any(line.startswith("* name2 ") or line.startswith("  name2 ") for line in chosen)


def test_the_source_of_step_is_coloured_in_its_language() -> None:
    pane = draw.SourcePane(LIST_C.program)
    line = pane.line(None, 8)
    assert {line.plain[item.start : item.end] for item in line.spans} == {"while", "NULL"}

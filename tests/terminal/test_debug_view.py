"""Both traces side by side in a terminal and on a page: the first divergence marked, all text escaped."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from html.parser import HTMLParser

import pytest
from plain_predictor import PlainPredictor
from rich.console import Console

from worldline.core.program import Program
from worldline.diagnose.debug import Debugged, debug
from worldline.diagnose.imagine import imagine
from worldline.diagnose.trials import InterventionTrial, Trials
from worldline.predict.interpreter import Interpreter
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.ui.report.debug_page import page
from worldline.ui.session.side_by_side import window
from worldline.ui.terminal.debug import percent, print_debugged, print_imagined
from worldline.ui.terminal.trials import print_trials

SUM = Program(source="def f(n):\n    s = 0\n    for i in range(n):\n        s += i\n    return s\n", call="f(40)")
EVIL = "\x1b[31m\u202e</td><script>alert(1)</script>\x07\x9b[bold]x[/bold]"
ANSI = re.compile("\x1b\\[[0-9;]*m")


pytestmark = pytest.mark.usefixtures("sandbox")


class Says(PlainPredictor):
    """Whatever it is asked, it says one text."""

    def __init__(self, text: bytes, name: str = "says") -> None:
        self.text, self.name = text, name

    def predict(self, asks: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        for ask in asks:
            yield Prediction(text=max(self.text, ask.given, key=len), status="ended")


def debugged(old: str, new: str, *, name: str = "says") -> Debugged:
    """The sum, its true text changed in one place."""
    (true,) = Interpreter().predict([PredictionRequest(program=SUM)])
    assert old.encode() in true.text
    return debug(SUM, Says(true.text.replace(old.encode(), new.encode(), 1), name), interventions=False)


def shown(found: Debugged, width: int = 110, colour: bool = False, **options: int) -> str:
    """What a terminal shows."""
    file = io.StringIO()
    system = "standard" if colour else None
    console = Console(file=file, width=width, force_terminal=colour, color_system=system)  # type: ignore[arg-type]
    print_debugged(console, found, **options)
    return file.getvalue()


def test_the_first_divergence_is_marked_and_the_rows_around_it_shown() -> None:
    lines = shown(debugged("4 s=190", "4 s=191"), rows=12).splitlines()
    marked = [line for line in lines if line.startswith("▶")]
    assert len(marked) == 1
    assert re.search(r"^▶ +\d+ +4 +s \+= i +│ s=190 +│ s=191 *$", marked[0])
    assert sum(bool(re.match(r"^[ ▶·] +\d+ +\d+ ", line)) for line in lines) == 12
    assert sum("rows not shown" in line for line in lines) == 2
    assert any(re.search(r"first divergence +at step \d+, line 4: s is 190, predicted 191", line) for line in lines)
    assert any(line.startswith("cause") and "wrong value" in line for line in lines)
    assert any(line.startswith("step") and "`4 s=191`" in line for line in lines)
    assert any(line.startswith("answer") and "right although the trace is not: return 780" in line for line in lines)


def test_later_divergences_are_dimmer() -> None:
    result = debugged("4 s=190", "4 s=191")
    again = debug(SUM, Says(result.sample.found.text.replace(b"4 s=210", b"4 s=211")), interventions=False)
    text = shown(again, colour=True)
    assert "\x1b[1;31ms=191" in text
    assert "\x1b[2;31ms=211" in text
    assert "\x1b[1;32ms=190" in text


def test_a_right_trace_says_so_and_marks_nothing() -> None:
    text = shown(debug(SUM, Interpreter()))
    assert "▶" not in text
    assert "right" in text.splitlines()[-1]
    assert "85 steps" in text.splitlines()[-1]


def test_a_wrong_way_has_its_own_line() -> None:
    lines = shown(debugged("3 i=1\n4 s=1\n", "5\n"), rows=0).splitlines()
    (marked,) = (line for line in lines if line.startswith("▶"))
    assert "line 5" in marked


def test_no_line_is_wider_than_the_terminal() -> None:
    for width in (60, 80, 200):
        lines = shown(debugged("4 s=190", "4 s='" + "long " * 200 + "'"), width).splitlines()
        assert max(map(len, lines)) <= width


def test_hostile_text_steers_neither_terminal_nor_page() -> None:
    result = debugged("4 s=190", f"4 s='{EVIL}'", name=EVIL)
    assert result.diagnosis.found.malformed is not None
    quoted = debugged("4 s=190", "4 s='</td><script>alert(1)</script>[bold]x[/bold]'")
    assert quoted.diagnosis.found.malformed is None
    for item in (result, quoted):
        bare = ANSI.sub("", shown(item, colour=True))
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", bare)
        html = page(item)
        assert "<script" not in html
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", html)
    assert "[bold]x[/bold]" in shown(quoted, width=300)


class Tags(HTMLParser):
    """The tags and addresses of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.addresses: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href", "action", "srcset")]


def test_a_page_is_whole_and_needs_nothing_else() -> None:
    html = page(debugged("4 s=190", "4 s=191"))
    tags = Tags(html)
    assert not {"script", "link", "img", "iframe"} & set(tags.tags)
    assert tags.addresses == []
    assert "default-src 'none'" in html
    assert "@import" not in html
    assert "url(" not in html
    assert html.count('<tr class="first">') == 1
    assert tags.tags.count("details") == 3
    assert '<span class="piece value differs">s=19<mark>1</mark></span>' in html


def test_a_prediction_is_shown_alone() -> None:
    file = io.StringIO()
    result = imagine(SUM, Says(b"(1 n=40\n2 s=0\n3 i=0\n4\nwhat\n"))
    print_imagined(Console(file=file, width=100), result)
    lines = file.getvalue().splitlines()
    assert re.search(r"^ +1 +2 +s = 0 +│ s=0 *$", lines[3])
    assert any(line.startswith("malformed") for line in lines)


@pytest.mark.parametrize(
    ("count", "middle", "most", "wanted"),
    [
        (5, 2, 0, [(0, 5)]),
        (5, 2, 9, [(0, 5)]),
        (100, 50, 30, [(40, 70)]),
        (100, 1, 30, [(0, 30)]),
        (100, 99, 30, [(70, 100)]),
        (100, None, 40, [(0, 30), (90, 100)]),
    ],
)
def test_the_window_is_around_the_divergence(
    count: int, middle: int | None, most: int, wanted: list[tuple[int, int]]
) -> None:
    assert window(count, middle, most) == wanted


def test_probabilities_are_read_by_people() -> None:
    assert [percent(p) for p in (1.0, 0.974, 0.04, 0.0012, 1e-8, 0.0)] == [
        "100 %", "97 %", "4.0 %", "0.1 %", "1e-06 %", "0 %",
    ]  # fmt: skip


def test_interventions_show_flips_with_their_test_and_intervals() -> None:
    before = {**dict.fromkeys(range(10), False), **dict.fromkeys(range(10, 20), True)}
    after = {**before, **dict.fromkeys(range(8), True), 10: False}
    tried = [InterventionTrial(intervention="repair", sample=i, before=before[i], after=after[i]) for i in before]
    tried += [
        InterventionTrial(intervention="guard", sample=i, before=before[i], status="unfit", why="no") for i in before
    ]
    result = Trials(
        model=EVIL, by="answer", seed=0, failed=tuple(range(10)), causes=("lost variable",) * 10,
        chosen=tuple(range(10, 20)), passing=50, unjudged=2, interventions=("repair", "guard"), tried=tuple(tried),
    )  # fmt: skip
    file = io.StringIO()
    print_trials(Console(file=file, width=180), result)
    lines = file.getvalue().splitlines()
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", file.getvalue())
    assert "10 failed and 10 of 50 passing samples, judged by answer" in lines[0]
    row = next(line for line in lines if line.startswith("repair"))
    cells = r"\+7 +8 of 10 \(49 - 94 %\) +1 of 10 \(2 - 40 %\) +0\.039 +\+3 \(-12 to \+7\) +0 +0"
    assert re.search(cells, row)
    assert re.search(r"- of 0 +- of 0 +1\.000 +- +20 +0", next(line for line in lines if "control flow" in line))
    assert any(re.search(r"^lost variable +8 of 10", line) for line in lines)
    assert "2 samples" in lines[-1]


@pytest.mark.parametrize("width", [60, 80, 120])
def test_both_sides_of_the_divergence_are_seen_to_differ(width: int) -> None:
    """Long values that part far behind are shown around where they do, in the width that there is."""
    program = Program(source="def f(n):\n    values = 'x' * n\n    return 0\n", call="f(200)")
    (true,) = Interpreter().predict([PredictionRequest(program=program)])
    result = debug(program, Says(true.text.replace(b"xx'", b"yx'", 1)), interventions=False)
    lines = shown(result, width).splitlines()
    row = next(line for line in lines if line.startswith("▶"))
    _, wanted, got = row.split("│")
    assert "y" in got
    assert "y" not in wanted
    assert "val" in wanted
    assert all(len(line) <= width for line in lines)


def test_a_row_with_one_side_is_marked_as_not_compared() -> None:
    """Behind the end of a prediction nothing is right."""
    (true,) = Interpreter().predict([PredictionRequest(program=SUM)])
    result = debug(SUM, Says(true.text[: len(true.text) // 2].rpartition(b"\n")[0] + b"\n"), interventions=False)
    lines = shown(result, rows=0).splitlines()
    marks = [line[:2] for line in lines if re.match(r"(  |- |▶ |· ) *\d+ +\d+ ", line)]
    assert marks[0] == "  "
    assert marks[-1] == "- "


def test_a_narrow_terminal_has_whole_heads_and_some_source() -> None:
    lines = shown(debugged("4 s=190", "4 s=191"), 60).splitlines()
    head = next(line for line in lines if "actual" in line)
    assert head.rstrip().endswith("│ predicted")
    assert any("for i in " in line for line in lines)
    assert any("s += i" in line for line in lines)


def test_the_page_names_its_tool() -> None:
    assert '<header class="brand">worldline</header>' in page(debugged("4 s=190", "4 s=191"))

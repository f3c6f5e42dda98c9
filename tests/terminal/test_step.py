"""`worldline step` from the keyboard: every key, every panel, also while a model is writing."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path

import pytest
from plain_predictor import PlainPredictor
from textual.pilot import Pilot

from worldline.core.program import Program
from worldline.predict.interpreter import Interpreter
from worldline.predict.models import load_model
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.predictor import Predictor
from worldline.ui.session.session import Session
from worldline.ui.session.stops import locations
from worldline.ui.terminal.step.app import StepApp
from worldline.ui.terminal.step.keys import KEYS
from worldline.ui.terminal.step.panel import PANELS
from worldline.ui.terminal.step.screens import ChoiceScreen, TextScreen

pytestmark = pytest.mark.usefixtures("sandbox")

FACT = Program(
    source="def fact(n):\n    if n < 2:\n        return 1\n    r = fact(n - 1)\n    return r * n\n",
    call="fact(3)",
    name="fact.py",
)
EVENS = Program(
    source="def f(xs):\n    ys = [x for x in xs if x % 2 == 0]\n    return ys\n", call="f([1, 2])", name="evens.py"
)
LOUD = Program(
    source="def f(a):\n    s = a + '[bold]x[/bold]'\n    print(s)\n    print(a)\n    return s\n",
    call=r"f('\x1b]0;evil\x07\x1b[31m')",
    name="[red]loud[/red].py",
)
CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")
Act = Callable[["Hand"], Awaitable[None]]


class Wrong(PlainPredictor):
    """Imagines fact(3), but takes the innermost result for 9; from a given text on it says no more."""

    name = "wrong"

    def predict(self, asks: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        for ask in asks:
            (truth,) = Interpreter().predict([ask])
            text = truth.text.replace(b" r=1\n", b" r=9\n").replace(b")2\n", b")18\n")
            yield Prediction(text=ask.given or text, status="budget" if ask.given else "ended")


class Waits(PlainPredictor):
    """Answers when it is let."""

    name = "waits"

    def __init__(self) -> None:
        self.asked, self.let = threading.Event(), threading.Event()

    def predict(self, asks: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        self.asked.set()
        self.let.wait(120)
        return Interpreter().predict(asks)


class Hand:
    """Somebody at the keys of a stepper."""

    def __init__(self, app: StepApp, pilot: Pilot[None]) -> None:
        self.app, self.pilot, self.cursor, self.session = app, pilot, app.cursor, app.cursor.session

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def type(self, text: str) -> None:
        """Instead of what stands in the line."""
        await self.press("ctrl+u", *text, "enter")

    async def settled(self, branches: int = 1) -> None:
        """Until all that was begun is written, and shown."""
        for _ in range(1_500):
            await self.pilot.pause(0.02)
            known, told = self.session.branches, self.app.progress
            is_shown = told is not None and told.branch == len(known) - 1 and told.stage in ("done", "failed")
            if len(known) == branches and is_shown and all(one.status != "running" for one in known):
                return
        raise AssertionError([one.status for one in self.session.branches])

    def shown(self, *names: str) -> str:
        """What some panels show, or all of them."""
        return "\n".join(self.app.panels[name].render().plain for name in names or self.app.panels)


def stepping(
    program: Program, predictor: Predictor, act: Act, *, size: tuple[int, int] = (80, 24), limit: int | None = None
) -> StepApp:
    """An app in which somebody acts."""
    app = StepApp(Session.new(program, model=predictor.info.name, limit=limit), predictor)

    async def run() -> None:
        async with app.run_test(size=size) as pilot:
            await act(Hand(app, pilot))

    try:
        asyncio.run(run())
    finally:
        app.end()
    return app


def of_fact(predictor: Predictor | None = None, **options: object) -> Callable[[Act], StepApp]:
    """Something done with the finished run of fact(3)."""

    def run(act: Act) -> StepApp:
        async def after(hand: Hand) -> None:
            await hand.settled()
            await act(hand)

        return stepping(FACT, predictor or Wrong(), after, **options)  # type: ignore[arg-type]

    return run


def test_every_key_leads_to_an_act_and_none_to_two() -> None:
    keys = [key for group in KEYS.values() for key in group]
    names = [name for key in keys for name in (key.key, *key.also.split())]
    assert len(names) == len(set(names))
    for key in keys:
        assert callable(getattr(StepApp, "action_" + key.act.partition("(")[0])), key


def test_the_page_s_keys_mean_the_same() -> None:
    static = Path(__file__).parents[2] / "src/worldline/ui/web/static"
    text = (static / "moves.js").read_text() + (static / "sample_keys.js").read_text()
    shown = dict(re.findall(r'key\("(\w)", "([^"]+)"', text))
    shown |= {key: label for label, key in re.findall(r'label: "([^"]+)", key: "(\w)"', text)}
    ours = {key.key: key.label for group in KEYS.values() for key in group}
    for key in "oOuUfdDgbs":
        assert ours[key] == shown[key], key
    further = {key.key: key.also for group in KEYS.values() for key in group}
    for key, also in (("right", "F11"), ("o", "F10"), ("u", "Shift+F11"), ("B", "F9")):
        assert also.lower() in further[key].split()
        assert re.search(rf'also: "[^"]*{re.escape(also)}"|, "{also}"\)', text), also
    assert (further["c"], 'key: " ", also: "c"' in text) == ("space", True)
    for key, word in (("e", "variable"), ("l", "line"), ("m", "budget"), ("r", "rewrite"), ("w", "last writer")):
        assert word in ours[key]


def test_it_opens_at_the_first_divergence_and_shows_both_sides() -> None:
    async def act(hand: Hand) -> None:
        assert hand.cursor.row == hand.cursor.run_diff.first
        text = hand.shown()
        assert "diverges at step" in hand.shown("heading")
        assert "X state wrong" in hand.shown("place")
        assert re.search(r"^X r +\*1 +\*9", hand.shown("state"), re.M), text
        assert "state fact > fact" in text
        assert re.search(r"^ ▶\d", hand.shown("source"), re.M)
        assert "X" in hand.shown("timeline").splitlines()[1]
        assert "▲" in hand.shown("timeline").splitlines()[2]
        assert re.search(r"^▶ +\d+ ·X", hand.shown("steps"), re.M), text

    of_fact()(act)


def test_steps_go_into_over_out_and_back() -> None:
    async def act(hand: Hand) -> None:
        cursor = hand.cursor
        assert cursor.run_diff.left is not None
        await hand.press("home")
        assert cursor.row == 0
        await hand.press("right", "n")
        assert cursor.row == 2
        await hand.press("left", "p")
        assert cursor.row == 0
        await hand.press("left")
        assert "no such step" in hand.shown("place")
        await hand.press("right", "right", "o")  # from the line that calls, over the call
        row = cursor.run_diff.row_of("left", cursor.run_diff.left.over(2) or 0)
        assert cursor.row == row > 3
        await hand.press("O")
        assert cursor.row == 2
        await hand.press("right")
        assert cursor.run_diff.left.depth(cursor.run_diff.rows[3].left or 0) == 1
        await hand.press("u")
        assert cursor.row == row
        await hand.press("left", "U")
        assert cursor.run_diff.left.depth(cursor.run_diff.rows[cursor.row].left or 0) == 0
        await hand.press("end")
        assert cursor.row == cursor.count - 1

    of_fact()(act)


def test_hops_jumps_and_the_way_back() -> None:
    async def act(hand: Hand) -> None:
        cursor, first = hand.cursor, hand.cursor.run_diff.first
        await hand.press("home", "f")
        assert cursor.row == first
        await hand.press("b")
        assert cursor.row == 0
        await hand.press("d")
        assert cursor.row == first
        await hand.press("d")
        assert "no such difference" in hand.shown("place")
        await hand.press("end", "D")
        assert cursor.row == first
        await hand.press("g")
        await hand.type("1")
        assert cursor.row == 1
        await hand.press("g")
        await hand.type("99")
        assert cursor.row == 1
        assert "no step 99" in hand.shown("place")
        await hand.press("g", "escape", "b", "b", "b", "b", "b")
        assert "nowhere to go back to" in hand.shown("place")

    of_fact()(act)


def test_the_last_writer_of_the_chosen_name() -> None:
    async def act(hand: Hand) -> None:
        cursor, first = hand.cursor, hand.cursor.run_diff.first
        assert first is not None
        await hand.press("w")  # the first that differs
        assert "r is written in this step" in hand.shown("place") or cursor.row < first
        await hand.press("f", "shift+tab", "up")
        assert hand.app.focused is hand.app.panels["state"]
        assert hand.app.chosen == (1, "n")  # of the frame that waited
        await hand.press("w")
        step = cursor.run_diff.rows[cursor.row].right
        assert step is not None
        assert cursor.run_diff.right.events[step].event == "call"
        right = cursor.row
        await hand.press("b", "W")
        assert cursor.row == right

    of_fact()(act)


def test_breakpoints_continue_and_reverse_continue() -> None:
    async def act(hand: Hand) -> None:
        cursor = hand.cursor
        await hand.press("k", "space", "down", "space", "enter")  # at no cause
        assert cursor.stops == set()
        await hand.press("home", "tab")
        assert hand.app.focused is hand.app.panels["source"]
        await hand.press("down", "down", "B")
        assert cursor.breakpoints == {(None, 3)}
        assert re.search("^● 3", hand.shown("source"), re.M)
        await hand.press("c")
        assert list(locations(cursor.run_diff, cursor.row)) == [(None, 3)] * 2
        assert "the breakpoint at line 3" in hand.shown("place")
        stop = cursor.row
        await hand.press("c")
        assert cursor.row == cursor.count - 1
        assert "no stop before the end" in hand.shown("place")
        await hand.press("C")
        assert cursor.row == stop
        await hand.press("enter")  # in the source: off, at the line that runs
        assert cursor.breakpoints == set()
        await hand.press("C")
        assert cursor.row == 0

    of_fact()(act)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("at", "told"), [(1, "the first wrong value"), (2, "a new error"), (3, "a divergence"), (4, "the cause")]
)
def test_continue_stops_at_what_is_wrong(at: int, told: str) -> None:
    async def act(hand: Hand) -> None:
        await hand.press("home", "k", "space", "down", "space", *["down"] * (at - 1), "space", "enter", "c")
        assert hand.cursor.row == hand.cursor.run_diff.first
        assert told in hand.shown("place")

    of_fact()(act)


def test_an_edit_makes_a_branch_and_branches_are_switched() -> None:
    async def act(hand: Hand) -> None:
        cursor = hand.cursor
        await hand.press("home", "right", "e")
        await hand.type("n=2")
        await hand.settled(2)
        assert cursor.branch == 1
        assert cursor.here.edit is not None
        assert cursor.here.edit.as_json() == {"kind": "edit", "step": 1, "name": "n", "value": "2"}
        assert "branch 1: n = 2 at step 1" in hand.shown("heading")
        assert re.search(r"n +\*?2 ", hand.shown("state")), hand.shown()
        await hand.press("comma")
        assert cursor.branch == 0
        await hand.press("comma")
        assert "no further branch" in hand.shown("place")
        await hand.press("full_stop")
        assert cursor.branch == 1
        await hand.press("t", "up", "enter")
        assert cursor.branch == 0
        await hand.press("e")
        await hand.type("what?")
        assert "expected NAME=VALUE" in hand.shown("place")
        await hand.press("e")
        await hand.type("n=[")
        await hand.pilot.pause(0.2)
        assert "not a value" in hand.shown("place")
        assert len(hand.session.branches) == 2

    of_fact(Interpreter())(act)


def test_a_forced_line_and_one_that_cannot_be() -> None:
    async def act(hand: Hand) -> None:
        await hand.press("home", "right", "l")
        await hand.type("5")
        await hand.settled(2)
        branch = hand.cursor.here
        assert branch.edit is not None
        assert branch.edit.as_json() == {"kind": "line", "step": 1, "line": 5}
        await hand.press("comma", "home", "right", "l")
        await hand.type("77")
        await hand.pilot.pause(0.2)
        assert "line 77 cannot execute" in hand.shown("place")
        await hand.press("l")
        await hand.type("x")
        assert "is not a number" in hand.shown("place")

    of_fact(Interpreter())(act)


def test_a_budget_is_extended() -> None:
    async def act(hand: Hand) -> None:
        assert "cut by its budget" in hand.shown("heading")
        assert hand.shown("timeline").splitlines()[0].rstrip("-") != hand.shown("timeline").splitlines()[0]
        await hand.press("home", "d")
        assert "no such difference" in hand.shown("place")
        await hand.press("end")
        assert "the model has no step here" in hand.shown("place")
        await hand.press("e")
        assert "no step here to continue from" in hand.shown("place")
        await hand.press("m")
        await hand.type("4096")
        await hand.settled(2)
        assert "branch 1: budget 4,096 bytes  right" in hand.shown("heading")

    of_fact(Interpreter(), limit=24)(act)


def test_a_program_is_rewritten() -> None:
    async def act(hand: Hand) -> None:
        await hand.settled()
        await hand.press("r", "enter")
        await hand.settled(2)
        assert hand.cursor.here.ask.program.source != EVENS.source
        assert "branch 1: rewritten: flatten" in hand.shown("heading")
        assert "for x in xs:" in hand.shown("source")
        await hand.press("r", "enter")
        await hand.pilot.pause(0.2)
        assert "nothing to decompose" in hand.shown("place")

    stepping(EVENS, Interpreter(), act, size=(120, 40))


def test_help_why_and_whole_values_are_read_and_left() -> None:
    async def act(hand: Hand) -> None:
        for keys, words in (
            (["question_mark"], ["step over a call", "last writer", "consequential"]),
            (["y"], ["actual", "return 6", "cause", "bytes"]),
            (["shift+tab", "enter"], ["actual", "9"]),
        ):
            await hand.press(*keys)
            screen = hand.app.screen
            assert isinstance(screen, TextScreen)
            assert all(word in screen._text.plain for word in words)
            await hand.press("pagedown", "escape")
            assert not isinstance(hand.app.screen, TextScreen)

    of_fact()(act)


def test_the_chain_behind_a_wrong_value_is_read_and_followed() -> None:
    async def act(hand: Hand) -> None:
        while hand.cursor.run_diff.right.events[hand.cursor.row].arg != "18":
            await hand.press("right")
        await hand.press("Y")
        screen = hand.app.screen
        assert isinstance(screen, ChoiceScreen)
        assert screen._question == "Why the returned value: 2, predicted 18"
        links = [text.plain.splitlines()[0] for _, text in screen._options]
        assert [link.split("line")[0].strip() for link in links] == ["step 11", "step 5"]
        assert "origin: right operands, wrong result" in links[-1]
        await hand.press("down", "enter")
        assert not isinstance(hand.app.screen, ChoiceScreen)
        assert hand.cursor.row == 5
        await hand.press("home", "Y")
        assert "no value is chosen, and none differs" in hand.shown("place")

    of_fact()(act)


def test_panels_pages_and_clicks() -> None:
    async def act(hand: Hand) -> None:
        cursor = hand.cursor
        for name in PANELS:
            await hand.press("tab")
            assert hand.app.focused is hand.app.panels[name]
        await hand.press("shift+tab")
        assert hand.app.focused is hand.app.panels["state"]
        await hand.press("tab")
        await hand.press("home", "down")
        assert cursor.row == 1
        await hand.press("pagedown")
        assert cursor.row > 2
        await hand.press("pageup", "up")
        assert cursor.row == 0
        await hand.pilot.click("#timeline", offset=(2 + 5, 0))
        assert cursor.row == 5
        await hand.press("home")
        await hand.pilot.click("#steps", offset=(3, 2))
        assert cursor.row == 1
        await hand.pilot.click("#source", offset=(6, 4))
        assert hand.app.line == (None, 4)

    of_fact()(act)


def test_it_can_be_looked_at_while_the_model_writes_and_stopped() -> None:
    predictor = Waits()

    async def act(hand: Hand) -> None:
        for _ in range(500):
            await hand.pilot.pause(0.02)
            if predictor.asked.is_set() and hand.cursor.count:
                break
        assert "predicting" in hand.shown("heading") or "recording" in hand.shown("heading")
        assert set(hand.shown("timeline").splitlines()[0]) == set("A -")
        await hand.press("end")
        assert "not written yet" in hand.shown("place")
        await hand.press("home", "c")
        assert "continuing while" in hand.shown("place")
        await hand.press("s")
        await hand.settled()
        assert hand.session.branch(0).status == "stopped"
        assert "stopped at 0 bytes" in hand.shown("heading")
        await hand.press("s")
        assert "not writing" in hand.shown("place")

    stepping(FACT, predictor, act)
    predictor.let.set()


def test_running_on_waits_for_what_stops_it() -> None:
    predictor = Waits()

    async def act(hand: Hand) -> None:
        for _ in range(500):
            await hand.pilot.pause(0.02)
            if predictor.asked.is_set() and hand.cursor.count:
                break
        await hand.press("home", "c")
        predictor.let.set()
        await hand.settled()
        assert hand.cursor.row == hand.cursor.count - 1
        assert "no stop before the end" in hand.shown("place")

    stepping(FACT, predictor, act)


@pytest.mark.parametrize("key", ["q", "ctrl+c"])
def test_quitting_amid_it_ends_the_thread(key: str) -> None:
    predictor = Waits()

    async def act(hand: Hand) -> None:
        while not predictor.asked.is_set():
            await hand.pilot.pause(0.02)
        await hand.press(key)

    app = stepping(FACT, predictor, act)
    assert not app._growing.is_alive
    assert app.cursor.session.branch(0).status == "stopped"
    predictor.let.set()


def test_a_model_that_fails_leaves_the_interpreter_s_run() -> None:
    class Fails(PlainPredictor):
        name = "fails"

        def predict(self, asks: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
            raise OSError("no such \x1b[31mhost")

    async def act(hand: Hand) -> None:
        await hand.settled()
        assert r"failed: no such \x1b[31mhost" in hand.shown("heading")
        assert hand.cursor.count > 5

    stepping(FACT, Fails(), act)


@pytest.mark.long(reason="a key for each step, in terminals of five sizes")
@pytest.mark.parametrize("size", [(80, 24), (40, 16), (20, 8), (8, 4), (200, 60)])
def test_hostile_text_is_shown_as_text_in_any_room(size: tuple[int, int]) -> None:
    async def act(hand: Hand) -> None:
        await hand.settled()
        for _ in range(hand.cursor.count):
            await hand.press("right")
            assert not CONTROL.search(hand.shown())
        if size[0] >= 80:
            assert r"\x1b]0;evil\x07\x1b[31m[bold]x[/bold]" in hand.shown("output") or size[0] == 80
            assert "[red]loud[/red].py" in hand.shown("source")
        await hand.press("left", "left", "shift+tab", "down", "enter", "escape", "e")
        await hand.pilot.pause()
        assert not CONTROL.search(hand.app.export_screenshot().replace("\n", "").replace("\t", ""))

    stepping(LOUD, Interpreter(), act, size=size)


def test_bytes_that_no_notation_has() -> None:
    class Garbage(PlainPredictor):
        name = "\x1b[5mgarbage"

        def predict(self, asks: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
            for _ in asks:
                yield Prediction(text=b"( n=3\n2 \x1b[31m\xff\xfe\n\x00\n\x07[/bold]\n", status="ended")

    async def act(hand: Hand) -> None:
        await hand.settled()
        for _ in range(hand.cursor.count):
            await hand.press("right")
            assert not CONTROL.search(hand.shown())
        await hand.press("y")
        assert not CONTROL.search(hand.app.screen._text.plain)  # type: ignore[attr-defined]

    stepping(FACT, Garbage(), act)


def test_the_shipped_model_streams_and_its_run_is_stepped_through() -> None:
    source = (Path(__file__).parents[2] / "examples/count.py").read_text()
    seen = []

    async def act(hand: Hand) -> None:
        while not hand.cursor.count:
            await hand.pilot.pause(0.02)
        for _ in range(1_500):
            await hand.pilot.pause(0.02)
            seen.append(len(hand.session.branch(0).found.text))
            if hand.session.branch(0).status != "running":
                break
        await hand.settled()
        first = hand.cursor.run_diff.first
        assert hand.cursor.row == (first or 0)
        assert ("diverges at" if first is not None else "right") in hand.shown("heading")
        assert re.search(r"confidence \d", hand.shown("place"))

    stepping(Program(source=source, call="count('berry','r')", name="count.py"), load_model(), act)
    assert len(set(seen)) > 1  # it was there while it was written

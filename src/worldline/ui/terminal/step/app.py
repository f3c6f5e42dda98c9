"""`worldline step`: step through a prediction in the terminal, beside the actual execution.

The app shows a session at a cursor (`cursor`) and handles keys (`keys`). The model writes in a thread of its
own, and what is written so far can be inspected. `draw` draws the panels.
"""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import ClassVar

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.message import Message

from worldline.core.limits import Limits
from worldline.predict.predictor import Predictor
from worldline.ui.session.branches.branch import HOWS, BranchEdit
from worldline.ui.session.rollout import RolloutProgress, predict_branch, predict_root
from worldline.ui.session.rollout_worker import IsStopped, Job, RolloutCallbacks, RolloutController, RolloutWorker
from worldline.ui.session.session import Session
from worldline.ui.session.stops import STOPS, Location
from worldline.ui.terminal.step import draw, questions, words
from worldline.ui.terminal.step.chain import chain_screen
from worldline.ui.terminal.step.cursor import SessionCursor
from worldline.ui.terminal.step.keys import HINT, KEYS
from worldline.ui.terminal.step.panel import CSS, HEIGHTS, PANELS, WIDTHS, Panel
from worldline.ui.terminal.step.row_view import NamedValue
from worldline.ui.terminal.step.screens import ChecklistScreen, ChoiceScreen, InputScreen, TextScreen
from worldline.ui.terminal.step.words import brief

STOP_SECONDS = 2.0  # that the model has to stop when the user quits
COMPARE_RATIO = 5  # the model writes at least this many times longer than its rows take to compare
REWRITES = ("one operation per line, comprehensions as loops", "string methods as loops", "both")


def step(session: Session, predictor: Predictor | None, *, limits: Limits | None = None) -> None:
    """Let a model predict a new session and the user step through it; returns when the user quits.

    A recorded session needs no model: nothing in it can be changed.
    """
    app = StepApp(session, predictor, limits)
    try:
        app.run()
    finally:
        app.end()
    if app.is_killed:
        raise KeyboardInterrupt


class PostedCall(Message):
    """A call that the model's thread wants executed in the app's thread."""

    def __init__(self, act: Job) -> None:
        super().__init__()
        self.act = act


class StepApp(App[None]):
    """The screen, its cursor, and the model that is writing."""

    TITLE = "worldline step"
    ENABLE_COMMAND_PALETTE = False
    HORIZONTAL_BREAKPOINTS = WIDTHS
    VERTICAL_BREAKPOINTS = HEIGHTS
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(",".join((key.key, *key.also.split())), key.act, key.label, show=False)
        for keys in KEYS.values()
        for key in keys
    ]
    CSS = CSS

    def __init__(self, session: Session, predictor: Predictor | None, limits: Limits | None = None) -> None:
        # Without colours, textual would still send greys; an ANSI app sends none.
        super().__init__(ansi_color=True if "NO_COLOR" in os.environ else None)
        self.cursor, self.predictor, self._limits = SessionCursor(session), predictor, limits
        self.is_killed = False
        self.message = ""
        self.chosen: tuple[int, str] | None = None
        self._waiting_row: int | None = None  # the row where `continue` waits for the model to write more
        self.progress: RolloutProgress | None = None
        self._listing = draw.SourcePane(self.cursor.here.ask.program)
        self._line: Location | None = None
        self.panels = {str(panel.id): panel for panel in self._panels()}
        self._growing = RolloutWorker()
        self._controller = RolloutController(self._growing, self._post)

    def _post(self, act: Job) -> None:
        self.post_message(PostedCall(act))

    def end(self) -> None:
        self._controller.stop()
        self._growing.end(STOP_SECONDS)

    # the screen

    def _panels(self) -> Iterator[Panel]:
        cursor = self.cursor
        yield Panel("heading", lambda w, h, f: [draw.fit(words.heading(cursor, self.progress), w)])
        yield Panel("timeline", lambda w, h, f: draw.lanes(cursor, w, h), self._pick_time)
        yield Panel("source", self._source, self._pick_line)
        yield Panel("output", lambda w, h, f: draw.output(cursor.view, w, h, focused=f))
        yield Panel("state", lambda w, h, f: draw.state(cursor.view, self.chosen, w, h, focused=f))
        yield Panel("steps", lambda w, h, f: draw.steps(cursor, w, h, focused=f), self._pick_step)
        yield Panel("place", lambda w, h, f: [self._place(w)])
        yield Panel("hint", lambda w, h, f: [draw.fit(Text(HINT), w)])

    def compose(self) -> ComposeResult:
        panels = self.panels
        yield panels["heading"]
        yield panels["timeline"]
        with Horizontal(id="body"):
            yield Vertical(panels["source"], panels["output"], id="left")
            yield Vertical(panels["state"], panels["steps"], id="right")
        yield panels["place"]
        yield panels["hint"]

    def on_mount(self) -> None:
        """Start the model. Signals quit the app first, so that the terminal is restored."""
        self.panels["steps"].focus()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self._kill)
        cursor, predictor = self.cursor, self.predictor
        if predictor is None:
            cursor.seek(cursor.remarkable())
            self._show()
            return
        self._controller.start(
            lambda stop: paced(cursor, predict_root(cursor.session, predictor, limits=self._limits, stop=stop)),
            self._callbacks(lambda branch: None),
        )

    def _kill(self) -> None:
        self.is_killed = True
        self.exit()

    @property
    def listing(self) -> draw.SourcePane:
        """The source of the current branch; a rewritten program has its own."""
        if self._listing.program is not self.cursor.here.ask.program:
            self._listing = draw.SourcePane(self.cursor.here.ask.program)
        return self._listing

    @property
    def line(self) -> Location:
        """The chosen line; by default the one that executes."""
        if self._line is None:
            run_view = draw.source_side(self.cursor.view)
            live = run_view.stack[-1] if run_view is not None and run_view.stack else None
            file = run_view.run.frame(live.frame).file if run_view is not None and live is not None else None
            return file, (live.line if live is not None else None) or 1
        return self._line

    def _source(self, width: int, height: int, focused: bool) -> list[Text]:
        return self.listing.draw(self.cursor, self.line, width, height, focused=focused)

    def _place(self, width: int) -> Text:
        text = Text().append(brief(self.message) + "  " if self.message else "", style="bold yellow")
        return draw.fit(text.append_text(words.place(self.cursor)), width)

    def _show(self, message: str = "") -> None:
        self.message = message
        sides = (self.cursor.view.left, self.cursor.view.right)
        is_silent = not any(run_view is not None and run_view.printed for run_view in sides)
        self.panels["output"].set_class(is_silent, "silent")
        for panel in self.panels.values():
            panel.refresh()

    def _say(self, message: str) -> None:
        self._show(message)

    # the model

    def on_posted_call(self, posted: PostedCall) -> None:
        posted.act()

    def _grew(self, progress: RolloutProgress) -> None:
        self.progress = progress
        if progress.branch != self.cursor.branch:
            return self._show(self.message)
        followed = self.cursor.follows
        self.cursor.look()
        if self._waiting_row is not None:
            self._continue(self._waiting_row)
        elif followed and not self.cursor.is_running:
            self.cursor.seek(self.cursor.remarkable())
        self._show(progress.note if progress.stage == "failed" else self.message)

    def _refused(self, why: str) -> None:
        """Show why a branch failed; the current branch stays."""
        self.cursor.make(self.cursor.branch)
        self.cursor.look()
        self._say(why)

    def _intervene(self, edit: BranchEdit) -> None:
        """Start a branch; stops whatever is being written."""
        cursor, predictor, parent = self.cursor, self.predictor, self.cursor.branch
        if predictor is None:
            return self._say("a recorded run cannot be changed")

        def begun(branch: int) -> None:
            cursor.switch(branch, follow=True)
            self._line = None
            self._say(f"branch {branch}: {words.named(edit)}")

        def begin(stop: IsStopped) -> Iterator[RolloutProgress]:
            rollout = predict_branch(cursor.session, predictor, edit, parent=parent, limits=self._limits, stop=stop)
            return paced(cursor, rollout)

        self._controller.start(begin, self._callbacks(begun))

    def _callbacks(self, on_start: Callable[[int], None]) -> RolloutCallbacks:
        return RolloutCallbacks(
            on_start=on_start, on_progress=self._grew, on_refusal=self._refused, on_failure=self._refused
        )

    # moving

    def _go(self, row: int | None, none: str, *, jump: bool = False) -> None:
        self._waiting_row = None
        if row is None:
            return self._say(none)
        (self.cursor.jump if jump else self.cursor.seek)(row)
        self._line = None
        self._show()

    def action_move(self, direction: str) -> None:
        self._go(self.cursor.move(direction), "no such step")

    def action_hop(self, direction: str) -> None:
        self._go(
            self.cursor.hop(direction),
            "no such difference" if self.cursor.run_diff.left else "nothing to compare with",
            jump=True,
        )

    def action_trail(self) -> None:
        """Go back to where a jump started."""
        self._waiting_row = None
        self._line = None
        self._show("" if self.cursor.back() else "nowhere to go back to")

    def action_writer(self, side: str) -> None:
        """Go to the step that wrote a value."""
        value = self._chosen_value()
        if value is None:
            return self._say("no value is chosen, and none differs")
        row = self.cursor.writer(side, value)
        if row == self.cursor.row:
            return self._say(f"{brief(value.name, 40)} is written in this step")
        self.chosen = value.level, value.name
        self._go(row, f"no step wrote {brief(value.name, 40)}", jump=True)

    def _chosen_value(self) -> NamedValue | None:
        """The chosen value, or else the first that differs."""
        view = self.cursor.view
        for value in view.names:
            if (value.level, value.name) == self.chosen:
                return value
        return next((value for value in view.names if view.differs(value)), None)

    def action_run(self, step: int) -> None:
        """Continue to the next stop, forwards or backwards; waits for a model that is still writing."""
        stop = self.cursor.run(self.cursor.row, step)
        if stop is not None:
            self._go(stop[0], "", jump=True)
            self._say(stop[1])
        elif step > 0 and self.cursor.is_running:
            self.cursor.jump(self.cursor.row)
            self.cursor.follows, self._waiting_row = True, self.cursor.row
            self._say("continuing while the model writes; any step stops it")
        else:
            self._go(self.cursor.move("end" if step > 0 else "start"), "", jump=True)
            self._say("no stop before the " + ("end" if step > 0 else "start"))

    def _continue(self, start: int) -> None:
        stop = self.cursor.run(start, 1)
        if stop is not None or not self.cursor.is_running:
            row, self.message = stop or (self.cursor.count - 1, "no stop before the end")
            self.cursor.seek(row)
            self._waiting_row = None

    # breakpoints, branches

    def action_breakpoint(self) -> None:
        file, line = self.line
        is_set = self.cursor.toggle((file, line))
        self._say(f"breakpoint at line {line}" if is_set else f"breakpoint at line {line} removed")

    def action_stop(self) -> None:
        if self.progress is None or self.cursor.session.branch(self.progress.branch).status != "running":
            return self._say("the model is not writing")
        self._controller.stop()
        self._say("stopping the model")

    def action_cycle(self, step: int) -> None:
        to = self.cursor.branch + step
        self._switch(to if 0 <= to < len(self.cursor.session.branches) else None)

    def _switch(self, branch: int | None) -> None:
        self._waiting_row = None
        if branch is None or branch == self.cursor.branch:
            return self._say("no further branch" if branch is None else "this is the current branch")
        self.cursor.switch(branch)
        self._line = None
        self._say(f"branch {branch}: {words.named(self.cursor.here.edit)}")

    # panels

    def _focus(self) -> str:
        return self.focused.id if self.focused is not None and self.focused.id in PANELS else "steps"

    def action_page(self, step: int) -> None:
        self.action_point(step * max(1, self.panels[self._focus()].size.height - 2))

    def action_point(self, step: int) -> None:
        """Choose another line, name or step in the focused panel."""
        panel, cursor = self._focus(), self.cursor
        if panel == "source":
            file, line = self.line
            self._line = file, max(1, min(line + step, self.listing.count(file)))
        elif panel == "state":
            names = [(value.level, value.name) for value in cursor.view.names]
            at = names.index(self.chosen) + step if self.chosen in names else 0
            self.chosen = names[max(0, min(at, len(names) - 1))] if names else None
        elif panel == "steps" and cursor.count:
            return self._go(max(0, min(cursor.row + step, cursor.count - 1)), "")
        self._show()

    def action_open(self) -> None:
        panel, value = self._focus(), self._chosen_value()
        if panel == "source":
            self.action_breakpoint()
        elif panel == "state" and value is not None:
            title = f"{brief(value.name, 40)} after step {self.cursor.row:,}"
            self.push_screen(TextScreen(title, words.whole(value)))

    def _pick_time(self, x: int, y: int) -> None:
        row = draw.row_at(self.cursor, x, self.panels["timeline"].size.width)
        if row is not None:
            self._go(row, "", jump=True)

    def _pick_step(self, x: int, y: int) -> None:
        shown = draw.around(self.cursor.row, self.cursor.count, self.panels["steps"].size.height - 1)
        if 1 <= y <= len(shown):
            self._go(shown[y - 1], "")

    def _pick_line(self, x: int, y: int) -> None:
        file, line = self.line
        shown = draw.around(line - 1, self.listing.count(file), self.panels["source"].size.height - 1)
        if 1 <= y <= len(shown):
            self._line = file, shown[y - 1] + 1
            self._show()

    # dialogs

    def action_read(self, topic: str) -> None:
        """Show the help, or the explanation of the branch."""
        title, text = ("Keys", words.help_text()) if topic == "help" else ("Why", words.why(self.cursor))
        self.push_screen(TextScreen(title, text))

    def action_choose(self, topic: str) -> None:
        """Show a list to choose from."""
        if topic == "stops":
            kinds = [(kind.name, kind.sentence) for kind in STOPS.values()]
            self.push_screen(ChecklistScreen("Continue to", kinds, sorted(self.cursor.stops)), self._set_stops)
        elif topic == "rewrite":
            rewrites = [(how, Text(f"{how}: {text}")) for how, text in zip(HOWS, REWRITES, strict=True)]
            self.push_screen(ChoiceScreen("Rewrite the program", rewrites), self._rewrite)
        elif topic == "chain":
            screen = chain_screen(self.cursor, self._chosen_value(), is_chosen=self.chosen is not None)
            if isinstance(screen, str):
                return self._say(screen)
            self.push_screen(screen, lambda row: self._go(int(row), "", jump=True) if row else None)
        else:
            branches = words.tree(self.cursor.session, self.cursor.branch)
            at = [number for number, _ in branches].index(self.cursor.branch)
            options = [(str(number), text) for number, text in branches]
            self.push_screen(
                ChoiceScreen("Branches", options, at), lambda text: self._switch(int(text)) if text else None
            )

    def _set_stops(self, chosen: list[str] | None) -> None:
        if chosen is not None:
            self.cursor.stops = set(chosen)
            kinds = ", ".join(STOPS[name].word for name in chosen) or "breakpoints only"
            self._say(f"continue stops at {kinds}")

    def _rewrite(self, how: str | None) -> None:
        if how is not None:
            self._intervene(BranchEdit(kind="rewrite", how=how))

    def action_ask(self, topic: str) -> None:
        """Ask for one line of text: where to go, or what to change."""
        if topic == "row":
            prompt = f"Go to step (0 to {max(0, self.cursor.count - 1)}):"
            self.push_screen(InputScreen(prompt), self._answered_row)
            return
        question = questions.question_of(topic, self.cursor, self._chosen_value(), self.line[1])
        if isinstance(question, str):
            return self._say(question)
        self.push_screen(
            InputScreen(question.question, question.value), partial(self._answered, topic, self.cursor.step)
        )

    def _answered_row(self, text: str | None) -> None:
        if text is not None:
            row = questions.number(text)
            exists = row is not None and row < self.cursor.count
            self._go(row if exists else None, f"no step {brief(text, 40)}", jump=True)

    def _answered(self, topic: str, step: int | None, text: str | None) -> None:
        if text is not None:
            edit = questions.intervention_of(topic, step, text)
            if isinstance(edit, str):
                return self._say(edit)
            self._intervene(edit)

    def action_leave(self) -> None:
        self._controller.stop()
        self.exit()


def paced(cursor: SessionCursor, reports: Iterator[RolloutProgress]) -> Iterator[RolloutProgress]:
    """Yield reports of a branch when its rows are compared: in the model's thread, and not too often."""
    stage, next_time = "", 0.0
    for progress in reports:
        began = time.perf_counter()
        if progress.stage != stage or began >= next_time:
            cursor.make(progress.branch)
            now = time.perf_counter()
            stage, next_time = progress.stage, now + COMPARE_RATIO * (now - began)
            yield progress

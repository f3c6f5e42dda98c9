"""A launched program: the branch that is stepped through, the position on it, and how to move.

While the model is writing, a move waits until it can be decided: a breakpoint stops as soon as its step exists, a
divergence as soon as no further step can change it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from worldline.core.errors import UsageError
from worldline.diagnose.failure import FailureExplanation
from worldline.predict.predictor import Predictor
from worldline.ui.dap.breakpoints import Breakpoint, BreakpointHits, names_at
from worldline.ui.dap.expressions import Expression, UnknownValue
from worldline.ui.dap.launching import Launch
from worldline.ui.dap.messages import Arguments, ClientCapabilities
from worldline.ui.dap.snapshot import BranchSnapshot
from worldline.ui.dap.sources import ProgramSources, SourceKey
from worldline.ui.dap.variables import VariableReferences
from worldline.ui.session.branches.branch import Branch, BranchEdit
from worldline.ui.session.rollout import RolloutProgress, predict_branch, predict_root
from worldline.ui.session.rollout_worker import RolloutCallbacks, RolloutController
from worldline.ui.session.session import Session
from worldline.ui.session.stepping import Stepper, StoppedFrame, line_of
from worldline.ui.session.stops import StopPoint, order_of

THREAD = 1
Emit = Callable[[str, Mapping[str, Any]], None]


@dataclass(frozen=True)
class Move:
    """A move: `into`, `over`, `out`, `continue`, or `arrive` at the current position.

    `fine`: stop at every step, not only at lines. `reason`: reported for the stop, unless something else stops.
    """

    kind: str
    fine: bool = False
    reason: str = "step"
    text: str = ""


@dataclass(frozen=True)
class StopEvent:
    """Why the program stopped."""

    reason: str
    text: str = ""
    points: tuple[StopPoint, ...] = ()
    breakpoints: tuple[int, ...] = ()


class DapSession:
    """A launched program and the position in its prediction."""

    def __init__(
        self,
        launch: Launch,
        predictor: Predictor | None,
        controller: RolloutController,
        client: ClientCapabilities,
        emit: Emit,
        watch: Callable[[RolloutProgress], None],
        recorded: Session | None = None,
    ) -> None:
        self.launch, self.predictor, self.controller = launch, predictor, controller
        self.client, self.emit, self._watch = client, emit, watch
        self._session = recorded or _new_session(launch, predictor)
        self.sources = ProgramSources(launch.root, [launch.program])
        self.branch, self.position = 0, -1
        self.done: int | None = None  # the step whose line has executed at this stop; by default it is about to
        self.snapshot = BranchSnapshot(self._session, self._session.branch(0))
        self.move: Move | None = None
        self.stopped: StopEvent | None = None
        self.is_over = False
        self.references = VariableReferences()
        self.stops = 0  # counts stops: references of earlier stops are invalid
        self.breakpoints: dict[SourceKey, list[Breakpoint]] = {}
        self.requested: dict[SourceKey, tuple[Arguments, ...]] = {}  # the breakpoints as the client sent them
        self.filters: dict[str, Expression | None] = {}
        self._numbers = 0
        self._hits: dict[tuple[int, int], BreakpointHits] = {}
        self._printed: dict[int, int] = {}  # by branch, the position up to which output was sent
        self._said_once: set[str] = set()

    @property
    def current(self) -> Branch:
        """The branch that is stepped through, as of the latest progress."""
        return self.snapshot.branch

    @property
    def stepper(self) -> Stepper:
        """Its predicted run, as far as it is written."""
        return self.snapshot.stepper

    def stack(self) -> list[StoppedFrame]:
        """Return the frames at this stop, innermost first."""
        return self.stepper.stack(self.position, self.done)

    @property
    def failure(self) -> FailureExplanation | None:
        """Why a recorded test failed; None for a prediction, or a test that passed."""
        return self._session.failure

    @property
    def is_recorded(self) -> bool:
        """Whether this is a recorded test, without a prediction."""
        return self._session.is_recorded

    @property
    def branches(self) -> tuple[Branch, ...]:
        """Every branch as it is now, by number."""
        return self._session.branches

    @property
    def program(self) -> int:
        """The number of the branch's program."""
        return self.sources.number(self.current.ask.program)

    def _refresh(self) -> None:
        branch = self._session.branch(self.branch)
        if self.snapshot.branch is not branch:
            self.snapshot = BranchSnapshot(self._session, branch)

    def next_number(self) -> int:
        """Return a new number for a breakpoint."""
        self._numbers += 1
        return self._numbers

    def take_numbers(self, old: DapSession) -> None:
        """Continue the numbers of the session that this one replaces."""
        self._numbers, self.stops = old._numbers, old.stops

    # rollouts

    def begin(self) -> None:
        """Record and predict the program; a recorded test is complete."""
        predictor = self.predictor
        if predictor is None:
            return
        self.controller.start(
            lambda stop: predict_root(self._session, predictor, limits=self.launch.limits, stop=stop),
            self._callbacks(lambda branch: None, self._fail),
        )

    def ready(self) -> None:
        """Go to the first stop: the client has set its breakpoints."""
        entry = self.launch.stop_on_entry and not self.launch.no_debug
        failure = self._session.failure
        if failure is not None and failure.raised is not None and not entry and not self.launch.no_debug:
            self._arrive(failure.raised.step, StopEvent("exception", failure.exception))
            return
        self.go(Move("arrive", reason="entry") if entry else Move("continue"))

    def apply_edit(
        self, edit: BranchEdit, *, text: str, done: Callable[[], None], refused: Callable[[str], None]
    ) -> None:
        """Continue from an edit on a new branch; `done` is called when it has started, `refused` if it cannot."""
        parent, position, predictor = self.branch, self.position + (self.done is not None), self.predictor
        if predictor is None:
            refused("a recorded test cannot be changed")
            return
        if edit.kind == "rewrite":
            position = 0

        def started(branch: int) -> None:
            if self.is_over:
                refused("the program has ended")
                return
            self.branch, self.position, self.done = branch, position, None
            self._refresh()
            if edit.kind == "line":
                self.position = self.current.at
            shared = 0 if edit.kind == "rewrite" else max(self.position, self.current.at)
            self._printed[branch] = min(self._printed.get(parent, 0), shared)
            done()
            self.go(Move("arrive", reason="goto", text=text))

        self.controller.start(
            lambda stop: predict_branch(
                self._session, predictor, edit, parent=parent, limits=self.launch.limits, stop=stop
            ),
            self._callbacks(started, refused),
        )

    def _callbacks(self, on_start: Callable[[int], None], on_refusal: Callable[[str], None]) -> RolloutCallbacks:
        return RolloutCallbacks(
            on_start=on_start, on_progress=self._progressed, on_refusal=on_refusal, on_failure=self._fail
        )

    def switch(self, branch: int) -> None:
        """Show another branch, where it leaves its parent."""
        at = self._session.branch(branch).at
        self.branch = branch
        self._refresh()
        self.position = min(max(self.position, 0), at) if at else max(self.position, 0)
        self.go(Move("arrive", reason="goto", text=f"branch {branch}"))

    def _progressed(self, progress: RolloutProgress) -> None:
        """Handle the progress of a branch."""
        if self.is_over:
            return
        self._refresh()
        self._watch(progress)
        if progress.stage == "model" and progress.note:
            self._say_once(f"no actual run to compare with: {progress.note}")
        if progress.stage == "failed":
            self._fail(progress.note or "the model gave no answer")
        elif self.move is not None:
            self._try()

    def _fail(self, why: str) -> None:
        if self.is_over:
            return
        self.say(why, category="important")
        parent = self.current.parent
        if parent is None:
            self.terminate()
        else:
            self.branch = parent
            self._refresh()
            self.go(Move("arrive", reason="goto", text=f"back on branch {parent}"))

    # moves

    def go(self, move: Move) -> None:
        """Start a move; it may have to wait for the model."""
        self.move, self.stopped = move, None
        self._invalidate()
        self._try()

    def pause(self) -> None:
        """Stop at the latest line that the model has written."""
        if self.move is None:
            return
        if not len(self.stepper):
            self.go(Move("arrive", reason="pause"))
            return
        known = min(len(self.stepper), self._known())
        lines = (q for q in range(known - 1, self.position, -1) if self.stepper.events[q].event == "line")
        self._arrive(next(lines, max(self.position, 0)), StopEvent("pause"))

    def back(self, *, fine: bool = False) -> None:
        """Step back, over calls."""
        self._jump(self.stepper.back(self.position, fine=fine, done=self.done), StopEvent("step"))

    def reverse(self) -> None:
        """Continue backwards to the previous stop, or to the beginning."""
        stops = self._stops(-1, order_of(self.position, self.done) - 1)
        position, stopped = max(stops, key=_order, default=(0, StopEvent("entry")))
        self._jump(position, stopped)

    def jump(self, position: int, text: str) -> None:
        """Go to a position without stops or output on the way."""
        self._jump(max(0, min(position, len(self.stepper))), StopEvent("goto", text))

    def _jump(self, position: int, stopped: StopEvent) -> None:
        self._invalidate()
        self._arrive(position, stopped, passing=False)

    def terminate(self) -> None:
        """End the program."""
        if not self.is_over:
            self.is_over = True
            self.move = None
            self.controller.stop()
            self.emit("terminated", {})

    def _invalidate(self) -> None:
        """Invalidate what was shown at the previous stop."""
        self.references.clear()
        self.stops += 1

    def _try(self) -> None:
        """Carry out the move, if it can be decided."""
        move = self.move
        assert move is not None
        stepper, known = self.stepper, self._known()
        goal = self._goal(stepper, move)
        if move.kind == "arrive":
            if goal < len(stepper) or not self.snapshot.is_running:
                self._arrive(min(goal, len(stepper)), StopEvent(move.reason, move.text))
            return
        here = order_of(self.position, self.done)
        stop = min(self._stops(here, order_of(min(goal, known))), key=_order, default=None)
        if stop is not None and (stop[0] < known or not self.snapshot.is_running):
            self._arrive(*stop)
        elif not self.snapshot.is_running and goal >= len(stepper):
            self._end()
        elif not self.snapshot.is_running or goal < known:
            self._arrive(goal, StopEvent(move.reason, move.text))

    def _goal(self, stepper: Stepper, move: Move) -> int:
        p = self.position
        if move.kind == "arrive":
            return max(p, 0)
        if move.kind == "continue" or not 0 <= p < len(stepper):
            return len(stepper)
        if move.kind == "out":
            return stepper.out(p, done=self.done)
        if move.kind == "into":
            return stepper.into(p, fine=move.fine)
        return stepper.over(p, fine=move.fine, done=self.done)

    def _known(self) -> int:
        """The position up to which the stops are certain."""
        return len(self.stepper) if self.launch.no_debug else self.snapshot.known(set(self.filters))

    def _stops(self, start: int, end: int) -> Iterator[tuple[int, StopEvent]]:
        """Every position that stops and why, by `order_of`: those after `start`, up to `end` inclusive."""
        if self.launch.no_debug:
            return
        hit: dict[int, list[int]] = {}
        for hits in self._branch_hits():
            if hits.breakpoint.log is None:
                for position in hits.between(start // 2, end // 2):
                    hit.setdefault(position, []).append(hits.breakpoint.number)
        for position, numbers in hit.items():
            yield position, StopEvent("breakpoint", breakpoints=tuple(numbers))
        by_order: dict[int, list[StopPoint]] = {}
        for point in self.snapshot.stop_points:
            if start < point.order <= end and self._counts(point):
                by_order.setdefault(point.order, []).append(point)
        for points in by_order.values():
            numbers = hit.get(points[0].position, []) if points[0].done is None else []
            yield points[0].position, StopEvent("exception", points[0].title, tuple(points), tuple(numbers))

    def _counts(self, point: StopPoint) -> bool:
        """Whether a filter is set that stops at this point."""
        if point.kind not in self.filters:
            return False
        condition = self.filters[point.kind]
        try:
            return condition is None or condition.holds(names_at(self.stepper, point.position, point.done))
        except UnknownValue:
            return False

    def _branch_hits(self) -> list[BreakpointHits]:
        """The hits of all breakpoints on this branch."""
        all_hits = []
        for (program, _), breakpoints in self.breakpoints.items():
            for breakpoint in breakpoints if program == self.program else ():
                if breakpoint.line is not None:
                    key = self.branch, breakpoint.number
                    hits = self._hits.setdefault(key, BreakpointHits(breakpoint))
                    hits.extend(self.stepper)
                    all_hits.append(hits)
                    if hits.unknown:
                        self._say_once(f"condition in line {breakpoint.line}: no value: {hits.unknown}")
        return all_hits

    def _end(self) -> None:
        """Stop once after the last step, then terminate."""
        if self.position >= len(self.stepper) or not self.launch.stop_at_end or self.launch.no_debug:
            self._pass(len(self.stepper))
            self.terminate()
        else:
            self._arrive(len(self.stepper), StopEvent("end", self.snapshot.ending()))

    def _arrive(self, position: int, stopped: StopEvent, *, passing: bool = True) -> None:
        done = stopped.points[0].done if stopped.points else None
        if passing:
            self._pass(position, is_done=done is not None)
        self.position, self.done, self.stopped, self.move = position, done, stopped, None
        body: dict[str, Any] = {"reason": stopped.reason, "threadId": THREAD, "allThreadsStopped": True}
        if stopped.text:
            body["description"] = stopped.text
        if stopped.points:
            body["text"] = stopped.points[0].text
        if stopped.breakpoints:
            body["hitBreakpointIds"] = list(stopped.breakpoints)
        self.emit("stopped", body)

    # output

    def _pass(self, position: int, *, is_done: bool = False) -> None:
        """Send what is printed and logged on the way forward to a position, or until its step is done."""
        stepper, printed = self.stepper, self._printed.get(self.branch, 0)
        outputs: list[tuple[int, int, str, str]] = []
        for step in range(printed, min(position + is_done, len(stepper))):
            text = stepper.run.printed(step)
            if text is not None:
                outputs.append((step, 1, text, "stdout"))
        for hits in self._branch_hits() if not self.launch.no_debug else ():
            log = hits.breakpoint.log
            if log is not None:
                outputs += (
                    (hit, 0, log.format(names_at(stepper, hit)) + "\n", "console")
                    for hit in hits.between(self.position, position)
                )
        for step, _, text, category in sorted(outputs):
            self._emit_output(text, category, stepper, step)
        self._printed[self.branch] = max(printed, position + is_done)

    def _emit_output(self, text: str, category: str, stepper: Stepper, step: int) -> None:
        moment = stepper.events[step]
        source = self.sources.described((self.program, moment.file))
        line = max(line_of(moment), 1) - self.client.line_shift
        self.emit("output", {"category": category, "output": text, "source": source, "line": line})

    def say(self, text: str, *, category: str = "console") -> None:
        """Print a line in the console."""
        self.emit("output", {"category": category, "output": text + "\n"})

    def _say_once(self, text: str) -> None:
        if text not in self._said_once:
            self._said_once.add(text)
            self.say(text)

    def require_stopped(self) -> None:
        """Raise a UsageError unless the program is stopped."""
        if self.stopped is None or self.is_over:
            raise UsageError("the program has ended" if self.is_over else "the program is running")


def _new_session(launch: Launch, predictor: Predictor | None) -> Session:
    assert predictor is not None
    return Session.new(
        launch.program,
        model=predictor.info.name,
        options=launch.options,
        limit=launch.limit,
        codec=predictor.info.notation,
        control=launch.control,
    )


def _order(stop: tuple[int, StopEvent]) -> tuple[int, bool]:
    points = stop[1].points
    return order_of(stop[0], points[0].done if points else None), stop[1].reason != "exception"

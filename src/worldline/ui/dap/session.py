"""One debugging session: a scene, the branch that is stepped through, the position on it, and how it moves.

It moves over steps that are there; where the model is still writing, a move waits for what it needs and no longer:
breakpoints stop as soon as their step is there, divergences as soon as no further step can change them. What is sent to
a client goes through `emit`; requests are read elsewhere (`adapter`), and what is shown is made in `showing`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from worldline.core.errors import UsageError
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
from worldline.ui.session.stepping import Stepper, line_of
from worldline.ui.session.stops import StopPoint

THREAD = 1
Emit = Callable[[str, Mapping[str, Any]], None]


@dataclass(frozen=True)
class Move:
    """Where to: `into`, `over`, `out`, `continue`, or `arrive` where it stands.

    `fine`: every step, not only lines. `reason`: of the stop, if nothing else is.
    """

    kind: str
    fine: bool = False
    reason: str = "step"
    text: str = ""


@dataclass(frozen=True)
class StopEvent:
    """Why it stands where it stands."""

    reason: str
    text: str = ""
    points: tuple[StopPoint, ...] = ()
    breakpoints: tuple[int, ...] = ()


class DapSession:
    """Everything that is known of a launched program and of the way through its imagination."""

    def __init__(
        self,
        launch: Launch,
        predictor: Predictor,
        controller: RolloutController,
        client: ClientCapabilities,
        emit: Emit,
        watch: Callable[[RolloutProgress], None],
    ) -> None:
        self.launch, self.predictor, self.controller = launch, predictor, controller
        self.client, self.emit, self._watch = client, emit, watch
        self.session = Session.new(
            launch.program, model=predictor.info.name, options=launch.options, limit=launch.limit,
            codec=predictor.info.notation, control=launch.control,
        )  # fmt: skip
        self.sources = ProgramSources(launch.root, [launch.program])
        self.branch, self.position = 0, -1
        self.snapshot = BranchSnapshot(self.session, self.session.branch(0))
        self.move: Move | None = None
        self.stopped: StopEvent | None = None
        self.is_over = False
        self.references = VariableReferences()
        self.stops = 0  # how often it has stopped: what was shown before is not valid any more
        self.breakpoints: dict[SourceKey, list[Breakpoint]] = {}
        self.asked: dict[SourceKey, tuple[Arguments, ...]] = {}  # the breakpoints as the client wants them
        self.filters: dict[str, Expression | None] = {}
        self._numbers = 0
        self._hits: dict[tuple[int, int], BreakpointHits] = {}
        self._printed: dict[int, int] = {}  # for each branch, the position up to which output was sent
        self._said: set[str] = set()

    @property
    def here(self) -> Branch:
        """The branch that is stepped through, as it stood when its growth was last heard of."""
        return self.snapshot.branch

    @property
    def stepper(self) -> Stepper:
        """The model's side of it, as far as it is there."""
        return self.snapshot.stepper

    @property
    def program(self) -> int:
        """The number of the branch's program."""
        return self.sources.number(self.here.ask.program)

    def _look(self) -> None:
        branch = self.session.branch(self.branch)
        if self.snapshot.branch is not branch:
            self.snapshot = BranchSnapshot(self.session, branch)

    def next_number(self) -> int:
        """A number for a breakpoint; none is given twice."""
        self._numbers += 1
        return self._numbers

    def take_numbers(self, old: DapSession) -> None:
        """Go on behind the numbers of a session that this one follows."""
        self._numbers, self.stops = old._numbers, old.stops

    # how it begins

    def begin(self) -> None:
        """Record and imagine; the model may write before anybody is ready to look."""
        self.controller.start(
            lambda stop: predict_root(self.session, self.predictor, limits=self.launch.limits, stop=stop),
            RolloutCallbacks(
                on_start=lambda branch: None,
                on_progress=self._progressed,
                on_refusal=self._fail,
                on_failure=self._fail,
            ),
        )

    def ready(self) -> None:
        """Everything is set: off it goes."""
        entry = self.launch.stop_on_entry and not self.launch.no_debug
        self.go(Move("arrive", reason="entry") if entry else Move("continue"))

    def intervene(
        self,
        edit: BranchEdit,
        *,
        text: str,
        done: Callable[[], None],
        refused: Callable[[str], None],
    ) -> None:
        """Go on from here in another way, on a branch of its own."""
        parent, position = self.branch, self.position
        if edit.kind == "rewrite":
            position = 0

        def begun(branch: int) -> None:
            if self.is_over:
                refused("it is over")
                return
            self.branch, self.position = branch, position
            self._look()
            if edit.kind == "line":
                self.position = self.here.at
            shared = 0 if edit.kind == "rewrite" else max(self.position, self.here.at)
            self._printed[branch] = min(self._printed.get(parent, 0), shared)
            done()
            self.go(Move("arrive", reason="goto", text=text))

        self.controller.start(
            lambda stop: predict_branch(
                self.session, self.predictor, edit, parent=parent, limits=self.launch.limits, stop=stop
            ),
            RolloutCallbacks(
                on_start=begun, on_progress=self._progressed, on_refusal=refused, on_failure=self._fail
            ),
        )

    def switch(self, branch: int) -> None:
        """Look at another branch, where it parts from its parent."""
        at = self.session.branch(branch).at
        self.branch = branch
        self._look()
        self.position = min(max(self.position, 0), at) if at else max(self.position, 0)
        self.go(Move("arrive", reason="goto", text=f"branch {branch}"))

    def _progressed(self, progress: RolloutProgress) -> None:
        """A branch has come further."""
        if self.is_over:
            return
        self._look()
        self._watch(progress)
        if progress.stage == "model" and progress.note:
            self._once(f"the interpreter cannot be compared with: {progress.note}")
        if progress.stage == "failed":
            self._fail(progress.note or "the model could not be asked")
        elif self.move is not None:
            self._try()

    def _fail(self, why: str) -> None:
        if self.is_over:
            return
        self.say(why, category="important")
        parent = self.here.parent
        if parent is None:
            self.terminate()
        else:
            self.branch = parent
            self._look()
            self.go(Move("arrive", reason="goto", text=f"back on branch {parent}"))

    # how it moves

    def go(self, move: Move) -> None:
        """Begin a move; it may have to wait for the model."""
        self.move, self.stopped = move, None
        self._forget()
        self._try()

    def pause(self) -> None:
        """Stop where the model has come to, once it has come anywhere."""
        if self.move is None:
            return
        if not len(self.stepper):
            self.go(Move("arrive", reason="pause"))
            return
        known = min(len(self.stepper), self._known())
        lines = (q for q in range(known - 1, self.position, -1) if self.stepper.events[q].event == "line")
        self._arrive(next(lines, max(self.position, 0)), StopEvent("pause"))

    def back(self, *, fine: bool = False) -> None:
        """One step back, over calls."""
        self._jump(self.stepper.back(self.position, fine=fine), StopEvent("step"))

    def reverse(self) -> None:
        """Back to the last place before that stops; else to the beginning."""
        place, stopped = max(self._breaks(-1, self.position - 1), key=_order, default=(0, StopEvent("entry")))
        self._jump(place, stopped)

    def jump(self, position: int, text: str) -> None:
        """To a position that is there, without anything happening on the way."""
        self._jump(max(0, min(position, len(self.stepper))), StopEvent("goto", text))

    def _jump(self, position: int, stopped: StopEvent) -> None:
        self._forget()
        self._arrive(position, stopped, passing=False)

    def terminate(self) -> None:
        """The session's program is over."""
        if not self.is_over:
            self.is_over = True
            self.move = None
            self.controller.stop()
            self.emit("terminated", {})

    def _forget(self) -> None:
        """What was shown is no longer what is there."""
        self.references.clear()
        self.stops += 1

    def _try(self) -> None:
        """Carries the move out, if all that it needs is there."""
        move = self.move
        assert move is not None
        stepper, known = self.stepper, self._known()
        goal = self._goal(stepper, move)
        if move.kind == "arrive":
            if goal < len(stepper) or not self.snapshot.is_running:
                self._arrive(min(goal, len(stepper)), StopEvent(move.reason, move.text))
            return
        found = min(self._breaks(self.position, min(goal, known)), key=_order, default=None)
        if found is not None and (found[0] < known or not self.snapshot.is_running):
            self._arrive(*found)
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
            return stepper.out(p)
        return (stepper.into if move.kind == "into" else stepper.over)(p, fine=move.fine)

    def _known(self) -> int:
        """Up to where it is certain which places stop: the end of what is there, or where more steps may tell."""
        return len(self.stepper) if self.launch.no_debug else self.snapshot.known(set(self.filters))

    def _breaks(self, p: int, q: int) -> Iterator[tuple[int, StopEvent]]:
        """Every place behind p, up to and with q, that stops, and why."""
        if self.launch.no_debug:
            return
        hit: dict[int, list[int]] = {}
        for hits in self._hits_here():
            if hits.breakpoint.log is None:
                for place in hits.between(p, q):
                    hit.setdefault(place, []).append(hits.breakpoint.number)
        for place, numbers in hit.items():
            yield place, StopEvent("breakpoint", breakpoints=tuple(numbers))
        points: dict[int, list[StopPoint]] = {}
        for one in self.snapshot.stop_points:
            if p < one.position <= q and self._counts(one):
                points.setdefault(one.position, []).append(one)
        for place, ones in points.items():
            yield place, StopEvent("exception", ones[0].title, tuple(ones), tuple(hit.get(place, ())))

    def _counts(self, point: StopPoint) -> bool:
        """Whether a filter is set that stops here."""
        if point.kind not in self.filters:
            return False
        condition = self.filters[point.kind]
        try:
            return condition is None or condition.holds(names_at(self.stepper, point.position))
        except UnknownValue:
            return False

    def _hits_here(self) -> list[BreakpointHits]:
        """The breakpoints of this branch's program, with their places."""
        found = []
        for (program, _), ones in self.breakpoints.items():
            for one in ones if program == self.program else ():
                if one.line is not None:
                    hits = self._hits.setdefault((self.branch, one.number), BreakpointHits(one))
                    hits.predict_branch(self.stepper)
                    found.append(hits)
                    if hits.unknown:
                        self._once(f"the condition of line {one.line} has no value somewhere: {hits.unknown}")
        return found

    def _end(self) -> None:
        """Behind the last step: a place to stop at, once; whoever goes on from there is done."""
        if self.position >= len(self.stepper) or not self.launch.stop_at_end or self.launch.no_debug:
            self._pass(len(self.stepper))
            self.terminate()
        else:
            self._arrive(len(self.stepper), StopEvent("end", self.snapshot.ending()))

    def _arrive(self, position: int, stopped: StopEvent, *, passing: bool = True) -> None:
        if passing:
            self._pass(position)
        self.position, self.stopped, self.move = position, stopped, None
        body: dict[str, Any] = {"reason": stopped.reason, "threadId": THREAD, "allThreadsStopped": True}
        if stopped.text:
            body["description"] = stopped.text
        if stopped.points:
            body["text"] = stopped.points[0].text
        if stopped.breakpoints:
            body["hitBreakpointIds"] = list(stopped.breakpoints)
        self.emit("stopped", body)

    # what is said on the way

    def _pass(self, position: int) -> None:
        """Sends what is printed and logged on the way forward to a position."""
        stepper, printed = self.stepper, self._printed.get(self.branch, 0)
        spoken: list[tuple[int, int, str, str]] = []
        for step in range(printed, min(position, len(stepper))):
            text = stepper.run.printed(step)
            if text is not None:
                spoken.append((step, 1, text, "stdout"))
        for hits in self._hits_here() if not self.launch.no_debug else ():
            log = hits.breakpoint.log
            if log is not None:
                spoken += (
                    (place, 0, log.said(names_at(stepper, place)) + "\n", "console")
                    for place in hits.between(self.position, position)
                )
        for step, _, text, category in sorted(spoken):
            self._emit_output(text, category, stepper, step)
        self._printed[self.branch] = max(printed, position)

    def _emit_output(self, text: str, category: str, stepper: Stepper, step: int) -> None:
        moment = stepper.events[step]
        source = self.sources.described((self.program, moment.file))
        line = max(line_of(moment), 1) - self.client.line_shift
        self.emit("output", {"category": category, "output": text, "source": source, "line": line})

    def say(self, text: str, *, category: str = "console") -> None:
        """A line in the console."""
        self.emit("output", {"category": category, "output": text + "\n"})

    def _once(self, text: str) -> None:
        if text not in self._said:
            self._said.add(text)
            self.say(text)

    def require_stopped(self) -> None:
        """A UsageError where there is nothing to look at."""
        if self.stopped is None or self.is_over:
            raise UsageError("it is over" if self.is_over else "it is running")


def _order(found: tuple[int, StopEvent]) -> tuple[int, bool]:
    return found[0], found[1].reason != "exception"

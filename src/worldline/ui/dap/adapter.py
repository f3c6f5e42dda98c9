"""Requests in, responses and events out: one client from its first word to its last.

The one place that knows which request is answered how. Everything happens in the thread that reads the queue; what
takes long is done by a worker, which posts its calls there. Whatever a client sends, each request gets one answer.
"""

from __future__ import annotations

import queue
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from worldline.core.errors import UsageError, WorldlineError
from worldline.predict.predictor import Predictor
from worldline.ui.dap import changing, setting, showing
from worldline.ui.dap.launching import Launch, ModelCache, launch_of, unknown
from worldline.ui.dap.messages import FAULT, Arguments, ClientCapabilities, event, failure, response
from worldline.ui.dap.progress import ProgressReports
from worldline.ui.dap.responder import LATER, Handler, Request, Responder
from worldline.ui.dap.session import DapSession, Move
from worldline.ui.dap.wire import BadMessage
from worldline.ui.session.rollout_worker import Job, RolloutController, RolloutWorker
from worldline.ui.session.stops import DEFAULT_STOPS, DETAILED_STOPS

CAPABILITIES = {
    "supportsConfigurationDoneRequest": True,
    "supportsConditionalBreakpoints": True,
    "supportsHitConditionalBreakpoints": True,
    "supportsLogPoints": True,
    "supportsBreakpointLocationsRequest": True,
    "supportsEvaluateForHovers": True,
    "supportsClipboardContext": True,
    "supportsStepBack": True,
    "supportsSetVariable": True,
    "supportsSetExpression": True,
    "supportsRestartFrame": True,
    "supportsRestartRequest": True,
    "supportsGotoTargetsRequest": True,
    "supportsCompletionsRequest": True,
    "completionTriggerCharacters": [":", " "],
    "supportsExceptionFilterOptions": True,
    "supportsExceptionInfoRequest": True,
    "supportsDelayedStackTraceLoading": True,
    "supportsLoadedSourcesRequest": True,
    "supportsTerminateRequest": True,
    "supportsCancelRequest": True,
    "supportsSteppingGranularity": True,
    "exceptionBreakpointFilters": [
        {
            "filter": kind.name, "label": kind.label, "description": kind.meaning,
            "default": kind.name in DEFAULT_STOPS, "supportsCondition": True,
            "conditionDescription": "An expression over the predicted names, such as n > 3",
        }
        for kind in DETAILED_STOPS.values()
    ],
}  # fmt: skip

InboxItem = Request | BadMessage | Job | None  # None: the client is gone
Send = Callable[[dict[str, Any]], None]


@dataclass(frozen=True)
class SharedResources:
    """What outlives a client: the thread that works, the model that was loaded."""

    thread: RolloutWorker
    models: ModelCache


class Adapter:
    """One client's adapter. `inbox` is where its messages, and what the worker has to say, are put.

    `answered` is called after each message.
    """

    def __init__(self, send: Send, shared: SharedResources, answered: Job) -> None:
        self._send, self._shared, self._done = send, shared, answered
        self.inbox: queue.SimpleQueue[InboxItem] = queue.SimpleQueue()
        self.controller = RolloutController(shared.thread, self.inbox.put)
        self.client = ClientCapabilities()
        self.session: DapSession | None = None
        self.reports: ProgressReports | None = None
        self._is_initialized = self._is_launching = self._is_configured = self._is_leaving = False
        self._launched: Arguments | None = None
        self._after: list[Job] = []

    def run(self) -> None:
        """Answers until the client disconnects or is gone."""
        try:
            while not self._is_leaving and (item := self.inbox.get()) is not None:
                if callable(item):
                    self._guarded(item)
                    continue
                if isinstance(item, BadMessage):
                    self.emit("output", {"category": "important", "output": f"not understood: {item.why}\n"})
                else:
                    self._request(item)
                self._done()
        finally:
            self._end()

    def _end(self) -> None:
        self.controller.stop()
        if self.session is not None:
            self.session.is_over = True

    # answers

    def emit(self, name: str, body: Mapping[str, Any]) -> None:
        """Send an event."""
        self._send(event(name, body))

    def then(self, act: Job) -> None:
        """Do something once the request that is being answered has been."""
        self._after.append(act)

    def _guarded(self, act: Job) -> None:
        """What the worker posts, or what follows a response: nobody waits for its answer."""
        try:
            act()
        except Exception as error:
            self.emit("output", {"category": "important", "output": f"{_fault(error)}\n"})

    def _request(self, message: Request) -> None:
        """One message: a request is answered, once; a response or an event is nothing to us."""
        if message.get("type") in ("response", "event"):
            return
        self._after = []
        try:
            body = self._answer(message)
        except WorldlineError as error:
            show = message.get("command") in ("launch", "attach", "restart", "goto", "setVariable")
            self._send(failure(message, str(error), show=show))
        except Exception as error:  # a fault of ours must not end the session
            self._send(failure(message, _fault(error), number=FAULT, show=True))
        else:
            if body is not LATER:
                self._send(response(message, body))  # type: ignore[arg-type]
        for act in self._after:
            self._guarded(act)

    def _answer(self, message: Request) -> object:
        command, seq = message.get("command"), message.get("seq")
        if message.get("type") != "request" or not isinstance(command, str):
            raise UsageError("a message is a request with a command")
        if isinstance(seq, bool) or not isinstance(seq, int):
            raise UsageError("a request has a number `seq`")
        arguments = message.get("arguments")
        if arguments is not None and not isinstance(arguments, dict):
            raise UsageError("`arguments` is an object")
        asked = Arguments(arguments or {}, command)
        own = _OWN.get(command)
        if own is not None:
            return own(self, message, asked)
        if command not in _STOPPED and command not in _ANY:
            raise UsageError(f"the request {command[:40]!r} is not known here")
        if self.session is None:
            raise UsageError("nothing is launched yet")
        if command in _ANY:
            return _ANY[command](self.session, asked)
        self.session.require_stopped()
        return _STOPPED[command](self, message, asked)

    def answered(self, message: Request, body: Mapping[str, Any] | None = None) -> None:
        """The answer to a request that was left for later."""
        self._send(response(message, body))

    def refused(self, message: Request, why: str) -> None:
        """The refusal of a request that was left for later."""
        self._send(failure(message, why, show=True))

    @property
    def live(self) -> DapSession:
        """The session; there is one where this is asked."""
        assert self.session is not None
        return self.session

    # from the first word to the last

    def initialize(self, message: Request, asked: Arguments) -> object:
        """Who the client is, what we can do."""
        if self._is_initialized:
            raise UsageError("it is initialized already")
        self.client = ClientCapabilities.of(asked)
        self._is_initialized = True
        return CAPABILITIES

    def launch(self, message: Request, asked: Arguments) -> object:
        """Load the program and the model, in the thread that grows branches."""
        if not self._is_initialized:
            raise UsageError("initialize comes before launch")
        if self.session is not None or self._is_launching:
            raise UsageError("a program is launched already")
        self._is_launching = True
        self._load(message, asked)
        return LATER

    def restart(self, message: Request, asked: Arguments) -> object:
        """The same again, or with other arguments: the file is read anew, the model asked anew."""
        if self.session is None or self._launched is None or self._is_launching:
            raise UsageError("nothing is launched yet")
        self._is_launching = True
        given = asked.inner("arguments")
        self._load(message, given if given.values else self._launched)
        return LATER

    def _load(self, message: Request, asked: Arguments) -> None:
        def work() -> None:
            try:
                launch = launch_of(asked)
                predictor = self._shared.models.load(launch)
            except Exception as error:
                why = str(error) if isinstance(error, WorldlineError) else _fault(error)
                self.inbox.put(lambda: self._not_loaded(message, why))
            else:
                self.inbox.put(lambda: self._loaded(message, asked, launch, predictor))

        self._shared.thread.submit(work)

    def _not_loaded(self, message: Request, why: str) -> None:
        self._is_launching = False
        self.refused(message, why)

    def _loaded(self, message: Request, asked: Arguments, launch: Launch, predictor: Predictor) -> None:
        old, self._is_launching, self._launched = self.session, False, asked
        if old is not None:
            old.is_over = True
        if self.reports is not None:
            self.reports.end()
        self.reports = ProgressReports(self.emit, predictor.info.name) if self.client.progress else None
        watch = self.reports.watch if self.reports is not None else (lambda progress: None)
        session = DapSession(launch, predictor, self.controller, self.client, self.emit, watch)
        self.session = session
        self.answered(message)
        for key in unknown(asked):
            session.say(f"launch: {key!r} is not known and is left out")
        session.begin()
        if old is None:
            self.emit("initialized", {})
        else:
            setting.carry_over(session, old, self.emit)
            self._is_configured = True
            session.ready()

    def configured(self, message: Request, asked: Arguments) -> object:
        """All breakpoints are set."""
        if self.session is None:
            raise UsageError("nothing is launched yet")
        if self._is_configured:
            raise UsageError("the configuration is done already")
        self._is_configured = True
        self.then(self.session.ready)
        return None

    def terminate(self, message: Request, asked: Arguments) -> object:
        """End the imagination; the client still has to disconnect."""
        if self.session is not None:
            self.then(self.session.terminate)
        return None

    def disconnect(self, message: Request, asked: Arguments) -> object:
        """The client leaves."""
        self._is_leaving = True
        self.controller.stop()
        return None

    def cancel(self, message: Request, asked: Arguments) -> object:
        """Stop the model; what it wrote stays."""
        number = asked.maybe("progressId")
        if number is not None and self.reports is not None and self.reports.has(number):
            self.controller.stop()
        return None

    def attach(self, message: Request, asked: Arguments) -> object:
        """There is nothing to attach to."""
        raise UsageError("nothing runs that one could attach to: a model imagines what is launched")


def _fault(error: Exception) -> str:
    return f"a fault of worldline's: {type(error).__name__}: {str(error)[:500]}"


def _moves(kind: str) -> Handler:
    def move(responder: Responder, message: Request, asked: Arguments) -> object:
        fine = asked.maybe("granularity") == "instruction"
        responder.then(lambda: responder.live.go(Move(kind, fine)))
        return {"allThreadsContinued": True} if kind == "continue" else None

    return move


def _back(responder: Responder, message: Request, asked: Arguments) -> object:
    fine = asked.maybe("granularity") == "instruction"
    responder.then(lambda: responder.live.back(fine=fine))
    return None


def _reverse(responder: Responder, message: Request, asked: Arguments) -> object:
    responder.then(responder.live.reverse)
    return None


def _pause(adapter: Adapter, message: Request, asked: Arguments) -> object:
    if adapter.session is None:
        raise UsageError("nothing is launched yet")
    adapter.then(adapter.session.pause)
    return None


def _threads(adapter: Adapter, message: Request, asked: Arguments) -> object:
    return showing.threads(adapter.session)


# Requests of every state.
_OWN: dict[str, Callable[[Adapter, Request, Arguments], object]] = {
    "initialize": Adapter.initialize, "launch": Adapter.launch, "attach": Adapter.attach, "restart": Adapter.restart,
    "configurationDone": Adapter.configured, "terminate": Adapter.terminate, "disconnect": Adapter.disconnect,
    "cancel": Adapter.cancel, "pause": _pause, "threads": _threads,
}  # fmt: skip
# Those of a launched program.
_ANY: dict[str, Callable[[DapSession, Arguments], object]] = {
    "setBreakpoints": setting.set_breakpoints, "setExceptionBreakpoints": setting.set_exception_breakpoints,
    "breakpointLocations": setting.breakpoint_locations, "loadedSources": setting.loaded_sources,
    "source": setting.source, "completions": showing.completions, "stackTrace": showing.stack_trace,
    "scopes": showing.scopes, "variables": showing.variables, "exceptionInfo": showing.exception_info,
}  # fmt: skip
# Those that move, or change what is imagined: it must stand still.
_STOPPED: dict[str, Handler] = {
    "continue": _moves("continue"), "next": _moves("over"), "stepIn": _moves("into"), "stepOut": _moves("out"),
    "stepBack": _back, "reverseContinue": _reverse, "restartFrame": changing.restart_frame,
    "gotoTargets": changing.goto_targets, "goto": changing.goto, "setVariable": changing.set_variable,
    "setExpression": changing.set_expression, "evaluate": changing.evaluate,
}  # fmt: skip

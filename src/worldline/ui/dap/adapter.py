"""One client of the debug adapter, from `initialize` to `disconnect`: requests in, responses and events out.

All requests are answered in the thread that reads the inbox. Slow work is done by a worker thread, which posts its
callbacks to the inbox. Whatever a client sends, every request gets exactly one response.
"""

from __future__ import annotations

import queue
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from worldline.core.errors import UsageError, WorldlineError
from worldline.predict.predictor import Predictor
from worldline.ui.dap import changing, setting, showing
from worldline.ui.dap.launching import Launch, ModelCache, launch_of, unknown
from worldline.ui.dap.messages import FAULT, Arguments, ClientCapabilities, event, failure, response
from worldline.ui.dap.responder import LATER, Handler, Request, Responder
from worldline.ui.dap.session import DapSession, Emit, Move
from worldline.ui.dap.wire import BadMessage
from worldline.ui.session.rollout import RolloutProgress
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
            "filter": kind.name,
            "label": kind.label,
            "description": kind.meaning,
            "default": kind.name in DEFAULT_STOPS,
            "supportsCondition": True,
            "conditionDescription": "An expression over predicted values, such as n > 3",
        }
        for kind in DETAILED_STOPS.values()
    ],
}
NOT_LAUNCHED = "no program is launched yet"

InboxItem = Request | BadMessage | Job | None  # None: the client is gone
Send = Callable[[dict[str, Any]], None]


@dataclass(frozen=True)
class SharedResources:
    """What outlives a client: the worker thread and the loaded model."""

    thread: RolloutWorker
    models: ModelCache


class Adapter:
    """The adapter of one client. Its messages and the callbacks of the worker are put into `inbox`."""

    def __init__(self, send: Send, shared: SharedResources, answered: Job) -> None:
        self._send, self._shared, self._answered = send, shared, answered
        self.inbox: queue.SimpleQueue[InboxItem] = queue.SimpleQueue()
        self.controller = RolloutController(shared.thread, self.inbox.put)
        self.client = ClientCapabilities()
        self.session: DapSession | None = None
        self.reports: ProgressReports | None = None
        self._is_initialized = self._is_launching = self._is_configured = self._is_leaving = False
        self._launched: Arguments | None = None
        self._after: list[Job] = []

    def run(self) -> None:
        """Answer requests until the client disconnects or is gone."""
        try:
            while not self._is_leaving and (item := self.inbox.get()) is not None:
                if callable(item):
                    self._guarded(item)
                    continue
                if isinstance(item, BadMessage):
                    self._show(f"message ignored: {item.why}")
                else:
                    self._request(item)
                self._answered()
        finally:
            self.controller.stop()
            if self.session is not None:
                self.session.is_over = True

    # responses

    def emit(self, name: str, body: Mapping[str, Any]) -> None:
        """Send an event."""
        self._send(event(name, body))

    def _show(self, text: str) -> None:
        self.emit("output", {"category": "important", "output": f"{text}\n"})

    def then(self, job: Job) -> None:
        """Do something after the response to the current request."""
        self._after.append(job)

    def _guarded(self, job: Job) -> None:
        """Execute a callback; no request waits for its result."""
        try:
            job()
        except Exception as error:
            self._show(_internal_error(error))

    def _request(self, message: Request) -> None:
        """Answer a request, once. Responses and events of the client are ignored."""
        if message.get("type") in ("response", "event"):
            return
        self._after = []
        try:
            body = self._answer(message)
        except WorldlineError as error:
            show = message.get("command") in ("launch", "attach", "restart", "goto", "setVariable")
            self._send(failure(message, str(error), show=show))
        except Exception as error:  # a bug must not end the session
            self._send(failure(message, _internal_error(error), number=FAULT, show=True))
        else:
            if body is not LATER:
                self._send(response(message, body))  # type: ignore[arg-type]
        for job in self._after:
            self._guarded(job)

    def _answer(self, message: Request) -> object:
        command, seq = message.get("command"), message.get("seq")
        if message.get("type") != "request" or not isinstance(command, str):
            raise UsageError("a message must be a request with a command")
        if isinstance(seq, bool) or not isinstance(seq, int):
            raise UsageError("a request needs an integer `seq`")
        values = message.get("arguments")
        if values is not None and not isinstance(values, dict):
            raise UsageError("`arguments` must be an object")
        arguments = Arguments(values or {}, command)
        if (handle := _OF_ADAPTER.get(command)) is not None:
            return handle(self, message, arguments)
        if command not in _WHEN_STOPPED and command not in _OF_SESSION:
            raise UsageError(f"unknown request {command[:40]!r}")
        if self.session is None:
            raise UsageError(NOT_LAUNCHED)
        if command in _OF_SESSION:
            return _OF_SESSION[command](self.session, arguments)
        self.session.require_stopped()
        return _WHEN_STOPPED[command](self, message, arguments)

    def answer_later(self, message: Request, body: Mapping[str, Any] | None = None) -> None:
        """Answer a request whose handler returned LATER."""
        self._send(response(message, body))

    def refuse_later(self, message: Request, why: str) -> None:
        """Refuse a request whose handler returned LATER."""
        self._send(failure(message, why, show=True))

    @property
    def live(self) -> DapSession:
        """The session of the launched program."""
        assert self.session is not None
        return self.session

    # from initialize to disconnect

    def initialize(self, message: Request, arguments: Arguments) -> object:
        """Exchange capabilities."""
        if self._is_initialized:
            raise UsageError("the adapter is initialized already")
        self.client = ClientCapabilities.of(arguments)
        self._is_initialized = True
        return CAPABILITIES

    def launch(self, message: Request, arguments: Arguments) -> object:
        """Load the program and the model, in the worker thread."""
        if not self._is_initialized:
            raise UsageError("send `initialize` before `launch`")
        if self.session is not None or self._is_launching:
            raise UsageError("a program is launched already")
        self._is_launching = True
        self._load(message, arguments)
        return LATER

    def restart(self, message: Request, arguments: Arguments) -> object:
        """Launch again, with the same or with other arguments: the file is read again, and predicted again."""
        if self.session is None or self._launched is None or self._is_launching:
            raise UsageError(NOT_LAUNCHED)
        self._is_launching = True
        launch = arguments.inner("arguments")
        self._load(message, launch if launch.values else self._launched)
        return LATER

    def _load(self, message: Request, arguments: Arguments) -> None:
        def work() -> None:
            try:
                launch = launch_of(arguments)
                predictor = self._shared.models.load(launch) if launch.recorded is None else None
            except Exception as error:
                why = str(error) if isinstance(error, WorldlineError) else _internal_error(error)
                self.inbox.put(lambda: self._not_loaded(message, why))
            else:
                self.inbox.put(lambda: self._loaded(message, arguments, launch, predictor))

        self._shared.thread.submit(work)

    def _not_loaded(self, message: Request, why: str) -> None:
        self._is_launching = False
        self.refuse_later(message, why)

    def _loaded(self, message: Request, arguments: Arguments, launch: Launch, predictor: Predictor | None) -> None:
        old, self._is_launching, self._launched = self.session, False, arguments
        if old is not None:
            old.is_over = True
        if self.reports is not None:
            self.reports.end()
        is_reporting = self.client.progress and predictor is not None
        self.reports = ProgressReports(self.emit, predictor.info.name) if is_reporting and predictor else None
        watch = self.reports.watch if self.reports is not None else (lambda progress: None)
        session = DapSession(launch, predictor, self.controller, self.client, self.emit, watch, launch.recorded)
        self.session = session
        self.answer_later(message)
        for key in unknown(arguments):
            session.say(f"launch: unknown key {key!r} ignored")
        session.begin()
        if old is None:
            self.emit("initialized", {})
        else:
            setting.carry_over(session, old, self.emit)
            self._is_configured = True
            session.ready()

    def configured(self, message: Request, arguments: Arguments) -> object:
        """Start: all breakpoints are set."""
        if self.session is None:
            raise UsageError(NOT_LAUNCHED)
        if self._is_configured:
            raise UsageError("the configuration is done already")
        self._is_configured = True
        self.then(self.session.ready)
        return None

    def terminate(self, message: Request, arguments: Arguments) -> object:
        """End the program. The client still has to disconnect."""
        if self.session is not None:
            self.then(self.session.terminate)
        return None

    def disconnect(self, message: Request, arguments: Arguments) -> object:
        """Let the client leave."""
        self._is_leaving = True
        self.controller.stop()
        return None

    def cancel(self, message: Request, arguments: Arguments) -> object:
        """Stop the model. What it has written stays."""
        number = arguments.maybe("progressId")
        if number is not None and self.reports is not None and self.reports.has(number):
            self.controller.stop()
        return None

    def attach(self, message: Request, arguments: Arguments) -> object:
        """Refuse: there is no process to attach to."""
        raise UsageError("`attach` is not supported: use `launch`, and a model predicts the program")


def _internal_error(error: Exception) -> str:
    return f"internal error in worldline: {type(error).__name__}: {str(error)[:500]}"


@dataclass
class ProgressReports:
    """Progress events for clients that support them: one report per branch, cancelled by its number."""

    emit: Emit
    model: str = ""
    _open: set[str] = field(default_factory=set)
    _count: int = 0
    _current: dict[int, str] = field(default_factory=dict)

    def watch(self, progress: RolloutProgress) -> None:
        """Report the progress of a branch."""
        is_last = progress.stage in ("done", "failed")
        number = self._current.get(progress.branch)
        if number is None and not is_last:
            self._count += 1
            number = self._current[progress.branch] = f"branch-{progress.branch}-{self._count}"
            self._open.add(number)
            title = f"{self.model} predicts"
            self.emit("progressStart", {"progressId": number, "title": title, "cancellable": True})
        if number is None:
            return
        is_recording = progress.stage == "truth"
        text = "recording" if is_recording else f"{progress.steps} steps, {progress.bytes} bytes"
        if is_last:
            self._end(progress.branch, text)
        else:
            self.emit("progressUpdate", {"progressId": number, "message": text})

    def end(self) -> None:
        """End all open reports."""
        for branch in list(self._current):
            self._end(branch, "stopped")

    def has(self, number: str) -> bool:
        """Whether a report is open."""
        return number in self._open

    def _end(self, branch: int, text: str) -> None:
        number = self._current.pop(branch)
        self._open.discard(number)
        self.emit("progressEnd", {"progressId": number, "message": text})


def _moves(move: Callable[[DapSession, bool], None], body: Mapping[str, Any] | None = None) -> Handler:
    def handle(responder: Responder, message: Request, arguments: Arguments) -> object:
        fine = arguments.maybe("granularity") == "instruction"
        responder.then(lambda: move(responder.live, fine))
        return body

    return handle


def _pause(adapter: Adapter, message: Request, arguments: Arguments) -> object:
    if adapter.session is None:
        raise UsageError(NOT_LAUNCHED)
    adapter.then(adapter.session.pause)
    return None


# Requests that are valid at any time.
_OF_ADAPTER: dict[str, Callable[[Adapter, Request, Arguments], object]] = {
    "initialize": Adapter.initialize,
    "launch": Adapter.launch,
    "attach": Adapter.attach,
    "restart": Adapter.restart,
    "configurationDone": Adapter.configured,
    "terminate": Adapter.terminate,
    "disconnect": Adapter.disconnect,
    "cancel": Adapter.cancel,
    "pause": _pause,
    "threads": lambda adapter, message, arguments: showing.threads(adapter.session),
}
# Requests about a launched program.
_OF_SESSION: dict[str, Callable[[DapSession, Arguments], object]] = {
    "setBreakpoints": setting.set_breakpoints,
    "setExceptionBreakpoints": setting.set_exception_breakpoints,
    "breakpointLocations": setting.breakpoint_locations,
    "loadedSources": setting.loaded_sources,
    "source": setting.source,
    "completions": showing.completions,
    "stackTrace": showing.stack_trace,
    "scopes": showing.scopes,
    "variables": showing.variables,
    "exceptionInfo": showing.exception_info,
}
# Requests that move or edit, and so need a stopped program.
_WHEN_STOPPED: dict[str, Handler] = {
    "continue": _moves(lambda session, fine: session.go(Move("continue", fine)), {"allThreadsContinued": True}),
    "next": _moves(lambda session, fine: session.go(Move("over", fine))),
    "stepIn": _moves(lambda session, fine: session.go(Move("into", fine))),
    "stepOut": _moves(lambda session, fine: session.go(Move("out", fine))),
    "stepBack": _moves(lambda session, fine: session.back(fine=fine)),
    "reverseContinue": _moves(lambda session, fine: session.reverse()),
    "restartFrame": changing.restart_frame,
    "gotoTargets": changing.goto_targets,
    "goto": changing.goto,
    "setVariable": changing.set_variable,
    "setExpression": changing.set_expression,
    "evaluate": changing.evaluate,
}

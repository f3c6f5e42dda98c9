"""`worldline.check`: ask a model in every way that worldline knows, and find the one it understands."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from worldline.codec.notation import notation
from worldline.core.errors import NoModelError, UsageError
from worldline.core.text import shortened
from worldline.evaluation.check.programs import PROGRAMS, tiny_suite
from worldline.evaluation.check.result import CONTEXT_REASON, ModelCheck, TriedWay
from worldline.evaluation.check.ways import Way, ways_of
from worldline.evaluation.run.record import Record
from worldline.evaluation.run.run import run
from worldline.evaluation.run.text_form import COMPACT, META, NOTHING, form_of
from worldline.predict.models import REPLAY, SERVER, SERVER_ADDRESS, AnyModel, load_model, server_clients
from worldline.predict.prediction import CONTEXT, Prediction
from worldline.predict.predictor import Predictor
from worldline.predict.replay import load_replay
from worldline.predict.servers.probe import ServerProbe, probe_server

DEFAULT_SECONDS = 300.0
MAX_REQUEST_SECONDS = 60.0  # for one request to a server, unless `-M timeout` says otherwise
MAX_EXAMPLE_CHARS = 160
MAX_REASON_CHARS = 200
STORED_ROWS = 8  # texts of a replay that are looked at
NO_TIME = "not tried: the time limit was reached (--seconds)"


def check(
    model: AnyModel = "default",
    *,
    extras: Mapping[str, str] | None = None,
    seconds: float = DEFAULT_SECONDS,
    progress: Callable[[str], None] | None = None,
) -> ModelCheck:
    """Ask a model for the traces of three tiny programs, in every way that worldline knows.

    A server is looked at first: its models, its endpoints, whether it sends log-probabilities. At most 26 requests are
    sent to it, and none is repeated. Texts of `replay:FILE` belong to other programs: they are read and not judged.

    Args:
        model: What `--model` takes, a predictor, or a function. `server:URL` without `#MODEL` checks the only model
            that the server has, and so does an address alone.
        extras: Options of the model, as `-M` takes them. `way` and `codec` leave only the ways that they select.
        seconds: When the time is over, requests to a server end and no other way is tried.
        progress: Called with a note on what is being tried.

    Returns:
        The ways of asking, each with its answers, and a command for the best of them.

    Raises:
        ServerError: The server does not answer, or refuses every request. The message says what to do.
        NoModelError: There is no such model, or the server has several and none is named.
        UsageError: The model has no such option, or the options contradict each other.
        NoSandbox: The tiny programs could not be executed.
    """
    extras, started = dict(extras or {}), time.monotonic()
    if isinstance(model, str) and model.startswith(SERVER_ADDRESS):
        model = SERVER + model
    if isinstance(model, str) and model.startswith(REPLAY):
        return _check_stored(model, extras, started)
    say = progress or (lambda note: None)
    session = _CheckSession(model, extras, end=started + seconds)
    if isinstance(model, str) and model.startswith(SERVER):
        say("asking the server for its models")
        session = _probed(session)
    ways = ways_of(session.model, extras)
    if not ways:
        load_model(session.model, extras)
        raise UsageError(f"no way to ask this model has the options {' '.join(f'{k}={v}' for k, v in extras.items())}")
    tried = []
    for number, way in enumerate(ways, 1):
        say(f"way {number} of {len(ways)}: {way.title}")
        tried.append(session.attempt(way))
    if not any(way.asked for way in tried) and session.refusals:
        raise session.refusals[0]
    return ModelCheck(
        model=session.name,
        extras=extras,
        server=session.server,
        ways=tuple(tried),
        seconds=time.monotonic() - started,
        is_named=isinstance(model, str),
    )


class _CheckSession:
    """One check: the model, what is known about its server, and when the time is over."""

    def __init__(
        self, model: AnyModel, extras: Mapping[str, str], *, end: float, server: ServerProbe | None = None
    ) -> None:
        self.model, self.extras, self.end, self.server = model, extras, end, server
        self.refusals: list[UsageError] = []
        self._last: Predictor | None = None

    @property
    def name(self) -> str:
        """The name of the model; a predictor of the user's declares its own."""
        if isinstance(self.model, str):
            return self.model
        return self._last.info.name if self._last is not None else ""

    def attempt(self, way: Way) -> TriedWay:
        """Ask in one way, unless the server lacks the endpoint or the time is over."""
        left = self.end - time.monotonic()
        options = dict(way.options)
        if self.server is not None and way.path:
            endpoint = self.server.endpoints[way.path]
            if not endpoint.is_usable:
                return _untried(way, f"the server has no {way.path}: {endpoint.problem}")
            options |= {"logprobs": "false"} if endpoint.refuses_logprobs else {}
        if left <= 0:
            return _untried(way, NO_TIME)
        try:
            predictor = load_model(self.model, {**self._bounds(), **self.extras, **options, **self._timeout(left)})
        except NoModelError:
            raise
        except UsageError as error:
            self.refusals.append(error)
            return _untried(way, str(error))
        self._last = predictor
        began, records = time.monotonic(), list[Record]()
        run(tiny_suite().in_modes_of(predictor.info), predictor, on_record=records.append)
        return _summed(way, options, predictor.info.notation, records, time.monotonic() - began)

    def _bounds(self) -> dict[str, str]:
        """Options of a server that bound its requests, unless the caller sets them."""
        return {} if self.server is None else {"retries": "0", "concurrency": str(len(PROGRAMS))}

    def _timeout(self, left: float) -> dict[str, str]:
        """The deadline of a request: the caller's, or less if less time is left."""
        if self.server is None:
            return {}
        return {"timeout": f"{min(float(self.extras.get('timeout', MAX_REQUEST_SECONDS)), left):.3f}"}


def _probed(session: _CheckSession) -> _CheckSession:
    """The same check, with the facts about its server and the name of its only model."""
    clients, model = server_clients(str(session.model), session.extras)
    timeout = min(clients[0].patience.timeout, MAX_REQUEST_SECONDS, max(session.end - time.monotonic(), 1e-3))
    server = probe_server(clients, model, key_env=session.extras.get("key_env", ""), timeout=timeout)
    name = f"{SERVER}{','.join(client.url for client in clients)}#{server.model}"
    return _CheckSession(name, session.extras, end=session.end, server=server)


def _untried(way: Way, reason: str) -> TriedWay:
    return TriedWay(
        options=dict(way.options), title=way.title, notation=way.notation, reason=shortened(reason, MAX_REASON_CHARS)
    )


def _summed(way: Way, options: Mapping[str, str], codec: str, records: Sequence[Record], seconds: float) -> TriedWay:
    readable = [record for record in records if _is_readable(record)]
    shown = next((record for record in records if record not in readable), records[0] if records else None)
    return TriedWay(
        options=dict(options),
        title=way.title,
        notation=codec,
        asked=len(records),
        answered=sum(record.counts for record in records),
        readable=len(readable),
        right=sum(record.judged["answer"] == "right" for record in readable),
        right_traces=sum(record.judged["trace"] == "right" for record in readable),
        seconds=seconds,
        example="" if shown is None else _example(shown.found),
        reason="" if shown is None or shown in readable else _reason(shown),
    )


def _is_readable(record: Record) -> bool:
    return record.counts and record.verdict().is_readable and record.found.note != CONTEXT


def _example(prediction: Prediction) -> str:
    return shortened(prediction.text.decode("utf-8", "replace"), MAX_EXAMPLE_CHARS)


def _reason(record: Record) -> str:
    """Why an answer is not readable."""
    if record.is_fault:
        return shortened(record.found.note.removeprefix("unreachable(").removesuffix(")"), MAX_REASON_CHARS)
    if record.found.note == CONTEXT:
        return CONTEXT_REASON
    if record.kind != "asked":
        return f"the program could not be recorded: {record.why}"
    if record.form == NOTHING:
        return "nothing was written; if the model was cut in its reasoning, pass -M max_tokens=N"
    if record.form and not (record.form == META and notation(record.found.codec).special_tokens):
        return f"{record.form}, not a trace in {notation(record.found.codec).title}"
    return shortened(f"it leaves the notation: {record.judged['note']}", MAX_REASON_CHARS)


@dataclass(frozen=True)
class _StoredText:
    """A text of a file, and what it looks like."""

    prediction: Prediction

    @property
    def form(self) -> str:
        return form_of(self.prediction.text)

    @property
    def is_readable(self) -> bool:
        return self.prediction.status != "fault" and self.form in (COMPACT, META)


def _check_stored(model: str, extras: Mapping[str, str], started: float) -> ModelCheck:
    """Read the first texts of a file; they belong to programs that are not known here, so they are not judged."""
    load_model(model, extras)
    rows = load_replay(Path(model.removeprefix(REPLAY)), by=extras.get("by"), codec=extras.get("codec")).rows.values()
    texts = [_StoredText(row) for row in list(rows)[:STORED_ROWS]]
    unreadable = [text for text in texts if not text.is_readable]
    codecs = {text.prediction.codec for text in texts if text.is_readable}
    shown = next(iter(unreadable or texts), None)
    way = TriedWay(
        options={},
        title=f"the texts of the file, {' and '.join(notation(codec).title for codec in sorted(codecs)) or 'no trace'}",
        notation=codecs.pop() if len(codecs) == 1 else "",
        asked=len(texts),
        answered=len(texts),
        readable=len(texts) - len(unreadable),
        right=None,
        right_traces=None,
        example="" if shown is None else _example(shown.prediction),
        reason=_stored_reason(unreadable),
    )
    seconds = time.monotonic() - started
    return ModelCheck(model=model, extras=extras, ways=(way,), seconds=seconds, suite="SUITE")


def _stored_reason(unreadable: Iterable[_StoredText]) -> str:
    text = next(iter(unreadable), None)
    return "" if text is None else f"{text.form}, not a trace"

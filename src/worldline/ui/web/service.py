"""The open runs and sessions of a server, and the branches that its models are writing. It knows nothing of HTTP.

`api` reads; this module changes something or streams its progress.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from worldline.codec.tokens import Tokenizer
from worldline.core.errors import UsageError
from worldline.core.hidden import Control
from worldline.core.language import usual_name
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.predict.predictor import Predictor
from worldline.predict.stream import never
from worldline.ui.http.errors import Refusal
from worldline.ui.http.json_body import json_bytes
from worldline.ui.http.threads import ThreadGate
from worldline.ui.session.branches.branch import BranchEdit
from worldline.ui.session.quiz.quiz import Quiz, QuizOptions
from worldline.ui.session.recorded import record_session
from worldline.ui.session.rollout import RolloutProgress, predict_branch, predict_root
from worldline.ui.session.rollout_worker import Rollout, RolloutWorker, Start
from worldline.ui.session.session import Session
from worldline.ui.web import api
from worldline.ui.web.index.index import build
from worldline.ui.web.quizzes import Quizzes
from worldline.ui.web.session_cache import LIVE, MAX_TEXT_BYTES, CachedSession, SessionCache, SessionKey

POLL_SECONDS = 0.1  # between two looks at a branch that is being written
MAX_THREADS = 8  # answers computed at once
KEEPALIVE_SECONDS = 10.0  # without news, after which a stream sends a comment
STOP_SECONDS = 1.0  # how long a request to stop a branch waits for it
LEAVE_SECONDS = 2.0  # how long the current branch may take to end when the server stops
QUIZ = "quiz"  # in place of a run, in the key of a session
MAX_BRANCHES = 100  # of one session
MAX_WAITING = 8  # branches after the current one


@dataclass(frozen=True, kw_only=True)
class Opening:
    """What to open: runs on disk, sessions, programs, models by name.

    A model predicts the programs; without one they are only recorded. Without models and programs the page is
    read-only. Without a tokenizer costs are in bytes only.
    """

    runs: tuple[Path, ...] = ()
    sessions: tuple[Session, ...] = ()
    programs: tuple[Program, ...] = ()
    models: Mapping[str, Callable[[], Predictor]] = field(default_factory=dict)
    scratchpad: str | None = None  # in which models predict programs, by default as `debug` does
    limits: Limits | None = None
    tokenizer: Tokenizer | None = None
    control: Control | None = None  # of the hidden inputs of programs
    quiz: QuizOptions | None = None  # if set, programs are asked about instead of shown

    @property
    def records(self) -> bool:
        """Whether programs are recorded and shown without a prediction."""
        return bool(self.programs) and not self.models and self.quiz is None


class LiveBranches:
    """The branches that are being written, and the models, each loaded when it is first needed."""

    def __init__(self, models: Mapping[str, Callable[[], Predictor]]) -> None:
        self.models = tuple(models)
        self._loaders, self._loaded = dict(models), dict[str, Predictor]()
        self._rollouts: dict[tuple[SessionKey, int], Rollout] = {}
        self._lock, self._loading = threading.Lock(), threading.Lock()
        self._is_closed = False
        self._thread = RolloutWorker()

    def model(self, name: str) -> Predictor:
        """Return a model by name.

        Raises:
            Refusal: There is no such model.
        """
        if name not in self._loaders:
            raise Refusal(422, f"unknown model {name[:100]!r}; known are {', '.join(self.models)}")
        with self._loading:
            if name not in self._loaded:
                self._loaded[name] = self._loaders[name]()
            return self._loaded[name]

    def begin(self, key: SessionKey, start: Start) -> Rollout:
        """Start a branch and wait for its first progress, so that an invalid request fails at once.

        Raises:
            Refusal: Too many branches are waiting.
        """
        with self._lock:
            growing = {name: rollout for name, rollout in self._rollouts.items() if not rollout.finished.is_set()}
            if self._is_closed or len(growing) > MAX_WAITING:
                raise Refusal(429, f"{MAX_WAITING} branches are already waiting: stop one, or wait")
            rollout = self._thread.begin(start)
            self._rollouts = {**growing, (key, rollout.branch): rollout}
        return rollout

    def rollout(self, key: SessionKey, branch: int) -> Rollout | None:
        """Return a branch that is being written. It may have ended since."""
        return self._rollouts.get((key, branch))

    def ahead(self, rollout: Rollout) -> int:
        """Return how many branches come before this one; 0 once it has started."""
        if rollout.is_started:
            return 0
        waiting = [other for other in self._rollouts.values() if not other.finished.is_set()]
        return waiting.index(rollout) if rollout in waiting else 0

    def close(self) -> None:
        """Stop all branches. Those that have not started end at once."""
        with self._lock:
            self._is_closed = True
            for rollout in self._rollouts.values():
                rollout.stop()
        self._thread.end(LEAVE_SECONDS)


class Service:
    """Everything the endpoints act on."""

    def __init__(self, opening: Opening) -> None:
        if len(opening.programs) > MAX_WAITING:
            raise UsageError(f"at most {MAX_WAITING} programs can be predicted at once, not {len(opening.programs)}")
        self.sessions = SessionCache([build(path) for path in opening.runs], tokenizer=opening.tokenizer)
        self.live = LiveBranches(opening.models) if opening.models else None
        self.quizzes = Quizzes()
        self._opening = opening
        self._is_leaving: Callable[[], bool] = lambda: False
        self.in_thread = ThreadGate(MAX_THREADS, self.is_leaving)
        for session in opening.sessions:
            self.sessions.add(session)

    def open(self, *, is_leaving: Callable[[], bool]) -> None:
        """Start to predict the programs. Streams end when `is_leaving` returns true."""
        self._is_leaving = is_leaving
        for program in self._opening.programs:
            if self._opening.quiz is None:
                self._show(program, None)
            else:
                self._ask_about(program, self._opening.quiz)

    def is_leaving(self) -> bool:
        """Return whether the server is shutting down."""
        return self._is_leaving()

    def close(self) -> None:
        """Stop all branches."""
        if self.live is not None:
            self.live.close()

    def runs(self) -> dict[str, Any]:
        """List the runs and the models."""
        models = list(self.live.models) if self.live else []
        return {
            "runs": api.runs(self.sessions),
            "models": models,
            "live": self.live is not None,
            "records": self._opening.records,
            "quizzes": len(self.quizzes),
        }

    def predict_branch(self, run: str, at: int, body: Mapping[str, Any]) -> dict[str, Any]:
        """Start a branch with an intervention."""
        live = self._live_branches()
        parent = body.get("parent", 0)
        cached = self.sessions.get(run, at)
        session = cached.session
        predictor = live.model(session.model if session.model in live.models else live.models[0])
        with cached.lock:
            branch = api.branch_of(session, parent)
            if branch.status == "running":
                raise Refusal(409, f"branch {parent} is still being written: stop it, or wait")
            if len(session.branches) >= MAX_BRANCHES or cached.weight > MAX_TEXT_BYTES:
                raise Refusal(409, f"no room for more than {len(session.branches)} branches", slug="full")
            start = partial(
                predict_branch,
                session,
                predictor,
                BranchEdit.of_json(body["intervention"]),
                parent=parent,
                limits=self._opening.limits,
            )
            rollout = live.begin(cached.key, lambda stop: start(stop=stop))
        return {"branch": rollout.branch}

    def type(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Record, and with a model predict, a program that was typed on the page."""
        if not self._opening.records:
            self._live_branches()
        call = body.get("call") or None
        name = usual_name(body.get("language", "python"))
        program = Program(source=body["source"], name=name, call=call, stdin=body.get("stdin", ""))
        return {"run": LIVE, "at": self._show(program, body.get("model"))}

    def stop(self, run: str, at: int, branch: int) -> dict[str, Any]:
        """Stop a branch. One that has ended stays as it is."""
        cached = self.sessions.get(run, at)
        api.branch_of(cached.session, branch)
        rollout = self.live.rollout(cached.key, branch) if self.live else None
        if rollout is not None:
            rollout.stop()
            rollout.finished.wait(STOP_SECONDS)
        return {"branch": branch, "status": api.branch_of(cached.session, branch).status}

    async def events(self, run: str, at: int, branch: int) -> AsyncIterator[bytes]:
        """Stream the progress of a branch, and its description at the end."""
        cached = await self.in_thread(self.sessions.get, run, at)
        api.branch_of(cached.session, branch)
        rollout = self.live.rollout(cached.key, branch) if self.live else None
        return self._stream(cached, branch, rollout)

    async def _stream(self, cached: CachedSession, branch: int, rollout: Rollout | None) -> AsyncIterator[bytes]:
        with suppress(Refusal):  # the server is shutting down
            if rollout is not None:
                async for progress in self._progress(cached, rollout):
                    yield progress
            yield event("done", await self.in_thread(api.branch_json, cached, branch))

    async def _progress(self, cached: CachedSession, rollout: Rollout) -> AsyncIterator[bytes]:
        last: tuple[RolloutProgress, int] | None = None
        last_sent, pause = time.monotonic(), POLL_SECONDS
        while not rollout.finished.is_set() and not self.is_leaving():
            now = time.monotonic()
            ahead = self.live.ahead(rollout) if self.live else 0
            if rollout.latest is not None and (rollout.latest, ahead) != last:
                last, last_sent = (rollout.latest, ahead), now
                rows = await self.in_thread(_rows, cached, rollout.branch)
                yield event("progress", _progress_json(rollout.latest, rows, ahead))
                pause = max(POLL_SECONDS, 4 * (time.monotonic() - now))  # counting rows must not slow the model
            elif now - last_sent > KEEPALIVE_SECONDS:
                last_sent = now
                yield b": still here\n\n"
            await asyncio.sleep(pause)

    def _show(self, program: Program, model: str | None) -> int:
        """Add a program: predicted by a model, or else recorded only. Return its number."""
        if not self._opening.records:
            return self._predict(program, model)
        return self.sessions.add(recorded_session(self._opening, program)).key[1]

    def _predict(self, program: Program, model: str | None) -> int:
        live = self._live_branches()
        name, opening = model or live.models[0], self._opening
        predictor = live.model(name)
        session = new_session(opening, program, name, predictor)
        cached = self.sessions.add(session)
        try:
            live.begin(cached.key, lambda stop: root_prediction(opening, session, predictor, stop=stop))
        except Refusal:
            self.sessions.drop(cached)
            raise
        return cached.key[1]

    def _ask_about(self, program: Program, options: QuizOptions) -> None:
        """Add a quiz. Its run is no sample: nobody can look up the answers."""
        opening = self._opening
        if self.live is None:
            self.quizzes.add(Quiz(recorded_session(opening, program), options))
            return
        name = self.live.models[0]
        predictor = self.live.model(name)
        session = new_session(opening, program, name, predictor)
        number = self.quizzes.add(Quiz(session, options, model=name))
        self.live.begin((QUIZ, number, ""), lambda stop: root_prediction(opening, session, predictor, stop=stop))

    def _live_branches(self) -> LiveBranches:
        if self.live is None:
            raise Refusal(403, "this page is read-only: it was opened without a model", slug="not-live")
        return self.live


def recorded_session(opening: Opening, program: Program) -> Session:
    """Record a program, and return a session of its run alone."""
    return record_session(program, limits=opening.limits, control=opening.control)


def new_session(opening: Opening, program: Program, model: str, predictor: Predictor) -> Session:
    """Return a session for a program that is still to be predicted."""
    return Session.new(
        program, model=model, codec=predictor.info.notation, tokenizer=opening.tokenizer, control=opening.control
    )


def root_prediction(
    opening: Opening, session: Session, predictor: Predictor, *, stop: Callable[[], bool] = never
) -> Iterator[RolloutProgress]:
    """Record and predict the program of a new session, as the page is asked to."""
    return predict_root(session, predictor, scratchpad=opening.scratchpad, limits=opening.limits, stop=stop)


def event(name: str, data: Mapping[str, Any]) -> bytes:
    """Return a server-sent event with one line of JSON."""
    return b"event: " + name.encode() + b"\ndata: " + json_bytes(data) + b"\n\n"


def _rows(cached: CachedSession, branch: int) -> int:
    with cached.lock:
        return len(cached.run_diff(branch).rows)


def _progress_json(progress: RolloutProgress, rows: int, ahead: int) -> dict[str, Any]:
    return {
        "stage": progress.stage,
        "bytes": progress.bytes,
        "steps": progress.steps,
        "ahead": ahead,
        "rows": rows,
        "note": progress.note,
    }

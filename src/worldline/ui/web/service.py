"""What the server has before it: the runs and scenes that are open, and the live work on them. It knows no HTTP.

`Opening` is what it starts with. Reading is `api`'s; here is what changes something, and what can be watched.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from worldline.codec.tokens import Tokenizer
from worldline.core.errors import UsageError
from worldline.core.hidden import Control
from worldline.core.language import usual_name
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.predict.predictor import Predictor
from worldline.ui.http.errors import Refusal
from worldline.ui.http.json_body import json_bytes
from worldline.ui.http.threads import ThreadGate
from worldline.ui.session.branches.branch import BranchEdit
from worldline.ui.session.rollout import RolloutProgress, predict_branch, predict_root
from worldline.ui.session.rollout_worker import Rollout
from worldline.ui.session.session import Session
from worldline.ui.web import api
from worldline.ui.web.index.index import build
from worldline.ui.web.live import WAITING, LiveBranches
from worldline.ui.web.session_cache import LIVE, WEIGHT, CachedSession, SessionCache

BEAT = 0.1  # seconds between two looks at a branch that grows
THREADS = 8  # answers that are computed at once
ALIVE = 10.0  # seconds without news after which a stream says that it is there
STOPPING = 1.0  # seconds that whoever stops a branch waits to see it stopped
BRANCHES = 100  # of one scene


@dataclass(frozen=True, kw_only=True)
class Opening:
    """What is opened: runs on disk, scenes that are there already, programs to imagine, models by name.

    Without models nothing can be imagined: the page only shows. Without a tokenizer costs are told in bytes alone.
    """

    runs: tuple[Path, ...] = ()
    sessions: tuple[Session, ...] = ()
    programs: tuple[Program, ...] = ()
    models: Mapping[str, Callable[[], Predictor]] = field(default_factory=dict)
    limits: Limits | None = None
    tokenizer: Tokenizer | None = None
    control: Control | None = None  # of the hidden inputs of programs


class Service:
    """All that an endpoint acts on."""

    def __init__(self, opening: Opening) -> None:
        if opening.programs and not opening.models:
            raise UsageError("a program is shown as a model imagines it: name one")
        if len(opening.programs) > WAITING:
            raise UsageError(f"at most {WAITING} programs are imagined at once, not {len(opening.programs)}")
        self.sessions = SessionCache([build(path) for path in opening.runs], tokenizer=opening.tokenizer)
        self.live = LiveBranches(opening.models) if opening.models else None
        self._opening = opening
        self._is_leaving: Callable[[], bool] = lambda: False
        self.in_thread = ThreadGate(THREADS, self.is_leaving)
        for session in opening.sessions:
            self.sessions.add(session)

    def open(self, *, is_leaving: Callable[[], bool]) -> None:
        """Begin with the programs; `is_leaving` is asked by streams whether they should end."""
        self._is_leaving = is_leaving
        for program in self._opening.programs:
            self._imagine(program, None)

    def is_leaving(self) -> bool:
        """Whether the server is about to end."""
        return self._is_leaving()

    def close(self) -> None:
        """Stop what is at work."""
        if self.live is not None:
            self.live.close()

    def runs(self) -> dict[str, Any]:
        """The runs, the models, and whether they can be asked."""
        models = list(self.live.models) if self.live else []
        return {"runs": api.runs(self.sessions), "models": models, "live": self.live is not None}

    def predict_branch(self, run: str, at: int, body: Mapping[str, Any]) -> dict[str, Any]:
        """Intervene in a scene."""
        live = self._asked()
        parent = body.get("parent", 0)
        cached = self.sessions.get(run, at)
        session = cached.session
        predictor = live.model(session.model if session.model in live.models else live.models[0])
        with cached.lock:
            branch = api.branch_of(session, parent)
            if branch.status == "running":
                raise Refusal(409, f"branch {parent} is still growing: stop it, or wait")
            if len(session.branches) >= BRANCHES or cached.weight > WEIGHT:
                raise Refusal(409, f"{len(session.branches)} branches are as much as is kept", slug="full")
            edit = BranchEdit.of_json(body["intervention"])
            rollout = live.begin(
                cached.key,
                lambda stop: predict_branch(
                    session, predictor, edit, parent=parent, limits=self._opening.limits, stop=stop
                ),
            )
        return {"branch": rollout.branch}

    def type(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Take a program that was typed."""
        self._asked()
        call = body.get("call") or None
        name = usual_name(body.get("language", "python"))
        program = Program(source=body["source"], name=name, call=call, stdin=body.get("stdin", ""))
        return {"run": LIVE, "at": self._imagine(program, body.get("model"))}

    def stop(self, run: str, at: int, branch: int) -> dict[str, Any]:
        """Stop a branch; one that is over stays as it is."""
        cached = self.sessions.get(run, at)
        api.branch_of(cached.session, branch)
        rollout = self.live.rollout(cached.key, branch) if self.live else None
        if rollout is not None:
            rollout.stop()
            rollout.finished.wait(STOPPING)
        return {"branch": branch, "status": api.branch_of(cached.session, branch).status}

    async def events(self, run: str, at: int, branch: int) -> AsyncIterator[bytes]:
        """A branch while it grows; its description at the end."""
        cached = await self.in_thread(self.sessions.get, run, at)
        api.branch_of(cached.session, branch)
        rollout = self.live.rollout(cached.key, branch) if self.live else None
        return self._stream(cached, branch, rollout)

    async def _stream(
        self, cached: CachedSession, branch: int, rollout: Rollout | None
    ) -> AsyncIterator[bytes]:
        with suppress(Refusal):  # the server ends, and with it the stream
            if rollout is not None:
                async for told in self._progress(cached, rollout):
                    yield told
            yield event("done", await self.in_thread(api.branch_json, cached, branch))

    async def _progress(self, cached: CachedSession, rollout: Rollout) -> AsyncIterator[bytes]:
        said: tuple[RolloutProgress, int] | None = None
        spoke, pause = time.monotonic(), BEAT
        while not rollout.finished.is_set() and not self.is_leaving():
            began = time.monotonic()
            ahead = self.live.ahead(rollout) if self.live else 0
            if rollout.latest is not None and (rollout.latest, ahead) != said:
                said, spoke = (rollout.latest, ahead), began
                rows = await self.in_thread(_rows, cached, rollout.branch)
                yield event("progress", _progress_json(rollout.latest, rows, ahead))
                pause = max(BEAT, 4 * (time.monotonic() - began))  # counting rows must not hold up the model
            elif began - spoke > ALIVE:
                spoke = began
                yield b": still here\n\n"
            await asyncio.sleep(pause)

    def _imagine(self, program: Program, model: str | None) -> int:
        live = self._asked()
        predictor = live.model(model or live.models[0])
        tokenizer = self._opening.tokenizer
        session = Session.new(
            program, model=model or live.models[0], codec=predictor.info.notation, tokenizer=tokenizer,
            control=self._opening.control,
        )  # fmt: skip
        cached = self.sessions.add(session)
        try:
            live.begin(
                cached.key,
                lambda stop: predict_root(session, predictor, limits=self._opening.limits, stop=stop),
            )
        except Refusal:
            self.sessions.drop(cached)
            raise
        return cached.key[1]

    def _asked(self) -> LiveBranches:
        if self.live is None:
            raise Refusal(403, "no model was opened: this page only shows", slug="not-live")
        return self.live


def event(name: str, data: Mapping[str, Any]) -> bytes:
    """A server-sent event; its data is one line of JSON."""
    return b"event: " + name.encode() + b"\ndata: " + json_bytes(data) + b"\n\n"


def _rows(cached: CachedSession, branch: int) -> int:
    with cached.lock:
        return len(cached.run_diff(branch).rows)


def _progress_json(progress: RolloutProgress, rows: int, ahead: int) -> dict[str, Any]:
    told = {"stage": progress.stage, "bytes": progress.bytes, "steps": progress.steps, "ahead": ahead}
    return {**told, "rows": rows, "note": progress.note}

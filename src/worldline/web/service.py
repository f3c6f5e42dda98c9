"""What the server has before it: the shelf of runs and scenes, and the live work on them. It knows no HTTP.

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
from worldline.core.program import Program
from worldline.errors import UsageError
from worldline.explore.branches.branch import Intervention
from worldline.explore.grow import Progress, grow, imagine
from worldline.explore.scene import Scene
from worldline.limits import Limits
from worldline.predict.predictor import Predictor, codec_of
from worldline.web import api
from worldline.web.http.errors import Refusal
from worldline.web.http.json_answer import json_bytes
from worldline.web.http.threads import Aside
from worldline.web.index.index import build
from worldline.web.live import WAITING, Job, Live
from worldline.web.scene_cache import LIVE, WEIGHT, Held, Shelf

BEAT = 0.1  # seconds between two looks at a job
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
    scenes: tuple[Scene, ...] = ()
    programs: tuple[Program, ...] = ()
    models: Mapping[str, Callable[[], Predictor]] = field(default_factory=dict)
    limits: Limits | None = None
    tokenizer: Tokenizer | None = None


class Desk:
    """All that an endpoint acts on."""

    def __init__(self, opening: Opening) -> None:
        if opening.programs and not opening.models:
            raise UsageError("a program is shown as a model imagines it: name one")
        if len(opening.programs) > WAITING:
            raise UsageError(f"at most {WAITING} programs are imagined at once, not {len(opening.programs)}")
        self.shelf = Shelf([build(path) for path in opening.runs], tokenizer=opening.tokenizer)
        self.live = Live(opening.models) if opening.models else None
        self._opening = opening
        self._is_leaving: Callable[[], bool] = lambda: False
        self.aside = Aside(THREADS, self.is_leaving)
        for scene in opening.scenes:
            self.shelf.add(scene)

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
        return {"runs": api.runs(self.shelf), "models": models, "live": self.live is not None}

    def grow(self, run: str, at: int, body: Mapping[str, Any]) -> dict[str, Any]:
        """Intervene in a scene."""
        live = self._asked()
        parent = body.get("parent", 0)
        held = self.shelf.held(run, at)
        scene = held.scene
        predictor = live.model(scene.model if scene.model in live.models else live.models[0])
        with held.lock:
            branch = api.branch_of(scene, parent)
            if branch.status == "running":
                raise Refusal(409, f"branch {parent} is still growing: stop it, or wait")
            if len(scene.branches) >= BRANCHES or held.weight > WEIGHT:
                raise Refusal(409, f"{len(scene.branches)} branches are as much as is kept", slug="full")
            intervention = Intervention.of_json(body["intervention"])
            job = live.begin(
                held.key,
                lambda stop: grow(
                    scene, predictor, intervention, parent=parent, limits=self._opening.limits, stop=stop
                ),
            )
        return {"branch": job.branch}

    def type(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Take a program that was typed."""
        self._asked()
        call = body.get("call") or None
        program = Program(source=body["source"], call=call, stdin=body.get("stdin", ""))
        return {"run": LIVE, "at": self._imagine(program, body.get("model"))}

    def stop(self, run: str, at: int, branch: int) -> dict[str, Any]:
        """Stop a branch; one that is over stays as it is."""
        held = self.shelf.held(run, at)
        api.branch_of(held.scene, branch)
        job = self.live.job(held.key, branch) if self.live else None
        if job is not None:
            job.halt.set()
            job.over.wait(STOPPING)
        return {"branch": branch, "status": api.branch_of(held.scene, branch).status}

    async def events(self, run: str, at: int, branch: int) -> AsyncIterator[bytes]:
        """A branch while it grows; its description at the end."""
        held = await self.aside(self.shelf.held, run, at)
        api.branch_of(held.scene, branch)
        job = self.live.job(held.key, branch) if self.live else None
        return self._stream(held, branch, job)

    async def _stream(self, held: Held, branch: int, job: Job | None) -> AsyncIterator[bytes]:
        with suppress(Refusal):  # the server ends, and with it the stream
            if job is not None:
                async for told in self._progress(held, job):
                    yield told
            yield event("done", await self.aside(api.branch_json, held, branch))

    async def _progress(self, held: Held, job: Job) -> AsyncIterator[bytes]:
        said: Progress | None = None
        spoke, pause = time.monotonic(), BEAT
        while not job.over.is_set() and not self.is_leaving():
            began = time.monotonic()
            if job.latest != said:
                said, spoke = job.latest, began
                rows = await self.aside(_rows, held, job.branch)
                yield event("progress", _told(said, rows))
                pause = max(BEAT, 4 * (time.monotonic() - began))  # counting rows must not hold up the model
            elif began - spoke > ALIVE:
                spoke = began
                yield b": still here\n\n"
            await asyncio.sleep(pause)

    def _imagine(self, program: Program, model: str | None) -> int:
        live = self._asked()
        predictor = live.model(model or live.models[0])
        tokenizer = self._opening.tokenizer
        scene = Scene.new(
            program, model=model or live.models[0], codec=codec_of(predictor), tokenizer=tokenizer
        )
        held = self.shelf.add(scene)
        try:
            live.begin(
                held.key, lambda stop: imagine(scene, predictor, limits=self._opening.limits, stop=stop)
            )
        except Refusal:
            self.shelf.drop(held)
            raise
        return held.key[1]

    def _asked(self) -> Live:
        if self.live is None:
            raise Refusal(403, "no model was opened: this page only shows", slug="not-live")
        return self.live


def event(name: str, data: Mapping[str, Any]) -> bytes:
    """A server-sent event; its data is one line of JSON."""
    return b"event: " + name.encode() + b"\ndata: " + json_bytes(data) + b"\n\n"


def _rows(held: Held, branch: int) -> int:
    with held.lock:
        return len(held.pair(branch).rows)


def _told(progress: Progress, rows: int) -> dict[str, Any]:
    told = {"stage": progress.stage, "bytes": progress.bytes, "steps": progress.steps}
    return {**told, "rows": rows, "note": progress.note}

"""Sources of documents: framed files, running commands, datasets, and mixtures of them.

A document here is only a prompt and its steps. Files and datasets are read in an order that a seed
fixes, and can resume at any point; commands cannot be rewound and start again. Needs no codec and, apart
from datasets, only the standard library.
"""

from __future__ import annotations

import functools
import hashlib
import random
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from typing import Any, Protocol

from worldline.core.errors import DryError, FormatError, UsageError
from worldline.data.frames import DocumentPair, parse_frames, read_frames
from worldline.data.lanes import SINGLE_LANE, Lanes
from worldline.storage import listing, remote
from worldline.storage.compression import decompress
from worldline.storage.listing import Listed
from worldline.storage.remote import Folder, StorePath

DEFAULT_POOL_SIZE = 1 << 16
MAX_MANIFEST_BYTES = 64 << 20


@dataclass(frozen=True, kw_only=True)
class Files:
    """Framed files, compressed or not, by path or URL. The documents of each file come in a new order every time."""

    paths: tuple[str, ...]
    weight: float = 1.0


@dataclass(frozen=True, kw_only=True)
class Dataset:
    """Folder of parquet shards, by path or URL, with the columns `prompt`, `steps` and optionally `split`.

    With a manifest (data/build/shards.py), only listed shards are read, each verified by its digest.
    """

    folder: str
    split: str = "train"
    weight: float = 1.0


@dataclass(frozen=True, kw_only=True)
class Live:
    """Commands that write frames; `{seed}` and `{worker}` in their words are filled in.

    A document is used once while new ones arrive, otherwise up to `repeat` times.

    Attributes:
        commands: Commands to run.
        weight: Share of the bytes.
        repeat: How often a document may be used.
        pool: Number of documents to keep.
        ahead: Number of documents to wait for before the first is drawn.
    """

    commands: tuple[tuple[str, ...], ...]
    weight: float = 1.0
    repeat: int = 3
    pool: int = DEFAULT_POOL_SIZE
    ahead: int = 1024


DocumentSource = Files | Dataset | Live


def streams(
    recipe: str,
    *,
    function: str = "data",
    split: str = "train",
    workers: int = 1,
    ahead: int = 1,
    python: str = "",
    curriculum: str = "",
    pool: int = DEFAULT_POOL_SIZE,
) -> Live:
    """Stream a recipe's mixture from niced worker processes, recorded without a sandbox.

    Args:
        recipe: Recipe name or file.
        function: Function of the recipe that returns a Mixture.
        split: Split to draw.
        workers: Number of processes.
        ahead: Documents to wait for before the first is drawn.
        python: Interpreter; by default this one.
        curriculum: Curriculum file to follow; `{run}` in it is the run's folder.
        pool: Documents to keep; a small pool lets the curriculum take effect soon.

    Returns:
        The source.
    """
    words = ("nice", "-n", "19", python or sys.executable, "-m", "worldline.data.stream", "--recipe", recipe)
    options = ("--function", function, "--split", split, "--seed", "{seed}", "--worker", "{worker}")
    options += ("--workers", str(workers), "--trust", *(("--curriculum", curriculum) if curriculum else ()))
    return Live(commands=((*words, *options),) * workers, ahead=ahead, pool=pool)


def fill_run_folder(source: DocumentSource, run: Path) -> DocumentSource:
    """Replace `{run}` in the commands of a source by the run's folder."""
    if not isinstance(source, Live):
        return source
    folder = str(run.resolve())
    filled = (tuple(word.replace("{run}", folder) for word in command) for command in source.commands)
    return replace(source, commands=tuple(filled))


class Stream(Protocol):
    """Endless stream of documents."""

    def draw(self) -> DocumentPair:
        """Return the next document."""

    def state(self) -> dict[str, Any]:
        """Return the position as JSON."""

    def close(self) -> None:
        """Release processes and memory."""


def _read_file(path: Folder) -> list[DocumentPair]:
    return parse_frames(decompress(path.read_bytes()))


def _list_shards(folder: Folder) -> dict[Folder, Listed | None]:
    """Shards of a dataset by its manifest; entries are None if it has no manifest."""
    manifest = listing.beside(folder, listing.PLAIN)
    if not manifest.exists():
        if isinstance(folder, StorePath):
            raise UsageError(f"{folder} has no manifest: write documents to a store with `data build -o URL`")
        return dict.fromkeys(sorted(folder.rglob("*.parquet")))
    content = listing.read_object(manifest, limit=MAX_MANIFEST_BYTES)
    listing.check_format(manifest, content, format=("worldline-documents",), version=(1,))
    shards = content.get("shards")
    if not isinstance(shards, list) or not all(isinstance(shard, dict) for shard in shards):
        raise FormatError(f"{manifest} is damaged: `shards` is not a list")
    named = ((shard.get("name"), shard) for shard in shards)
    return {folder / str(name): listing.entry_of(manifest, name, shard) for name, shard in named}


def _read_parquet(path: Folder, split: str, entry: Listed | None) -> list[DocumentPair]:
    from worldline.storage.arrow import pa, pq

    with listing.open_file(path.parent, path.name, entry) if entry else Path(str(path)).open("rb") as file:
        try:
            filters = [("split", "=", split)] if "split" in pq.read_schema(file).names else None
            file.seek(0)
            table = pq.read_table(file, columns=["prompt", "steps"], filters=filters, partitioning=None)
            columns = (table[name].cast("binary").to_pylist() for name in ("prompt", "steps"))
            return list(zip(*columns, strict=True))
        except (pa.ArrowException, KeyError) as error:
            raise FormatError(f"{path} is not a shard of documents: {error}") from error


# Streams


class ShardStream:
    """Endless documents of a list of files, shard after shard. A lane has every `lanes`-th of each."""

    def __init__(
        self,
        paths: Sequence[Folder],
        load: Callable[[Any], list[DocumentPair]],
        *,
        seed: str,
        lane: int = 0,
        lanes: int = 1,
        state: dict[str, Any] | None = None,
    ) -> None:
        self._paths, self._load, self._seed, self._lane, self._lanes = paths, load, seed, lane, lanes
        at = state or {"epoch": 0, "shard": 0, "document": 0}
        self._epoch, self._shard, self._at = (int(at[name]) for name in ("epoch", "shard", "document"))
        self._closed = False
        self._held = self._open()

    def _open(self) -> list[DocumentPair]:
        order = sorted(self._paths, key=lambda path: str(path).split("/"))
        random.Random(f"{self._seed}/{self._epoch}").shuffle(order)
        documents = list(self._load(order[self._shard]))
        random.Random(f"{self._seed}/{self._epoch}/{self._shard}").shuffle(documents)
        return documents[self._lane :: self._lanes]

    def draw(self) -> DocumentPair:
        """Return the next document of this shard, or of the next non-empty one."""
        tried = 0
        while self._at >= len(self._held):
            # Closed by another thread, which does not wait for this one.
            if self._closed:
                raise DryError("these documents were closed")
            if tried > len(self._paths):
                raise UsageError(f"no documents in {self._paths[0]} and {len(self._paths) - 1} other files")
            tried, self._at, self._shard = tried + 1, 0, self._shard + 1
            if self._shard == len(self._paths):
                self._epoch, self._shard = self._epoch + 1, 0
            self._held = self._open()
        self._at += 1
        return self._held[self._at - 1]

    def state(self) -> dict[str, Any]:
        """Return epoch, shard and document number of the next document."""
        return {"epoch": self._epoch, "shard": self._shard, "document": self._at}

    def close(self) -> None:
        """Release the open shard, and open no more."""
        self._closed, self._held = True, []


class CommandPool:
    """Documents that running commands write: new ones first, and used ones again while none arrives.

    Each of `ranks` trainers runs every `ranks`-th command, under its number among all of them.
    """

    def __init__(self, live: Live, *, seed: str, rank: int = 0, ranks: int = 1) -> None:
        own = list(enumerate(live.commands))[rank::ranks]
        if not own:
            raise UsageError(f"{len(live.commands)} commands cannot feed {ranks} trainers")
        self._live = live
        self._fresh: deque[DocumentPair] = deque()
        # With the number of times each may still be drawn.
        self._used: deque[tuple[DocumentPair, int]] = deque(maxlen=live.pool)
        self._change, self._closed, self._started = threading.Condition(), False, False
        self.counts = {"fresh": 0, "again": 0, "waited": 0.0}
        self._processes = [_start_command(_fill_command(command, seed, n)) for n, command in own]
        self._reading = len(self._processes)
        self._threads = [
            threading.Thread(target=self._read, args=(process,), daemon=True) for process in self._processes
        ]
        for thread in self._threads:
            thread.start()

    def _read(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        try:
            for pair in read_frames(process.stdout):
                with self._change:
                    while len(self._fresh) >= self._live.pool and not self._closed:
                        self._change.wait()
                    if self._closed:
                        return
                    self._fresh.append(pair)
                    self._change.notify_all()
        except (FormatError, ValueError, OSError) as error:
            if not self._closed:
                print(f"worldline: a source of documents sent invalid data: {error}", file=sys.stderr)
        finally:
            with self._change:
                self._reading -= 1
                self._change.notify_all()

    def draw(self) -> DocumentPair:
        """Return a new document, or a used one; wait if there is neither."""
        with self._change:
            waiting_since = monotonic()
            self._change.wait_for(self._ready)
            self.counts["waited"] += monotonic() - waiting_since
            self._started = True
            if self._fresh:
                self.counts["fresh"] += 1
                pair = self._fresh.popleft()
                self._change.notify_all()
                self._keep(pair, self._live.repeat - 1)
                return pair
            if not self._used:
                ends = ", ".join(str(process.wait()) for process in self._processes)
                raise DryError(f"the commands that write documents have ended, with exit codes {ends}")
            self.counts["again"] += 1
            return self._again()

    def _ready(self) -> bool:
        is_available = bool(self._fresh or self._used) if self._started else len(self._fresh) >= self._live.ahead
        return is_available or self._reading == 0

    def _keep(self, pair: DocumentPair, left: int) -> None:
        if left > 0:
            self._used.append((pair, left))

    def _again(self) -> DocumentPair:
        """Return the document drawn longest ago."""
        pair, left = self._used.popleft()
        self._keep(pair, left - 1)
        return pair

    def state(self) -> dict[str, Any]:
        """Return nothing: the output of commands cannot be repeated."""
        return {}

    def close(self) -> None:
        """Stop the commands."""
        with self._change:
            self._closed = True
            self._change.notify_all()
        for process in self._processes:
            process.terminate()
        for process, thread in zip(self._processes, self._threads, strict=True):
            process.wait()
            thread.join()
            if process.stdout is not None:
                process.stdout.close()


def _start_command(command: list[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, bufsize=1 << 20)


def _fill_command(command: Iterable[str], seed: str, worker: int) -> list[str]:
    number = int.from_bytes(hashlib.sha256(f"{seed}/{worker}".encode()).digest()[:4], "little") >> 1
    return [word.replace("{seed}", str(number)).replace("{worker}", str(worker)) for word in command]


def open_source(source: DocumentSource, *, seed: str, begun: int = 0) -> Stream:
    """Open a whole source. `begun` distinguishes the seeds of commands from those of an earlier start."""
    return open_lanes(source, seed=seed, begun=begun)[0]


def open_lanes(
    source: DocumentSource,
    *,
    seed: str,
    lanes: Lanes = SINGLE_LANE,
    begun: int = 0,
    states: Sequence[dict[str, Any]] = (),
) -> list[Stream]:
    """Open a source for each of a trainer's lanes.

    Args:
        source: Source to open.
        seed: Seed of the document order.
        lanes: Lanes of this trainer.
        begun: Step at which the run starts, which changes the seeds of commands.
        states: Positions of all lanes of the run, to resume from.

    Returns:
        One stream per lane.
    """
    if isinstance(source, Live):
        pool = CommandPool(source, seed=f"{seed}/{begun}", rank=lanes.rank, ranks=lanes.ranks)
        return [pool] * len(lanes.own)
    if isinstance(source, Files):
        paths: list[Folder] = [remote.place(path) for path in source.paths]
        load: Callable[[Any], list[DocumentPair]] = _read_file
    else:
        shards, split = _list_shards(remote.place(source.folder)), source.split
        paths, load = list(shards), lambda path: _read_parquet(path, split, shards[path])
    if not paths or not all(path.is_file() for path in paths if isinstance(path, Path)):
        raise UsageError(f"documents are missing: {source}")
    # Lanes reach a shard at about the same time: read it once.
    cached_load = functools.lru_cache(maxsize=1)(load)
    return [
        ShardStream(paths, cached_load, seed=seed, lane=n, lanes=lanes.count, state=states[n] if states else None)
        for n in lanes.own
    ]


class MixedStream:
    """Draws from the source that is furthest behind its share of the bytes."""

    def __init__(
        self, streams: Sequence[Stream], weights: Sequence[float], *, state: dict[str, Any] | None = None
    ) -> None:
        self.streams, self._weights = streams, weights
        self._drawn: list[int] = list(state["drawn"]) if state else [0] * len(streams)
        self._documents: int = state.get("documents", 0) if state else 0

    def draw(self) -> DocumentPair:
        """Return the next document."""
        shares = [drawn / weight for drawn, weight in zip(self._drawn, self._weights, strict=True)]
        at = shares.index(min(shares))
        pair = self.streams[at].draw()
        self._drawn[at] += len(pair[0]) + len(pair[1])
        self._documents += 1
        return pair

    def state(self) -> dict[str, Any]:
        """Return the bytes and position of each stream, and the number of documents."""
        streams = [stream.state() for stream in self.streams]
        return {"drawn": list(self._drawn), "streams": streams, "documents": self._documents}

    def close(self) -> None:
        """Close every stream."""
        for stream in self.streams:
            stream.close()


def open_mixed(
    sources: Iterable[DocumentSource],
    *,
    seed: str,
    lanes: Lanes = SINGLE_LANE,
    begun: int = 0,
    states: Sequence[dict[str, Any]] = (),
) -> list[MixedStream]:
    """Open a mixture of sources for each of a trainer's lanes.

    Args:
        sources: Sources with positive weights.
        seed: Seed of the document order.
        lanes: Lanes of this trainer.
        begun: Step at which the run starts.
        states: States of all lanes of the run, to resume from.

    Returns:
        One mixed stream per lane.

    Raises:
        UsageError: There are no sources, or a weight is not positive.
    """
    chosen = list(sources)
    weights = [source.weight for source in chosen]
    if not chosen or min(weights) <= 0:
        raise UsageError("documents need sources, each with a weight above 0")
    opened = [
        open_lanes(
            source, seed=f"{seed}/{n}", lanes=lanes, begun=begun, states=[state["streams"][n] for state in states]
        )
        for n, source in enumerate(chosen)
    ]
    return [
        MixedStream(streams, weights, state=states[n] if states else None)
        for n, streams in zip(lanes.own, zip(*opened, strict=True), strict=True)
    ]

"""Where documents are drawn from: framed files, running commands, a dataset; and several of them mixed.

A document here is a prompt and its steps, nothing more. Files and datasets are read in an order that a seed fixes, from
any point of it again; commands cannot be rewound, and start afresh. Packing is batches.py's. Needs no codec and, but
for a dataset, nothing beyond the standard library: a trainer's machine may have no more.
"""

from __future__ import annotations

import functools
import hashlib
import lzma
import random
import struct
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from typing import IO, Any, Protocol

from worldline.core.errors import DryError, FormatError, UsageError
from worldline.data.lanes import WHOLE, Lanes
from worldline.storage import listing, remote
from worldline.storage.listing import Listed
from worldline.storage.remote import Folder, StorePath

DocumentPair = tuple[bytes, bytes]  # a prompt and its steps
HEAD = struct.Struct("<IIB")  # a frame: the lengths of prompt and steps, document.py's kind; then the bytes
POOL = 1 << 16
MANIFEST_BYTES = 64 << 20
FRAME_BYTES = 64 << 20  # no document is so long: a frame that says so is damage


@dataclass(frozen=True, kw_only=True)
class Files:
    """Framed files, `.xz` or not, by path or URL; the documents of each in a new order every time."""

    paths: tuple[str, ...]
    weight: float = 1.0


@dataclass(frozen=True, kw_only=True)
class Dataset:
    """A folder of parquet shards, by path or URL, with the columns `prompt` and `steps`, and perhaps `split`.

    With a manifest, as data/build/shards.py writes it, only the shards that it lists, each checked by its digest.
    """

    folder: str
    split: str = "train"
    weight: float = 1.0


@dataclass(frozen=True, kw_only=True)
class Live:
    """Commands that write frames for as long as they are read; `{seed}` and `{worker}` in their words are filled in.

    A document is used once while new ones keep coming, else up to `repeat` times.
    """

    commands: tuple[tuple[str, ...], ...]
    weight: float = 1.0
    repeat: int = 3
    pool: int = POOL  # documents kept
    ahead: int = 1024  # documents that must be there before the first is drawn


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
    pool: int = POOL,
) -> Live:
    """The mixture of a recipe's function, recorded without a box by so many niced processes of an interpreter.

    `curriculum` is the file that they follow, `{run}` in it being the run's folder; a small `pool` lets it matter soon.
    """
    words = ("nice", "-n", "19", python or sys.executable, "-m", "worldline.data.stream", "--recipe", recipe)
    which = ("--function", function, "--split", split, "--seed", "{seed}", "--worker", "{worker}")
    which += ("--workers", str(workers), "--trust", *(("--curriculum", curriculum) if curriculum else ()))
    return Live(commands=((*words, *which),) * workers, ahead=ahead, pool=pool)


def placed(source: DocumentSource, run: Path) -> DocumentSource:
    """The same source, `{run}` in the words of its commands being the folder of a run."""
    if not isinstance(source, Live):
        return source
    folder = str(run.resolve())
    filled = (tuple(word.replace("{run}", folder) for word in command) for command in source.commands)
    return replace(source, commands=tuple(filled))


class Stream(Protocol):
    """Something documents can be drawn from, for ever."""

    def draw(self) -> DocumentPair:
        """The next document."""

    def state(self) -> dict[str, Any]:
        """Where it stands, as JSON."""

    def close(self) -> None:
        """Let go of processes and memory."""


# ---- frames


def frame(pair: DocumentPair, kind: int = 0) -> bytes:
    """One document as a frame."""
    return HEAD.pack(len(pair[0]), len(pair[1]), kind) + pair[0] + pair[1]


def frames(data: bytes) -> list[DocumentPair]:
    """Every document of framed bytes."""
    found, at = [], 0
    while at < len(data):
        try:
            prompt, steps, _ = HEAD.unpack_from(data, at)
        except struct.error:
            raise FormatError(f"a frame is torn at byte {at}") from None
        middle = at + HEAD.size + prompt
        if middle + steps > len(data):
            raise FormatError(f"a frame is torn at byte {at}")
        found.append((data[at + HEAD.size : middle], data[middle : middle + steps]))
        at = middle + steps
    return found


def read_frames(file: IO[bytes]) -> Iterator[DocumentPair]:
    """The documents of an open stream, as they come; one that is torn at the end is left out."""
    while len(head := file.read(HEAD.size)) == HEAD.size:
        prompt, steps, _ = HEAD.unpack(head)
        if prompt + steps > FRAME_BYTES:
            raise FormatError("not a stream of documents")
        data = file.read(prompt + steps)
        if len(data) < prompt + steps:
            return
        yield data[:prompt], data[prompt:]


def _read_file(path: Folder) -> list[DocumentPair]:
    data = path.read_bytes()
    return frames(lzma.decompress(data) if path.suffix == ".xz" else data)


def _shards(folder: Folder) -> dict[Folder, Listed | None]:
    """The shards of a dataset as its manifest lists them; of None nothing is known: there is no manifest."""
    manifest = listing.beside(folder, listing.PLAIN)
    if not manifest.exists():
        if isinstance(folder, StorePath):
            raise UsageError(
                f"{folder} has no manifest: documents on a store are those of `data build -o URL`"
            )
        return dict.fromkeys(sorted(folder.rglob("*.parquet")))
    found = listing.read_object(manifest, limit=MANIFEST_BYTES)
    listing.check_format(manifest, found, format=("worldline-documents",), version=(1,))
    shards = found.get("shards")
    if not isinstance(shards, list) or not all(isinstance(shard, dict) for shard in shards):
        raise FormatError(f"{manifest} is damaged: it lists no shards")
    named = ((shard.get("name"), shard) for shard in shards)
    return {folder / str(name): listing.entry_of(manifest, name, shard) for name, shard in named}


def _read_parquet(path: Folder, split: str, wanted: Listed | None) -> list[DocumentPair]:
    from pyarrow import ArrowException, parquet  # type: ignore[import-untyped]

    with listing.open_file(path.parent, path.name, wanted) if wanted else Path(str(path)).open("rb") as file:
        try:
            chosen = [("split", "=", split)] if "split" in parquet.read_schema(file).names else None
            file.seek(0)
            table = parquet.read_table(file, columns=["prompt", "steps"], filters=chosen, partitioning=None)
            columns = (table[name].cast("binary").to_pylist() for name in ("prompt", "steps"))
            return list(zip(*columns, strict=True))
        except (ArrowException, KeyError) as error:
            raise FormatError(f"{path} is no shard of documents: {error}") from error


# ---- streams


class Shards:
    """The documents of a list of files, shard after shard, for ever; a lane's are every `lanes`th of each."""

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
        """The next document of this shard, or of the next that has one."""
        tried = 0
        while self._at >= len(self._held):
            if (
                self._closed
            ):  # by another thread: who draws here is not waited for, however many shards it wants
                raise DryError("these documents were closed")
            if tried > len(self._paths):
                raise UsageError(f"no documents in {self._paths[0]} and the {len(self._paths) - 1} beside it")
            tried, self._at, self._shard = tried + 1, 0, self._shard + 1
            if self._shard == len(self._paths):
                self._epoch, self._shard = self._epoch + 1, 0
            self._held = self._open()
        self._at += 1
        return self._held[self._at - 1]

    def state(self) -> dict[str, Any]:
        """Which document of which shard of which round comes next."""
        return {"epoch": self._epoch, "shard": self._shard, "document": self._at}

    def close(self) -> None:
        """Forget the open shard, and open no more."""
        self._closed, self._held = True, []


class Pool:
    """The documents that running commands write: new ones first, then, while none has come, used ones again.

    Of `ranks` trainers each runs every `ranks`th command, under the number that it has among all of them.
    """

    def __init__(self, live: Live, *, seed: str, rank: int = 0, ranks: int = 1) -> None:
        own = list(enumerate(live.commands))[rank::ranks]
        if not own:
            raise UsageError(f"{len(live.commands)} commands cannot feed {ranks} trainers")
        self._live = live
        self._fresh: deque[DocumentPair] = deque()
        # Each with how often it may still be drawn.
        self._used: deque[tuple[DocumentPair, int]] = deque(maxlen=live.pool)
        self._change, self._closed, self._begun = threading.Condition(), False, False
        self.counts = {"fresh": 0, "again": 0, "waited": 0.0}
        self._processes = [_start(_filled(command, seed, n)) for n, command in own]
        self._reading = len(self._processes)
        self._threads = [
            threading.Thread(target=self._read, args=(each,), daemon=True) for each in self._processes
        ]
        for thread in self._threads:
            thread.start()

    def _read(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None  # a pipe was asked for
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
                print(f"worldline: a source of documents: {error}", file=sys.stderr)
        finally:
            with self._change:
                self._reading -= 1
                self._change.notify_all()

    def draw(self) -> DocumentPair:
        """A new document, or one already used, or, if there is neither, wait."""
        with self._change:
            begun = monotonic()
            self._change.wait_for(self._ready)
            self.counts["waited"] += monotonic() - begun
            self._begun = True
            if self._fresh:
                self.counts["fresh"] += 1
                pair = self._fresh.popleft()
                self._change.notify_all()
                self._keep(pair, self._live.repeat - 1)
                return pair
            if not self._used:
                ends = ", ".join(str(process.wait()) for process in self._processes)
                raise DryError(f"the sources of documents have ended, with exit codes {ends}")
            self.counts["again"] += 1
            return self._again()

    def _ready(self) -> bool:
        there = bool(self._fresh or self._used) if self._begun else len(self._fresh) >= self._live.ahead
        return there or self._reading == 0

    def _keep(self, pair: DocumentPair, left: int) -> None:
        if left > 0:
            self._used.append((pair, left))

    def _again(self) -> DocumentPair:
        """The one drawn longest ago, so that as much as can be lies between."""
        pair, left = self._used.popleft()
        self._keep(pair, left - 1)
        return pair

    def state(self) -> dict[str, Any]:
        """Nothing: what commands write cannot be asked for again."""
        return {}

    def close(self) -> None:
        """End the commands."""
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


def _start(command: list[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, bufsize=1 << 20)


def _filled(command: Iterable[str], seed: str, worker: int) -> list[str]:
    number = int.from_bytes(hashlib.sha256(f"{seed}/{worker}".encode()).digest()[:4], "little") >> 1
    return [word.replace("{seed}", str(number)).replace("{worker}", str(worker)) for word in command]


def open_source(source: DocumentSource, *, seed: str, begun: int = 0) -> Stream:
    """The stream of a whole source; `begun` tells the seeds of commands from those that an earlier one gave them."""
    return open_lanes(source, seed=seed, begun=begun)[0]


def open_lanes(
    source: DocumentSource,
    *,
    seed: str,
    lanes: Lanes = WHOLE,
    begun: int = 0,
    states: Sequence[dict[str, Any]] = (),
) -> list[Stream]:
    """A source's stream in each of a trainer's lanes; `states` are what those of every lane said, the run's own."""
    if isinstance(source, Live):
        pool = Pool(source, seed=f"{seed}/{begun}", rank=lanes.rank, ranks=lanes.ranks)
        return [pool] * len(lanes.own)
    if isinstance(source, Files):
        paths: list[Folder] = [remote.place(path) for path in source.paths]
        load: Callable[[Any], list[DocumentPair]] = _read_file
    else:
        shards, split = _shards(remote.place(source.folder)), source.split
        paths, load = list(shards), lambda path: _read_parquet(path, split, shards[path])
    if not paths or not all(path.is_file() for path in paths if isinstance(path, Path)):
        raise UsageError(f"documents are missing: {source}")
    once = functools.lru_cache(maxsize=1)(load)  # lanes come to a shard at about the same time
    return [
        Shards(paths, once, seed=seed, lane=n, lanes=lanes.count, state=states[n] if states else None)
        for n in lanes.own
    ]


class Mixed:
    """Draws from the source that is furthest behind its share of the bytes."""

    def __init__(
        self, streams: Sequence[Stream], weights: Sequence[float], *, state: dict[str, Any] | None = None
    ) -> None:
        self.streams, self._weights = streams, weights
        self._drawn: list[int] = list(state["drawn"]) if state else [0] * len(streams)
        self._documents: int = state.get("documents", 0) if state else 0

    def draw(self) -> DocumentPair:
        """The next document."""
        shares = [drawn / weight for drawn, weight in zip(self._drawn, self._weights, strict=True)]
        at = shares.index(min(shares))
        pair = self.streams[at].draw()
        self._drawn[at] += len(pair[0]) + len(pair[1])
        self._documents += 1
        return pair

    def state(self) -> dict[str, Any]:
        """How many bytes each has given, where it stands, and how many documents came of all of them."""
        streams = [stream.state() for stream in self.streams]
        return {"drawn": list(self._drawn), "streams": streams, "documents": self._documents}

    def close(self) -> None:
        """Close every stream."""
        for stream in self.streams:
            stream.close()


def open_mixed(
    sources: Iterable[DocumentSource], *, seed: str, lanes: Lanes = WHOLE, begun: int = 0,
    states: Sequence[dict[str, Any]] = (),
) -> list[Mixed]:  # fmt: skip
    """Sources mixed, in each of a trainer's lanes; `states` are what those of every lane said, the run's own."""
    chosen = list(sources)
    weights = [source.weight for source in chosen]
    if not chosen or min(weights) <= 0:
        raise UsageError("documents need sources, each with a weight above 0")
    opened = [
        open_lanes(
            source, seed=f"{seed}/{n}", lanes=lanes, begun=begun, states=[state["streams"][n] for state in states]
        )
        for n, source in enumerate(chosen)
    ]  # fmt: skip
    return [
        Mixed(streams, weights, state=states[n] if states else None)
        for n, streams in zip(lanes.own, zip(*opened, strict=True), strict=True)
    ]

"""Real functions out of installed packages and files: found, made self-contained, fuzzed in a box, kept as programs.

`mine` writes programs, one JSON object a line, compressed; `drawer` draws from such a file, as a source of a mixture
does. The sources mined stay where they are: nothing of them is part of this package. A function is kept with the calls
that returned, or raised what its own code raises, each along another path. A mining that was killed goes on where it
was: `journal` has what it found. A file or function that fails is warned of, counted and left out.
"""

from __future__ import annotations

import ast
import json
import lzma
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

from worldline import files
from worldline.codec.compact.prompt import Compact
from worldline.core.events import EVENTS
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.data.document import MAX_BYTES, document, is_sound, write
from worldline.data.mine.extract import Found, functions
from worldline.data.mine.inputs import arguments
from worldline.data.mine.journal import Journal, digest
from worldline.data.mine.types import Signature, signature
from worldline.data.mixture import ALL, SMALL, TOGETHER, Mixture, written
from worldline.errors import FormatError, UsageError
from worldline.programs.split import key, split_of
from worldline.recording.recorder import BoxWorker, prepare
from worldline.recording.together import record_all, stretched

CALLS = 8  # kept of a function
ROUND = 24  # calls tried at a time
ROUNDS = 3
MIN_LINES = 2  # fewer teach nothing
_SKIPPED = {
    "test", "tests", "testing", "idlelib", "lib2to3", "tkinter", "turtledemo", "site-packages", "ensurepip",
    "distutils", "__pycache__", "encodings", "pydoc_data", "msilib", "curses", "dbm", "wsgiref", "_vendor",
    "unicode_codes",
}  # fmt: skip
_WHERE = """
import importlib.util, json, sys, sysconfig
found = {}
for name in sys.argv[1:]:
    if name == "stdlib":
        found[name] = sysconfig.get_path("stdlib")
        continue
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        spec = None
    file = spec and (getattr(spec.loader_state, "filename", None) or spec.origin)
    folders = list(spec and spec.submodule_search_locations or [])
    found[name] = folders[0] if folders else file if file and file.endswith(".py") else None
print(json.dumps(found))
"""
_LINE = EVENTS.index("line")


@dataclass(frozen=True)
class Mined:
    """One call of a mined function, and where the function is from."""

    source: str
    call: str
    origin: str
    key: str

    @property
    def program(self) -> Program:
        """What is run."""
        return Program(source=self.source, call=self.call)


@dataclass(frozen=True, kw_only=True)
class Quarry:
    """The mining part of a recipe: packages (`stdlib` is the standard library), folders or files, and the seed."""

    places: tuple[str, ...]
    seed: int = 0


@dataclass(frozen=True)
class MiningCounts:
    """How far a mining has come; `failed` counts the files and candidates that could not be tried."""

    files: int = 0
    candidates: int = 0
    functions: int = 0
    calls: int = 0
    failed: int = 0


def mine(
    places: Sequence[str], *, out: str | Path, python: str | None = None, workers: int = 1, seed: int = 0,
    most: int = 0, trust: bool = False, progress: Callable[[MiningCounts], None] | None = None,
) -> MiningCounts:  # fmt: skip
    """Mine packages (by name, as `python` finds them), `stdlib`, folders and files into a file; what was found.

    The same again after it was killed goes on; the file is there when all is done, and the same.
    """
    tally, found = MiningCounts(), locate(places, python)
    journal = Journal(Path(out))
    draft = files.Draft(Path(out))
    try:
        with lzma.open(draft, "wb", preset=6) as file:  # type: ignore[call-overload]
            for tally, calls in _search(found, journal, workers=workers, seed=seed, trust=trust):
                for each in calls:
                    file.write(json.dumps(asdict(each)).encode() + b"\n")
                if progress is not None:
                    progress(tally)
                if most and tally.functions >= most:
                    break
        draft.commit()
    except BaseException:
        draft.discard()
        journal.close()
        raise
    journal.finish()
    return tally


def _search(
    places: Iterable[Path], journal: Journal, *, workers: int, seed: int, trust: bool
) -> Iterator[tuple[MiningCounts, list[Mined]]]:
    """What was mined of each candidate, in order, duplicates left out; at the end, once more, how far it came."""
    setup = prepare(limits=stretched(SMALL, ROUND), python=None, core="auto", trust=trust)
    seen: set[str] = set()
    counted = candidates = kept = calls = failed = 0

    def fresh() -> Iterator[Found]:
        nonlocal counted, candidates, failed
        for counted, path in enumerate(python_files(places), 1):  # noqa: B007
            try:
                several = list(functions(path))
            except Exception as error:
                failed += 1
                warnings.warn(f"{path} could not be read: {error!r}", stacklevel=2)
                continue
            for found in several:
                hashed = key(found.source + found.node.name)
                if hashed not in seen:
                    seen.add(hashed)
                    candidates += 1
                    yield found

    with ExitStack() as stack:
        pool = [BoxWorker(setup) for _ in range(workers)]
        for worker in pool:
            stack.callback(worker.close)
        for mined in _each(pool, fresh(), journal, seed):
            failed += mined is None
            kept, calls = kept + bool(mined), calls + len(mined or ())
            yield MiningCounts(counted, candidates, kept, calls, failed), mined or []
    yield MiningCounts(counted, candidates, kept, calls, failed), []


def _each(
    pool: list[BoxWorker], found: Iterator[Found], journal: Journal, seed: int
) -> Iterator[list[Mined] | None]:
    """Each candidate's calls, one candidate a worker at a time; None for one that failed."""
    with ThreadPoolExecutor(len(pool), "worldline-mine") as threads:
        while True:
            batch = [each for _, each in zip(pool, found, strict=False)]
            if not batch:
                return
            running: list[Future[list[Mined]]] = [
                threads.submit(_known, journal, worker, each, seed)
                for worker, each in zip(pool, batch, strict=False)
            ]
            for each, future in zip(batch, running, strict=True):
                try:
                    yield future.result()
                except Exception as error:
                    warnings.warn(f"{each.origin} failed: {error!r}", stacklevel=2)
                    yield None


def _known(journal: Journal, worker: BoxWorker, found: Found, seed: int) -> list[Mined]:
    """A candidate's calls as the journal has them, or found now and noted there."""
    mark = digest(seed, found.origin, found.source, worker.setup.limits, worker.setup.plan.boxed)
    calls = journal.calls(mark)
    if calls is None:
        mined = fuzz(worker, found, Random(f"{seed}/{found.origin}"))
        journal.add(mark, [each.call for each in mined])
        return mined
    hashed = key(found.source)
    return [Mined(found.source, call, found.origin, hashed) for call in calls]


def fuzz(worker: BoxWorker, found: Found, rng: Random) -> list[Mined]:
    """The calls of one function that are worth keeping: they end by themselves, each along another path."""
    hashed = key(found.source)
    paths: dict[bytes, str] = {}
    raised = 0
    tried: set[str] = set()
    for turn in range(ROUNDS):
        calls = [call for _ in range(ROUND) if (call := _call(rng, found)) and call not in tried]
        tried.update(calls)
        programs = [Program(source=found.source, call=call) for call in dict.fromkeys(calls)]
        for program, trace in zip(programs, record_all(worker, programs), strict=True):
            if trace is None or not is_worth(trace):
                continue
            path = bytes(trace.columns.event) + trace.columns.line.tobytes()
            if path in paths or len(paths) >= CALLS:
                continue
            if trace.outcome.kind == "raised":
                if raised or not _raises_itself(trace):
                    continue
                raised += 1
            paths[path] = program.call or ""
        if len(paths) >= CALLS or (turn and not paths):
            break
    if len(paths) == raised:
        return []
    return [Mined(found.source, call, found.origin, hashed) for call in paths.values()]


def is_worth(trace: Trace) -> bool:
    """Whether something can be learned from a call: it ended by itself, ran a few lines, and fits a document."""
    lines = sum(event == _LINE for event in trace.columns.event)
    if lines < MIN_LINES or not is_sound(trace) or "<" in trace.outcome.detail[:1]:
        return False
    return document(trace, Compact(bare=True), kind="mine", max_bytes=MAX_BYTES) is not None


def _raises_itself(trace: Trace) -> bool:
    """Whether the exception is one that the code raises by a statement of its own."""
    lines = trace.program.source.split("\n")
    first = next((step for step in trace.steps if step.event == "raise"), None)
    return first is not None and lines[first.line - 1].lstrip().startswith("raise")


def _call(rng: Random, found: Found) -> str:
    """A call with arguments that are drawn by guess."""
    given = _signatures(found)
    if not found.methods:
        inner = f"{found.node.name}({', '.join(arguments(rng, given[0]))})"
        return f"list({inner})" if given[0].yields else inner
    made = f"{found.node.name}({', '.join(arguments(rng, given[0]))})"
    number = rng.randrange(len(found.methods))
    inner = f"{made}.{found.methods[number].name}({', '.join(arguments(rng, given[number + 1]))})"
    return f"list({inner})" if given[number + 1].yields else inner


@lru_cache(maxsize=64)
def _signatures(found: Found) -> list[Signature]:
    """What the function takes; of a class, what its making takes, and then each method."""
    if isinstance(found.node, ast.FunctionDef):
        return [signature(found.node, found.source)]
    start = [n for n in found.node.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"]
    nothing = Signature((), False, (), (), False)
    first = signature(start[0], found.source, method=True) if start else nothing
    return [first, *(signature(method, found.source, method=True) for method in found.methods)]


def locate(places: Sequence[str], python: str | None = None) -> list[Path]:
    """Where packages, folders and files are; UsageError for what is none of them."""
    found = {place: Path(place) for place in places if Path(place).exists()}
    names = [place for place in places if place not in found]
    if names:
        command = [python or sys.executable, "-I", "-c", _WHERE, *names]
        try:
            done = subprocess.run(command, capture_output=True, check=True, timeout=60)
        except (OSError, subprocess.SubprocessError) as error:
            raise UsageError(f"{command[0]} could not be asked where packages are: {error}") from None
        answers: dict[str, str | None] = json.loads(done.stdout)
        for name, place in answers.items():
            if place is None:
                raise UsageError(f"there is no package, folder or file {name!r}, or none with Python source")
            found[name] = Path(place)
    return [found[place] for place in places]


def python_files(places: Iterable[Path]) -> Iterator[Path]:
    """The Python files of folders, sorted, without tests and what is vendored."""
    for place in places:
        if place.is_file():
            yield place
            continue
        for path in sorted(place.rglob("*.py")):
            parts = path.relative_to(place).parts
            if not _SKIPPED.intersection(parts) and not parts[-1].startswith("test_"):
                yield path


def read_mined(path: str | Path) -> list[Mined]:
    """The calls of a mined file."""
    try:
        with lzma.open(path, "rb") as file:
            return [Mined(**json.loads(line)) for line in file]
    except (OSError, lzma.LZMAError, ValueError, TypeError, EOFError) as error:
        raise FormatError(f"{path}: no file of mined programs: {error}") from None


def drawer(path: str) -> Callable[[Random], Program]:
    """A source of programs for a mixture: any function of a mined file, any of its calls."""
    by_function: dict[str, list[Mined]] = {}
    for each in read_mined(path):
        by_function.setdefault(each.key, []).append(each)
    groups: list[Any] = list(by_function.values())
    if not groups:
        raise UsageError(f"{path}: nothing was mined")
    return lambda rng: rng.choice(rng.choice(groups)).program


def written_out(
    path: str | Path, out: str | Path, *, mixture: Mixture, times: int = 1, trust: bool = False
) -> int:
    """The mined calls of a mixture's split as framed documents, compressed, each in `times` drawn modes; how many."""
    chosen = [each for each in read_mined(path) if mixture.split in (ALL, split_of(each.key))]
    rng = Random(f"{mixture.seed}/mined")
    limits = stretched(mixture.limits, TOGETHER)
    worker = BoxWorker(prepare(limits=limits, python=None, core="auto", trust=trust))
    draft, made = files.Draft(Path(out)), 0
    try:
        with lzma.open(draft, "wb", preset=6) as file:  # type: ignore[call-overload]
            for at in range(0, len(chosen), TOGETHER):
                some = chosen[at : at + TOGETHER]
                for each, trace in zip(some, record_all(worker, [one.program for one in some]), strict=True):
                    modes = (
                        [written(mixture, rng, trace, kind="mine", hashed=each.key) for _ in range(times)]
                        if trace
                        else []
                    )
                    fit = [document for document in modes if document is not None]
                    write(fit, file)
                    made += len(fit)
        draft.commit()
    except BaseException:
        draft.discard()
        raise
    finally:
        worker.close()
    return made

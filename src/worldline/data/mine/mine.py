"""Mine real functions from packages, clones and files, and store their calls with a report.

Each worker is a process with a sandbox. A killed mining resumes: `journal` has what was found. A file or
function that fails is reported, counted and skipped, and so is one that resembles a benchmark's. Mined
sources stay where they are; nothing of them is part of this package.
"""

from __future__ import annotations

import json
import platform
import warnings
from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from worldline.core.errors import UsageError
from worldline.core.fault import FATAL_ERRORS
from worldline.core.limits import Limits
from worldline.data.mine import near
from worldline.data.mine.calls import CALLS_PER_ROUND, MINING_LIMITS, Reach, find_calls
from worldline.data.mine.extract import ExtractedFunction, extract_functions
from worldline.data.mine.journal import Journal, JournalEntries, candidate_digest
from worldline.data.mine.mined import MinedCall
from worldline.data.mine.near import Benchmark, Likeness
from worldline.data.mine.recorded import OpenPlaces, open_places
from worldline.data.mine.usage import Usages
from worldline.parallel.pool import LocalPool, WorkerPool, in_order
from worldline.programs.split import key
from worldline.recording.recorder import SandboxWorker, prepare
from worldline.recording.together import stretched
from worldline.storage import files
from worldline.storage.compression import compressing

MAX_REPORT_EXAMPLES = 40


@dataclass(frozen=True)
class MiningCounts:
    """Progress of a mining.

    Attributes:
        files: Files read.
        candidates: Functions tried.
        functions: Functions with calls.
        calls: Calls kept.
        shown: Calls that people wrote.
        failed: Files and candidates that could not be tried.
        failures: Why, for the first of them.
        left_out: Functions that resemble a benchmark's.
        held_out: Functions of recorded repositories that are held out for the suite `repository`, or need such a one.
    """

    files: int = 0
    candidates: int = 0
    functions: int = 0
    calls: int = 0
    shown: int = 0
    failed: int = 0
    left_out: int = 0
    held_out: int = 0
    failures: tuple[str, ...] = ()


@dataclass(frozen=True)
class _CandidateResult:
    """Result of one candidate: its calls (None if it failed), or what it resembles."""

    origin: str
    # Equal for duplicates.
    same: str
    calls: list[MinedCall] | None = None
    like: Likeness | None = None
    fault: str = ""
    # Key in the journal.
    mark: str = ""
    held_out: bool = False


@dataclass(frozen=True)
class _MiningJob:
    """Settings of every worker.

    `noted` is the journal's content for workers that cannot write it, and `sizes` the bytes of each file,
    which must be equal on every node.
    """

    out: Path
    seed: int
    trust: bool
    # Use only what the journal has, and try nothing.
    known: bool
    usages: Usages
    benchmark: Benchmark
    limits: Limits
    places: OpenPlaces
    reach: Reach | None = None
    noted: JournalEntries | None = None
    sizes: Mapping[Path, int] = field(default_factory=dict)


_FileResult = list[_CandidateResult] | str
_Results = Generator[tuple[int, _FileResult], None, None]


class _Miner:
    """A worker: a sandbox, the journal, and the programs it has seen."""

    def __init__(self, job: _MiningJob) -> None:
        setup = prepare(limits=stretched(job.limits, CALLS_PER_ROUND), python=None, core="auto", trust=job.trust)
        _require_same_files(job.sizes)
        self.job, self.worker = job, SandboxWorker(setup)
        self.journal = job.noted or Journal(job.out)
        self.seen: set[str] = set()
        self.fuzz = find_calls if job.reach is None else partial(find_calls, reach=job.reach)

    def __call__(self, path: Path) -> _FileResult:
        """Return the new candidates of a file, or why it cannot be read."""
        try:
            functions = list(extract_functions(path))
        except FATAL_ERRORS:
            raise
        except Exception as error:
            return f"{path} could not be read: {error!r}"
        return [tried for function in functions if (tried := self._candidate(path, function))]

    def _candidate(self, path: Path, function: ExtractedFunction) -> _CandidateResult | None:
        same = key(function.core + function.node.name)
        if same in self.seen:
            return None
        self.seen.add(same)
        try:
            trained = self.job.places.without_held_out(path, function)
            if trained is None:
                return _CandidateResult(function.origin, same, held_out=True)
            function = trained
            if like := self.job.benchmark.like(function.core):
                return _CandidateResult(function.origin, same, like=like)
            if function.alone and self.job.benchmark.like(function.source):
                function = function.without_neighbours()
            return self._calls(function, same, self.job.usages.calls(path, function))
        except FATAL_ERRORS:
            raise
        except Exception as error:
            return _CandidateResult(function.origin, same, fault=f"{function.origin} failed: {error!r}")

    def _calls(self, function: ExtractedFunction, same: str, shown: list[str]) -> _CandidateResult | None:
        """Calls of a candidate from the journal, or found now."""
        setup, seed = self.worker.setup, self.job.seed
        further = () if self.job.reach is None else (repr(self.job.reach),)
        mark = candidate_digest(
            seed, function.origin, function.source, shown, setup.limits, setup.plan.sandboxed, *further
        )
        known = self.journal.calls(mark)
        if known is None and self.job.known:
            return None
        if known is None:
            calls = self.fuzz(self.worker, function, Random(f"{seed}/{function.origin}"), shown)
            self.journal.add(mark, [(call.call, call.shown) for call in calls])
            return _CandidateResult(function.origin, same, calls, mark=mark)
        hashed = key(function.core)
        return _CandidateResult(
            function.origin, same, [MinedCall(function.source, call, function.origin, hashed, by) for call, by in known]
        )

    def close(self) -> None:
        """Release the sandbox; the journal stays."""
        self.worker.close()
        self.journal.close()


def _require_same_files(sizes: Mapping[Path, int]) -> None:
    """Raise UsageError unless the mined files are the same on this node."""
    for path, size in sizes.items():
        if not path.is_file() or path.stat().st_size != size:
            raise UsageError(f"{path} differs on {platform.node()}: copy the mined files to every node")


@dataclass
class _MiningResults:
    """Results so far, without duplicates."""

    tally: MiningCounts = field(default_factory=MiningCounts)
    seen: set[str] = field(default_factory=set)
    like: list[tuple[str, Likeness]] = field(default_factory=list)

    def file(self, tried: _FileResult) -> list[_CandidateResult]:
        """Return the new candidates of a file, counted; warn about failures."""
        candidates = (
            [] if isinstance(tried, str) else [candidate for candidate in tried if candidate.same not in self.seen]
        )
        faults = [tried] if isinstance(tried, str) else [candidate.fault for candidate in candidates if candidate.fault]
        for fault in faults:
            warnings.warn(fault, stacklevel=3)
        self.seen.update(candidate.same for candidate in candidates)
        self.like += [(candidate.origin, candidate.like) for candidate in candidates if candidate.like]
        now, mined = self.tally, [candidate.calls for candidate in candidates if candidate.calls]
        self.tally = replace(
            now,
            files=now.files + 1,
            candidates=now.candidates + len(candidates),
            functions=now.functions + len(mined),
            calls=now.calls + sum(map(len, mined)),
            shown=now.shown + sum(call.shown for calls in mined for call in calls),
            failed=now.failed + len(faults),
            failures=(*now.failures, *faults)[:MAX_REPORT_EXAMPLES],
            left_out=len(self.like),
            held_out=now.held_out + sum(candidate.held_out for candidate in candidates),
        )
        return candidates


def mine(
    places: Sequence[str],
    *,
    out: str | Path,
    python: str | None = None,
    workers: int = 1,
    seed: int = 0,
    most: int = 0,
    trust: bool = False,
    known: bool = False,
    leave_out: Sequence[str | Path] = (),
    progress: Callable[[MiningCounts], None] | None = None,
    limits: Limits = MINING_LIMITS,
    reach: Reach | None = None,
    pool: WorkerPool | None = None,
) -> MiningCounts:
    """Mine functions into a file, with a report in `FILE.report.json`.

    Files come in random order, so a part is a sample. Repeating a killed call resumes it with the same
    result; the file appears when everything is done. Repeating one with failures tries only those.

    Args:
        places: Packages (by name, as `python` finds them), `stdlib`, folders, files and datasets of recorded calls.
        out: File to write: JSON lines, compressed if the name ends in `.xz` or `.gz`.
        python: Interpreter whose packages are mined.
        workers: Number of processes.
        seed: Seed of the file order and the arguments.
        most: Maximum number of functions; 0 for all.
        trust: Whether to run without a sandbox.
        known: Whether to write only what the journal has so far, and keep the journal.
        leave_out: Benchmark files; functions similar to theirs are excluded.
        progress: Called after every file.
        limits: Limits of each run.
        reach: Finds calls for missed branches; pickled for each worker.
        pool: Worker pool elsewhere; what it finds is added to the journal here.

    Returns:
        The counts.
    """
    out = Path(out)
    with open_places(places, python=python, beside=out.parent) as opened:
        benchmark = Benchmark.read(leave_out)
        journal, draft, sifted = Journal(out), files.Draft(out), _MiningResults()
        job = _MiningJob(out, seed, trust, known, opened.usages(), benchmark, limits, opened, reach)
        paths = opened.files()
        Random(f"{seed}/files").shuffle(paths)
        if pool is not None:
            job = replace(job, noted=journal.known, sizes={path: path.stat().st_size for path in paths})
        file_results = (pool or LocalPool(workers)).map(partial(_Miner, job), paths)
        try:
            with (
                compressing(draft) as file,
                closing(
                    in_order(_record_in_journal(file_results, journal) if pool is not None else file_results)
                ) as results,
            ):
                for tried in results:
                    for candidate in sifted.file(tried):
                        for call in candidate.calls or ():
                            file.write(json.dumps(asdict(call)).encode() + b"\n")
                    if progress is not None:
                        progress(sifted.tally)
                    if most and sifted.tally.functions >= most:
                        break
            draft.commit()
        except BaseException:
            draft.discard()
            journal.close()
            raise
        _write_report(out, _report(sifted, benchmark, leave_out))
        # With the journal, the next call tries only what failed.
        (journal.close if known or sifted.tally.failed else journal.finish)()
        return sifted.tally


def _record_in_journal(file_results: _Results, journal: Journal) -> _Results:
    """Add new results to the journal as they arrive."""
    with closing(file_results):
        for number, tried in file_results:
            for candidate in tried if isinstance(tried, list) else ():
                if candidate.mark and candidate.calls is not None:
                    journal.add(candidate.mark, [(call.call, call.shown) for call in candidate.calls])
            yield number, tried


def _write_report(out: Path, report: dict[str, Any]) -> None:
    text = json.dumps(report, indent=1, ensure_ascii=False)
    files.write(out.with_name(out.name + ".report.json"), text.encode("utf-8", "surrogatepass") + b"\n")


def _report(sifted: _MiningResults, benchmark: Benchmark, leave_out: Sequence[str | Path]) -> dict[str, Any]:
    """Counts, and the results of the benchmark check."""
    check = {
        "files": [str(path) for path in leave_out],
        "functions": len(benchmark.names),
        "run": near.SHINGLE_TOKENS,
        "same": near.MIN_SHARED,
        "within": near.MIN_CONTAINED,
        "least": near.MIN_SHINGLES,
        "why": Counter(like.why for _, like in sifted.like),
        "examples": [{"origin": origin, **asdict(like)} for origin, like in sifted.like[:MAX_REPORT_EXAMPLES]],
    }
    return {**asdict(sifted.tally), "left_out_check": check}

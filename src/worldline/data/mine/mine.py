"""Real functions out of packages, clones and files: found, made self-contained, called in boxes, kept as programs.

`mine` writes calls into a file, and a report beside it. The sources mined stay where they are: nothing of them is part
of this package. Each worker is a process with a box; a mining that was killed goes on where it was: `journal` has what
it found. A file or function that fails is warned of, counted and left out; so is what is too like a benchmark's.
"""

from __future__ import annotations

import json
import lzma
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
from worldline.data.mine.calls import LIMITS, ROUND, Reach, fuzz
from worldline.data.mine.extract import Found, functions
from worldline.data.mine.journal import Journal, JournalEntries, digest
from worldline.data.mine.mined import Mined
from worldline.data.mine.near import Benchmark, Likeness
from worldline.data.mine.quarry import known_tests, locate, python_files
from worldline.data.mine.usage import Usages
from worldline.parallel.pool import Here, Workshop, in_order
from worldline.programs.split import key
from worldline.recording.recorder import BoxWorker, prepare
from worldline.recording.together import stretched
from worldline.storage import files

EXAMPLES = 40  # of what was left out, in the report


@dataclass(frozen=True)
class MiningCounts:
    """How far a mining has come; `failed` counts the files and candidates that could not be tried."""

    files: int = 0
    candidates: int = 0
    functions: int = 0
    calls: int = 0
    shown: int = 0  # of the calls: not drawn, but written by people
    failed: int = 0
    left_out: int = 0  # too like a benchmark's


@dataclass(frozen=True)
class _Tried:
    """What became of one candidate: its calls, None where it failed; or what it is too like."""

    origin: str
    same: str  # what a duplicate has the same
    calls: list[Mined] | None = None
    like: Likeness | None = None
    fault: str = ""
    mark: str = ""  # in the journal


@dataclass(frozen=True)
class _Job:
    """What every worker of a mining is told. `noted`: what the journal has, for workers that cannot write in it.

    `sizes` are the bytes of each file, likewise: a worker elsewhere must find the same.
    """

    out: Path
    seed: int
    trust: bool
    known: bool  # nothing is tried: what the journal has is all
    usages: Usages
    benchmark: Benchmark
    limits: Limits
    reach: Reach | None = None
    noted: JournalEntries | None = None
    sizes: Mapping[Path, int] = field(default_factory=dict)


_Result = list[_Tried] | str  # of a file
_Coming = Generator[tuple[int, _Result], None, None]


class _Miner:
    """One worker: a box, what is known from before, and which programs it has met."""

    def __init__(self, job: _Job) -> None:
        setup = prepare(limits=stretched(job.limits, ROUND), python=None, core="auto", trust=job.trust)
        _require_same(job.sizes)
        self.job, self.worker = job, BoxWorker(setup)
        self.journal = job.noted or Journal(job.out)
        self.seen: set[str] = set()
        self.fuzz = fuzz if job.reach is None else partial(fuzz, reach=job.reach)

    def __call__(self, path: Path) -> _Result:
        """Every candidate of a file that is new here; or why it cannot be read."""
        try:
            several = list(functions(path))
        except FATAL_ERRORS:
            raise
        except Exception as error:
            return f"{path} could not be read: {error!r}"
        return [tried for found in several if (tried := self._candidate(path, found))]

    def _candidate(self, path: Path, found: Found) -> _Tried | None:
        same = key(found.core + found.node.name)
        if same in self.seen:
            return None
        self.seen.add(same)
        try:
            if like := self.job.benchmark.like(found.core):
                return _Tried(found.origin, same, like=like)
            if found.alone and self.job.benchmark.like(found.source):
                found = found.without_neighbours()
            return self._calls(found, same, self.job.usages.calls(path, found))
        except FATAL_ERRORS:
            raise
        except Exception as error:
            return _Tried(found.origin, same, fault=f"{found.origin} failed: {error!r}")

    def _calls(self, found: Found, same: str, shown: list[str]) -> _Tried | None:
        """A candidate's calls as the journal has them, or found now."""
        setup, seed = self.worker.setup, self.job.seed
        further = () if self.job.reach is None else (repr(self.job.reach),)
        mark = digest(seed, found.origin, found.source, shown, setup.limits, setup.plan.boxed, *further)
        known = self.journal.calls(mark)
        if known is None and self.job.known:
            return None
        if known is None:
            calls = self.fuzz(self.worker, found, Random(f"{seed}/{found.origin}"), shown)
            self.journal.add(mark, [(call.call, call.shown) for call in calls])
            return _Tried(found.origin, same, calls, mark=mark)
        hashed = key(found.core)
        return _Tried(
            found.origin, same, [Mined(found.source, call, found.origin, hashed, by) for call, by in known]
        )

    def close(self) -> None:
        """Let go of the box; the journal stays."""
        self.worker.close()
        self.journal.close()


def _require_same(sizes: Mapping[Path, int]) -> None:
    """UsageError unless the files that are mined are here as they are where the mining was begun."""
    for path, size in sizes.items():
        if not path.is_file() or path.stat().st_size != size:
            raise UsageError(
                f"{path} is not on {platform.node()} as it is here: what is mined must be on every node"
            )


@dataclass
class _Sifted:
    """What was kept so far, duplicates left out."""

    tally: MiningCounts = field(default_factory=MiningCounts)
    seen: set[str] = field(default_factory=set)
    like: list[tuple[str, Likeness]] = field(default_factory=list)

    def file(self, tried: _Result) -> list[_Tried]:
        """The candidates of a file that are new, counted; what failed is warned of."""
        several = [] if isinstance(tried, str) else [each for each in tried if each.same not in self.seen]
        faults = [tried] if isinstance(tried, str) else [each.fault for each in several if each.fault]
        for fault in faults:
            warnings.warn(fault, stacklevel=3)
        self.seen.update(each.same for each in several)
        self.like += [(each.origin, each.like) for each in several if each.like]
        now, mined = self.tally, [each.calls for each in several if each.calls]
        self.tally = replace(
            now,
            files=now.files + 1,
            candidates=now.candidates + len(several),
            functions=now.functions + len(mined),
            calls=now.calls + sum(map(len, mined)),
            shown=now.shown + sum(call.shown for calls in mined for call in calls),
            failed=now.failed + len(faults),
            left_out=len(self.like),
        )
        return several


def mine(
    places: Sequence[str], *, out: str | Path, python: str | None = None, workers: int = 1, seed: int = 0,
    most: int = 0, trust: bool = False, known: bool = False, leave_out: Sequence[str | Path] = (),
    progress: Callable[[MiningCounts], None] | None = None, limits: Limits = LIMITS, reach: Reach | None = None,
    workshop: Workshop | None = None,
) -> MiningCounts:  # fmt: skip
    """Mine packages (by name, as `python` finds them), `stdlib`, folders and files into a file; what was found.

    Files come in an order of the seed's: a part is a sample. `leave_out` are files of benchmarks' programs: what
    is like one of them is left out. The same again after it was killed goes on; the file is there when all is done, and
    the same; with `known` it is made of what the journal has so far, which stays. Its report is `FILE.report.json`.
    `reach` is asked for calls that take branches which the others miss; it is pickled for each worker. A `workshop`
    elsewhere has the files tried, and finds the same: what it finds is noted in the journal here, file by file.
    """
    out, found, benchmark = Path(out), locate(places, python), Benchmark.read(leave_out)
    journal, draft, sifted = Journal(out), files.Draft(out), _Sifted()
    job = _Job(out, seed, trust, known, Usages(known_tests(found)), benchmark, limits, reach)
    paths = sorted(python_files(found))
    Random(f"{seed}/files").shuffle(paths)
    if workshop is not None:
        job = replace(job, noted=journal.known, sizes={path: path.stat().st_size for path in paths})
    coming = (workshop or Here(workers)).map(partial(_Miner, job), paths)
    try:
        with (
            lzma.open(draft, "wb", preset=6) as file,  # type: ignore[call-overload]
            closing(in_order(_noted(coming, journal) if workshop is not None else coming)) as results,
        ):
            for tried in results:
                for each in sifted.file(tried):
                    for call in each.calls or ():
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
    told = json.dumps(_report(sifted, benchmark, leave_out), indent=1, ensure_ascii=False)
    files.write(out.with_name(out.name + ".report.json"), told.encode("utf-8", "surrogatepass") + b"\n")
    (journal.close if known else journal.finish)()
    return sifted.tally


def _noted(coming: _Coming, journal: Journal) -> _Coming:
    """The same results, with what is new in each noted as it comes."""
    with closing(coming):
        for number, tried in coming:
            for each in tried if isinstance(tried, list) else ():
                if each.mark and each.calls is not None:
                    journal.add(each.mark, [(call.call, call.shown) for call in each.calls])
            yield number, tried


def _report(sifted: _Sifted, benchmark: Benchmark, leave_out: Sequence[str | Path]) -> dict[str, Any]:
    """The counts, and what the check against benchmarks did."""
    check = {
        "files": [str(path) for path in leave_out], "functions": len(benchmark.names), "run": near.RUN,
        "same": near.SAME, "within": near.WITHIN, "least": near.LEAST,
        "why": Counter(like.why for _, like in sifted.like),
        "examples": [{"origin": origin, **asdict(like)} for origin, like in sifted.like[:EXAMPLES]],
    }  # fmt: skip
    return {**asdict(sifted.tally), "left_out_check": check}

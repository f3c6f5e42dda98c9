"""The results of a racing program: each with a schedule that replays it, and what the search covered.

A schedule has no probability: a result is possible, or was not found. How often seeded schedules, which switch threads
at lines, give each result is reported separately.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from worldline.core.hidden import SCHEDULE, Control
from worldline.core.text import plural
from worldline.core.trace import Hidden
from worldline.plan.futures.distribution import Distribution, from_samples
from worldline.plan.futures.races import RaceRun, RaceSearch
from worldline.plan.futures.subject import Subject, read_from_trace
from worldline.plan.futures.walk import ProgramRunner

SEEDED_SCHEDULES = 100


@dataclass(frozen=True)
class RaceResult:
    """One result, the schedule with the fewest preemptions that was seen to give it, and that run's hidden inputs."""

    what: str
    preemptions: int
    schedule: str
    hidden: tuple[Hidden, ...]

    def as_json(self) -> dict[str, Any]:
        """Return all fields as JSON; `hidden` replays the run."""
        return {
            "what": self.what,
            "preemptions": self.preemptions,
            "schedule": self.schedule,
            "hidden": [dict(h.__dict__) for h in self.hidden],
        }


@dataclass(frozen=True, kw_only=True)
class RaceReport:
    """The results of a racing program.

    Attributes:
        results: Each result with a schedule.
        runs: The executions of the search.
        is_complete: Whether every schedule was executed, up to the order of independent turns.
        waiting: The planned runs that were not executed.
        reasons: Why the search is not complete, and on what its completeness depends.
        seeded: The results of seeded schedules.
        seeds: The first seed of a schedule that gives each result.
        seed: The seed of the draws.
    """

    results: tuple[RaceResult, ...]
    runs: int
    is_complete: bool
    waiting: int
    reasons: tuple[str, ...]
    seeded: Distribution
    seeds: Mapping[str, int]
    seed: int

    @property
    def rows(self) -> list[tuple[str, RaceResult | None, float, int | None]]:
        """Each result: its schedule, the share of seeded schedules that give it, and the first such seed."""
        by_result = {race.what: race for race in self.results}
        every = dict.fromkeys([*by_result, *self.seeded.mass])
        return [(w, by_result.get(w), float(self.seeded.mass.get(w, 0)), self.seeds.get(w)) for w in every]

    @property
    def words(self) -> str:
        """Which schedules were searched, and which were not."""
        runs = plural(self.runs, "run")
        if self.is_complete:
            text = f"complete: every schedule up to the order of independent accesses; {runs}"
        elif self.waiting:
            text = f"not complete: {runs}; {self.waiting:,} more are known to be needed and were not executed"
        else:
            text = f"not complete; {runs}"
        return "; ".join([text, *self.reasons])

    def as_json(self) -> dict[str, Any]:
        """Return all fields as JSON."""
        return {
            "results": [race.as_json() for race in self.results],
            "runs": self.runs,
            "complete": self.is_complete,
            "waiting": self.waiting,
            "reasons": list(self.reasons),
            "words": self.words,
            "seeded": self.seeded.as_json(),
            "seeds": dict(self.seeds),
            "seed": self.seed,
        }


def search_races(
    world: ProgramRunner,
    subject: Subject,
    *,
    seed: int,
    has_draws: bool,
    max_runs: int,
    enough: Callable[[], bool],
    progress: Callable[[str], None],
) -> RaceReport:
    """Find every result of the schedules, and how often seeded ones give it.

    Args:
        world: Executes the program.
        subject: What is read from a run.
        seed: The seed of the draws, and of the first seeded schedule.
        has_draws: Whether the program draws random numbers.
        max_runs: At most this many executions.
        enough: Says when the time is over.
        progress: Called with a line of progress.
    """
    search, results = RaceSearch(world.run_turns, seed=seed), dict[str, RaceResult]()
    for run in search:
        progress(f"schedule {search.runs:,}; {len(results)} results")
        race = _race_result(subject, run)
        if race is not None and (race.what not in results or race.preemptions < results[race.what].preemptions):
            results[race.what] = race
        if search.runs >= max_runs or enough():
            break
    seeded, seeds = list[str](), dict[str, int]()
    for schedule in range(seed, seed + SEEDED_SCHEDULES):
        seeded.append(read_from_trace(subject, world(Control(seed=seed, schedule=schedule))))
        seeds.setdefault(seeded[-1], schedule)
        if enough():
            break
    return RaceReport(
        results=tuple(sorted(results.values(), key=lambda race: (race.preemptions, len(race.what), race.what))),
        runs=search.runs,
        is_complete=search.is_complete,
        waiting=search.waiting,
        reasons=(*search.faults, *_terms(search, seed, has_draws=has_draws)),
        seeded=from_samples(seeded),
        seeds=seeds,
        seed=seed,
    )


def _race_result(subject: Subject, run: RaceRun) -> RaceResult | None:
    if run.trace is None:
        return None
    schedule = run.schedule
    hidden = (Hidden(0, SCHEDULE, repr(schedule)), *run.trace.hidden)
    return RaceResult(read_from_trace(subject, run.trace), run.preemptions, schedule, hidden)


def _terms(search: RaceSearch, seed: int, *, has_draws: bool) -> list[str]:
    """On what the completeness of a search depends."""
    terms = list[str]()
    if search.is_late:
        terms.append("sleeps and timeouts end in the order of their time, when no thread can run")
    if has_draws:
        terms.append(f"with the draws of seed {seed}")
    return terms

"""The repository suite: functions of real projects, called as the projects' own tests call them.

Its data is a dataset that `record --pytest` wrote. A module of a project is too large for a prompt, so each task is a
function with the definitions that it needs, and one recorded call. The call is recorded anew; a task whose result is
not the one that the test saw is left out. A fifth of the functions is held out: `data mine` and training never take
them from a dataset. A model that was trained on none of the repositories can be measured on all of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from random import Random

from worldline.codec.compact.prompt import Compact
from worldline.core.errors import UsageError
from worldline.core.limits import Limits
from worldline.core.stats import Share
from worldline.core.text import shortened
from worldline.data.mine.recorded import SeenCall, StandAloneCall, unpacked
from worldline.data.repository.dataset import read_calls
from worldline.evaluation.run.record import Record
from worldline.evaluation.suites.suite import Suite, Task
from worldline.evaluation.table import Cell, Table
from worldline.programs.split import key

CALLS = 1  # per function by default: more functions say more than more calls
STEPS = 2_000  # by default, at most
SPLITS = ("test", "all")
TRAINED = "a function of the training split"
AGAIN = "another call of a function that has enough"
STEP_BANDS = (10, 30, 100, 300)


def load(
    *,
    data: str | Path,
    seed: int = 0,
    calls: int = CALLS,
    split: str = "test",
    steps: int = STEPS,
    reveal: int = 1,
    delta: str = "whole",
    bare: bool = True,
) -> Suite:
    """Load at most `calls` calls (0: all) of each function of a split, shuffled by the seed.

    A call of more than `steps` steps is skipped. What cannot be a task is named in `left_out`.
    """
    if calls < 0:
        raise UsageError(f"calls is 1 or more, or 0 for all, not {calls}")
    if split not in SPLITS:
        raise UsageError(f"a split is one of {', '.join(SPLITS)}, not {split!r}")
    left_out: dict[str, list[str]] = {}
    functions: dict[str, dict[str, StandAloneCall]] = {}
    with unpacked(read_calls(data)) as sources:
        for item in sources.stand_alone(generators=False):
            seen, reason = (item.seen, "") if isinstance(item, StandAloneCall) else item
            if isinstance(item, StandAloneCall):
                reason = TRAINED if split == "test" and not item.is_held_out else ""
            if reason:
                left_out.setdefault(reason, []).append(_name(seen))
            elif isinstance(item, StandAloneCall):
                functions.setdefault(key(item.program.source), {}).setdefault(item.call, item)
    rng = Random(f"bench repository {seed}")
    chosen = [
        item
        for known in functions.values()
        for item in rng.sample([*known.values()], min(calls, len(known)) if calls else len(known))
    ]
    if not chosen:
        reasons = "; ".join(f"{reason}: {len(names):,}" for reason, names in left_out.items()) or "no call"
        raise UsageError(f"{data} has no task of the split {split}: {reasons}")
    rng.shuffle(chosen)
    options = Compact(reveal=reveal, delta=delta, bare=bare)
    return Suite(
        name="repository",
        tasks=[_task(item, options) for item in chosen],
        count=len(chosen),
        limits=Limits(steps=steps),
        left_out={reason: tuple(names) for reason, names in left_out.items()},
    )


def tables(records: Iterable[Record]) -> tuple[Table, ...]:
    """Return the shares of right answers and traces by the number of true steps."""
    bands: dict[int, list[Record]] = {band: [] for band in range(len(STEP_BANDS) + 1)}
    for record in records:
        if record.counts:
            bands[sum(record.judged["steps"] > most for most in STEP_BANDS)].append(record)
    rows: list[tuple[Cell, ...]] = []
    for band, group in bands.items():
        if group:
            shares = (
                Share(sum(record.judged[part] == "right" for record in group), len(group))
                for part in ("answer", "trace")
            )
            rows.append((_band_name(band), len(group), *shares))
    return (Table("by number of steps", ("steps", "n", "answer", "trace"), tuple(rows)),)


def _band_name(band: int) -> str:
    lowest = STEP_BANDS[band - 1] + 1 if band else 1
    return f"{lowest}-{STEP_BANDS[band]}" if band < len(STEP_BANDS) else f"{lowest} and more"


def _name(seen: SeenCall) -> str:
    return f"{seen.repository} {seen.module}:{seen.function}"


def _task(item: StandAloneCall, options: Compact) -> Task:
    outcome = item.seen.outcome
    return Task(
        program=item.program,
        options=options,
        name=f"{item.seen.repository} {item.seen.module}: {shortened(item.call, 200)}",
        answer=outcome.detail,
        is_raised=outcome.kind == "raised",
        group=item.seen.repository.partition("@")[0],
    )

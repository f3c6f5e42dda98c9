"""`worldline.score`, `compare`, `merge` and `intervene`: what is done with runs and with predictions made elsewhere."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Unpack

from worldline.core.errors import UsageError
from worldline.core.limits import Limits
from worldline.diagnose.trials import Progress, Trials
from worldline.evaluation.bench import SuiteOptions
from worldline.evaluation.compare import Comparison
from worldline.evaluation.compare import compare as compare_runs
from worldline.evaluation.external.scored import score as score_file
from worldline.evaluation.interventions import intervened
from worldline.evaluation.merging import check_is_run, merge_shards
from worldline.evaluation.run.directory import INTERVENTIONS_FILE
from worldline.evaluation.run.stored import local
from worldline.evaluation.scratchpads import BenchResult
from worldline.evaluation.summary import Report
from worldline.parallel.pool import WorkerPool
from worldline.parallel.ray_pool import join_ray
from worldline.predict.models import load_model
from worldline.storage import remote
from worldline.storage.remote import StorePath

RunFolder = str | Path | StorePath
"""A folder, or its URL."""


@dataclass(frozen=True)
class Interventions:
    """The result of `intervene`: every trial, and the places in the suite of the samples that were tried."""

    trials: Trials
    at: tuple[int, ...]

    @property
    def faults(self) -> int:
        """How many predictions failed in the tool."""
        return sum(trial.status == "fault" for trial in self.trials.tried)

    def as_json(self) -> dict[str, Any]:
        """What `intervene --json` prints, and what the run keeps."""
        return {**self.trials.as_json(), "at": list(self.at)}


def score(
    suite: str | Path,
    predictions: str | Path,
    *,
    out: RunFolder | None = None,
    fields: Mapping[str, str] | None = None,
    limits: Limits | None = None,
    ray: str | WorkerPool | None = None,
    progress: Callable[[int, int], None] | None = None,
    notify: Callable[[str], None] | None = None,
    **options: Unpack[SuiteOptions],
) -> Report:
    """Judge predictions that were made elsewhere.

    Args:
        suite: The suite that the predictions are of: a name, or a FILE.jsonl.
        predictions: JSON lines, each with an id and a text.
        out: A folder or URL that keeps the run, for `compare` and `report`.
        fields: What the file calls a role, such as the text or the id, where it cannot be guessed.
        limits: Limits of a recording.
        ray: A Ray cluster that does the work: its address, or `auto` for one that runs or a new one; or a worker pool.
        progress: Called with how many rows are judged, and of how many.
        notify: Called with a sentence that the user should see: a cluster was started.
        options: The suite's own options, its `data` among them.

    Returns:
        The report, with a row for each way in which a text ends.

    Raises:
        UsageError: No row of the file shows its program or is a task of the suite.
    """
    pool = join_ray(ray, say=notify) if isinstance(ray, str) else ray
    return score_file(
        str(suite), Path(predictions), out=None if out is None else remote.place(out), fields=fields, limits=limits,
        each=progress, pool=pool, **options,
    )  # fmt: skip


def compare(first: RunFolder, second: RunFolder) -> Comparison:
    """Compare two runs of one suite, sample by sample.

    Args:
        first: The run to compare with.
        second: The other run.

    Returns:
        The samples that flipped and why, and whether the difference is more than chance.

    Raises:
        UsageError: One of the two is not a run of judged traces.
    """
    runs = local(first), local(second)
    for path in runs:
        check_is_run(path)
    return compare_runs(*runs)


def merge(runs: Sequence[RunFolder], out: RunFolder) -> BenchResult:
    """Put the shards of a benchmark together.

    Args:
        runs: The folders or URLs of all shards, in any order.
        out: Where the whole is kept: a folder that holds no run yet.

    Returns:
        What `bench` without a shard returns; of a single scratchpad its report.

    Raises:
        UsageError: A shard is missing or there twice, is not complete, or is of other settings.
    """
    return merge_shards([remote.place(run) for run in runs], remote.place(out))


def intervene(
    run: RunFolder,
    *,
    model: str | None = None,
    extras: Mapping[str, str] | None = None,
    interventions: Sequence[str] | None = None,
    max_programs: int | None = None,
    by: Literal["answer", "trace"] = "answer",
    seed: int = 0,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> Interventions:
    """Ask the failed samples of a run again, and as many passing ones, under each intervention.

    The result is kept in the run, for `report`.

    Args:
        run: The folder or URL of a run.
        model: The run's model, where the run does not name it or it is elsewhere now.
        extras: Options of `model`, as `-M` takes them.
        interventions: The interventions; by default all.
        max_programs: At most this many failed samples; by default all.
        by: What counts as right.
        seed: Which samples are chosen.
        limits: Limits of the recordings that an intervention needs.
        progress: Called with the intervention, how many samples are done, and of how many.

    Returns:
        What each intervention did to each sample.

    Raises:
        UsageError: The run names no model, was made under a forcing or on a scratchpad, or has no judged traces.
    """
    if extras and model is None:
        raise UsageError("-M goes with --model: a run's own model has its options in the run")
    path = local(run)
    check_is_run(path)
    trials, at = intervened(
        path, load_model, model=model, extras=extras, interventions=interventions, limit=max_programs, by=by, seed=seed, limits=limits,
        progress=progress,
    )  # fmt: skip
    result = Interventions(trials, tuple(at))
    remote.write(remote.place(run) / INTERVENTIONS_FILE, json.dumps(result.as_json()).encode())
    return result

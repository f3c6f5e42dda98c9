"""`worldline.score`, `compare`, `merge` and `intervene`: work on stored runs and on predictions made elsewhere."""

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
from worldline.evaluation.conclusion import Conclusion, conclude
from worldline.evaluation.external.scored import score as score_file
from worldline.evaluation.interventions import intervene_on_run
from worldline.evaluation.merge import check_is_run, merge_shards, sum_up
from worldline.evaluation.run.directory import INTERVENTIONS_FILE, newest, read_config, write_beside
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
    """The result of `intervene`: all trials, the places of their samples in the suite, and the conclusion."""

    trials: Trials
    at: tuple[int, ...]
    conclusion: Conclusion | None = None

    @property
    def faults(self) -> int:
        """How many predictions failed in the tool."""
        return sum(trial.status == "fault" for trial in self.trials.tried)

    def as_json(self) -> dict[str, Any]:
        """Return what `intervene --json` prints and the run stores."""
        opening = {} if self.conclusion is None else {"conclusion": self.conclusion.as_json()}
        return {**opening, **self.trials.as_json(), "at": list(self.at)}


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
        suite: The suite of the predictions: a name, or a FILE.jsonl.
        predictions: JSON lines, each with an id and a text.
        out: A folder or URL that stores the run, for `compare` and `report`.
        fields: The names of the file's fields by role, such as the text or the id, if they cannot be guessed.
        limits: Limits of a recording.
        ray: A Ray cluster to run on: its address, or `auto` for a running or a new one; or a worker pool.
        progress: Called with how many rows are judged, and of how many.
        notify: Called with messages for the user, such as that a cluster was started.
        options: The suite's own options, including its `data`.

    Returns:
        The report, with one row for each way in which a text ends.

    Raises:
        UsageError: No row of the file shows its program or is a task of the suite.
    """
    pool = join_ray(ray, say=notify) if isinstance(ray, str) else ray
    return score_file(
        str(suite),
        Path(predictions),
        out=None if out is None else remote.place(out),
        fields=fields,
        limits=limits,
        progress=progress,
        pool=pool,
        **options,
    )


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
    """Merge the shards of a benchmark.

    Args:
        runs: The folders or URLs of all shards, in any order.
        out: A folder or URL for the merged run; it must not hold a run.

    Returns:
        What `bench` without a shard returns.

    Raises:
        UsageError: A shard is missing, duplicate or incomplete, or has other settings.
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
    """Predict the failed samples of a run again, and as many passing ones, under each intervention.

    The result is stored in the run, for `report`.

    Args:
        run: The folder or URL of a run.
        model: The run's model, if the run does not name it or its address has changed.
        extras: Options of `model`, as `-M` takes them.
        interventions: The interventions; by default all.
        max_programs: At most this many failed samples; by default all.
        by: What counts as right.
        seed: Decides which samples are chosen.
        limits: Limits of the recordings that an intervention needs.
        progress: Called with the intervention, how many samples are done, and of how many.

    Returns:
        What each intervention did to each sample.

    Raises:
        UsageError: The run names no model, was made under a forcing or on a scratchpad, or has no judged traces.
    """
    if extras and model is None:
        raise UsageError("-M needs --model: the options of a run's own model are stored in the run")
    path = local(run)
    check_is_run(path)
    trials, at = intervene_on_run(
        path,
        load_model,
        model=model,
        extras=extras,
        interventions=interventions,
        limit=max_programs,
        by=by,
        seed=seed,
        limits=limits,
        progress=progress,
    )
    config = read_config(path)
    records = list(newest(path).values())
    summed = sum_up(records, suite=str(config.get("suite", "")), model=str(config.get("model", "")))
    result = Interventions(trials, tuple(at), conclude(summed, trials))
    write_beside(remote.place(run), INTERVENTIONS_FILE, json.dumps(result.as_json()).encode())
    return result

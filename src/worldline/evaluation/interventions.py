"""The failures of a run on disk, asked again under each intervention: `diagnose.trials` on what a run holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

from worldline.core.errors import UsageError
from worldline.core.limits import Limits
from worldline.diagnose.interventions import INTERVENTIONS
from worldline.diagnose.trials import Progress, Trials, run_interventions
from worldline.evaluation.run.directory import newest, read_config
from worldline.evaluation.run.record import Record
from worldline.predict.predictor import Predictor

Load = Callable[[str, Mapping[str, str]], Predictor]


def intervened(
    path: Path,
    load: Load,
    *,
    model: str | None = None,
    extras: Mapping[str, str] | None = None,
    interventions: Sequence[str] | None = None,
    limit: int | None = None,
    by: str = "answer",
    seed: int = 0,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> tuple[Trials, list[int]]:
    """What each intervention did, and the places in the suite of the samples that it names.

    `load` makes the run's model anew from its scheme and extras, or the one that is said: of a run that was scored,
    which names none, or where the same model is to be had elsewhere now. With a limit, so many failed samples are
    drawn, and as many passing ones; the net effect that is expected is still that on the whole run. `limits` are those
    of the runs that an intervention needs: of a rewritten program.
    """
    config = read_config(path)
    scheme = config.get("scheme") if model is None else model
    if not isinstance(scheme, str):
        raise UsageError(
            f"{path} does not say which model to ask: it was scored, or made by an older version. "
            "Name the one that wrote it: --model server:URL#MODEL"
        )
    if config.get("force"):
        raise UsageError(
            f"{path} was made with {', '.join(config['force'])} forced: an intervention is one forcing more"
        )
    if config.get("scratchpad"):
        raise UsageError(
            f"{path} was made on a scratchpad ({config['scratchpad']}): an intervention asks for another one"
        )
    unknown = [intervention for intervention in interventions or () if intervention not in INTERVENTIONS]
    if unknown:
        raise UsageError(f"no intervention {', '.join(unknown)}; there are {', '.join(INTERVENTIONS)}")
    every = [record for record in newest(path).values() if record.counts]
    records = _drawn(every, limit, by, seed)
    predictor = load(scheme, config.get("extras", {}) if model is None else extras or {})
    _check_codec(predictor, every)
    found = run_interventions(
        [record.sample() for record in records], predictor,
        interventions=tuple(interventions or INTERVENTIONS), seed=seed, by=by, limits=limits, progress=progress,
    )  # fmt: skip
    if len(records) < len(every):
        failing = sum(record.judged[by] != "right" for record in every)
        found = replace(found, failing=failing, passing=len(every) - failing)
    return found, [record.at for record in records]


def _check_codec(predictor: Predictor, records: list[Record]) -> None:
    """UsageError of a model that writes another notation than the run is in."""
    strange = next((one.found.codec for one in records if one.found.codec != predictor.info.notation), None)
    if strange is not None:
        raise UsageError(
            f"the run is in {strange}, and {predictor.info.name} writes {predictor.info.notation}: it is another model"
        )


def _drawn(records: list[Record], limit: int | None, by: str, seed: int) -> list[Record]:
    """All records, or so many of the failed ones and as many of the passing, in their order."""
    failed = [record for record in records if record.judged[by] != "right"]
    if limit is None or limit >= len(failed):
        return records
    rng = Random(f"intervened {seed}")
    passing = [record for record in records if record.judged[by] == "right"]
    kept = rng.sample(failed, limit) + rng.sample(passing, min(limit, len(passing)))
    return sorted(kept, key=lambda record: record.at)

"""Predicts the failures of a stored run again under each intervention (`diagnose.trials`)."""

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

LoadPredictor = Callable[[str, Mapping[str, str]], Predictor]


def intervene_on_run(
    path: Path,
    load: LoadPredictor,
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
    """Try interventions on the failed samples of a run; the arguments are those of `worldline.intervene`.

    With a limit, as many passing samples are drawn too. The expected net effect is still that on the whole run.

    Args:
        path: The folder of the run.
        load: Loads a model from its name and extras.

    Returns:
        The trials, and the places of their samples in the suite.
    """
    config = read_config(path)
    scheme = config.get("scheme") if model is None else model
    if not isinstance(scheme, str):
        raise UsageError(
            f"{path} does not name its model: it was scored, or made by an older version. "
            "Pass the model that wrote it: --model server:URL#MODEL"
        )
    if config.get("force"):
        raise UsageError(
            f"{path} was made with {', '.join(config['force'])} forced: interventions force other parts. "
            "Run the suite again without --force"
        )
    if config.get("scratchpad"):
        raise UsageError(
            f"{path} was made on a scratchpad ({config['scratchpad']}): interventions use another one. "
            "Run the suite again with --scratchpad none"
        )
    if config.get("samples") or config.get("voters"):
        raise UsageError(
            f"{path} was made by a vote: an intervention changes one prediction. "
            "Run the suite again without --samples and --voter"
        )
    unknown = [intervention for intervention in interventions or () if intervention not in INTERVENTIONS]
    if unknown:
        raise UsageError(f"unknown intervention {', '.join(unknown)}; choose from {', '.join(INTERVENTIONS)}")
    judged_records = [record for record in newest(path).values() if record.counts]
    records = _drawn(judged_records, limit, by, seed)
    predictor = load(scheme, config.get("extras", {}) if model is None else extras or {})
    _check_codec(predictor, judged_records)
    trials = run_interventions(
        [record.sample() for record in records],
        predictor,
        interventions=tuple(interventions or INTERVENTIONS),
        seed=seed,
        by=by,
        limits=limits,
        progress=progress,
    )
    if len(records) < len(judged_records):
        failing = sum(record.judged[by] != "right" for record in judged_records)
        judged = [record.judged for record in judged_records]
        exposed = sum(row[by] == "right" and row["trace"] != "right" for row in judged)
        trials = replace(trials, failing=failing, passing=len(judged_records) - failing, exposed=exposed)
    return trials, [record.at for record in records]


def _check_codec(predictor: Predictor, records: list[Record]) -> None:
    """Refuse a model that writes another notation than the run's."""
    other = next((record.found.codec for record in records if record.found.codec != predictor.info.notation), None)
    if other is not None:
        raise UsageError(
            f"the run is in {other}, and {predictor.info.name} writes {predictor.info.notation}: pass the run's model"
        )


def _drawn(records: list[Record], limit: int | None, by: str, seed: int) -> list[Record]:
    """All records, or `limit` of the failed and as many of the passing ones, in their order."""
    failed = [record for record in records if record.judged[by] != "right"]
    if limit is None or limit >= len(failed):
        return records
    rng = Random(f"intervened {seed}")
    passing = [record for record in records if record.judged[by] == "right"]
    chosen = rng.sample(failed, limit) + rng.sample(passing, min(limit, len(passing)))
    return sorted(chosen, key=lambda record: record.at)

"""The failures of a run on disk, asked again under each cure: `diagnose.intervene` on what a run holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random

from worldline.bench.run_dir import newest, read_config
from worldline.bench.run_record import Record
from worldline.diagnose.cures import CURES
from worldline.diagnose.intervene import Interventions, Progress, intervene
from worldline.errors import UsageError
from worldline.predict.predictor import Predictor

Load = Callable[[str, Mapping[str, str]], Predictor]


def intervened(
    path: Path,
    load: Load,
    *,
    cures: Sequence[str] | None = None,
    limit: int | None = None,
    by: str = "answer",
    seed: int = 0,
    progress: Progress | None = None,
) -> tuple[Interventions, list[int]]:
    """What each cure did, and the places in the suite of the samples that it names.

    `load` makes the run's model anew from its scheme and extras. With a limit, so many failed samples are drawn, and
    passing ones in proportion, so that the net effect on all of them is still that of the run.
    """
    config = read_config(path)
    scheme = config.get("scheme")
    if not isinstance(scheme, str):
        raise UsageError(
            f"{path} does not say which model to ask: it was scored, or made by an older version"
        )
    unknown = [cure for cure in cures or () if cure not in CURES]
    if unknown:
        raise UsageError(f"no cure {', '.join(unknown)}; there are {', '.join(CURES)}")
    records = _drawn([record for record in newest(path).values() if record.counts], limit, by, seed)
    found = intervene(
        [record.sample() for record in records], load(scheme, config.get("extras", {})),
        cures=tuple(cures or CURES), seed=seed, by=by, progress=progress,
    )  # fmt: skip
    return found, [record.at for record in records]


def _drawn(records: list[Record], limit: int | None, by: str, seed: int) -> list[Record]:
    """All records, or a share of both the failed and the passing ones, in their order."""
    failed = [record for record in records if record.judged[by] != "right"]
    if limit is None or limit >= len(failed):
        return records
    rng, share = Random(f"intervened {seed}"), limit / len(failed)
    passing = [record for record in records if record.judged[by] == "right"]
    kept = rng.sample(failed, limit) + rng.sample(passing, round(share * len(passing)))
    return sorted(kept, key=lambda record: record.at)

"""A model measured on fresh drills of a recipe, from its name to the curriculum that follows."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from worldline.core.errors import UsageError
from worldline.core.limits import adjusted
from worldline.data.mixture import Mixture
from worldline.data.recipe import load_config
from worldline.learning.curriculum import Curriculum
from worldline.learning.drills import DrillBook
from worldline.learning.measure import LabelResult, measure
from worldline.learning.tutor import read_curriculum, write_curriculum
from worldline.model.checkpoint import open_model

DEFAULT_DRILLS = 300


@dataclass(frozen=True, kw_only=True)
class DrillReport:
    """What drills showed, label by label, and the curriculum that follows; `faults` are drills in no rate."""

    rows: tuple[LabelResult, ...]
    curriculum: Curriculum
    faults: int = 0


def learn(
    model: str | Path | None = None,
    *,
    recipe: str | Path = "shipped",
    recipe_function: str = "data",
    drills: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    start: str | Path | None = None,
    out: str | Path | None = None,
    wall: float | None = None,
    trust: bool = False,
    progress: Callable[[int], None] | None = None,
) -> DrillReport:
    """Measure a model on fresh drills, by kind of program and by operation, and say what it should see more of.

    Args:
        model: The folder of the model; the shipped one by default.
        recipe: Whose programs are drilled: a file, or a name in `recipes/`.
        recipe_function: The function of the recipe that returns the mixture.
        drills: How many drills; 300 by default.
        seconds: Drill for this long, not for a number.
        seed: Which drills.
        start: A curriculum to continue from.
        out: Where the curriculum is written, for `train(curriculum=...)`.
        wall: Limit: seconds of one execution.
        trust: Execute without a sandbox.
        progress: Called with the number of drills that are done.

    Returns:
        The rates and the curriculum.

    Raises:
        UsageError: Both `drills` and `seconds` are given, or the recipe cannot be read.
    """
    if drills and seconds:
        raise UsageError("either --drills or --seconds")
    mixture: Mixture = load_config(recipe, recipe_function, Mixture)
    mixture = replace(mixture, limits=adjusted(mixture.limits, wall=wall))
    before = read_curriculum(Path(start)) if start else None
    with closing(DrillBook(mixture, seed=seed, split="test", trust=trust)) as book:
        curriculum, rows = measure(
            open_model(Path(model) if model else None),
            book,
            count=0 if seconds else drills or DEFAULT_DRILLS,
            seconds=seconds or 0.0,
            before=before,
            progress=progress or (lambda count: None),
        )
    if out:
        write_curriculum(Path(out), curriculum)
    return DrillReport(rows=tuple(rows), curriculum=curriculum, faults=book.faults)

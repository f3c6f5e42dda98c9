"""A training by the name of its recipe: what `worldline.train` is. torch is imported when a training starts."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from worldline.core.errors import UsageError
from worldline.data.recipe import load_config

if TYPE_CHECKING:
    from worldline.model.train.config import Training


def train(
    recipe: str | Path,
    out: str | Path,
    *,
    recipe_function: str = "training",
    device: str | None = None,
    train_steps: int | None = None,
    minutes: float | None = None,
    curriculum: str | Path | None = None,
    sharded: bool = False,
    store: str | None = None,
    fresh: bool = False,
    nodes: str | None = None,
    nproc_per_node: str | None = None,
    rdzv_endpoint: str | None = None,
) -> Path:
    """Train a model by a recipe, to the end or until SIGTERM. Call again to resume.

    With `nodes`, `nproc_per_node` or `rdzv_endpoint`, torchrun replaces this process, and the call does not return.

    Args:
        recipe: A file, or a name in `recipes/`.
        out: The folder of the run: checkpoints, metrics, configuration.
        recipe_function: The function of the recipe that returns the `Training`.
        device: `cpu` or `cuda`; by default a GPU where there is one.
        train_steps: Train for this many steps, not for those of the recipe.
        minutes: Train for this many minutes, not for those of the recipe.
        curriculum: What the tutor of the recipe starts with (`learn(out=...)`).
        sharded: Divide the weights among the trainers (FSDP2).
        store: A URL where checkpoints are put too; an empty `out` resumes from the newest there.
        fresh: Start anew even if `out` has a checkpoint.
        nodes: torchrun's `--nnodes`: machines, each of which makes this call.
        nproc_per_node: torchrun's: trainers on each machine, or `gpu`.
        rdzv_endpoint: torchrun's: HOST:PORT where several machines meet.

    Returns:
        The folder of the last checkpoint.

    Raises:
        UsageError: torch is missing, the recipe cannot be read, or arguments exclude each other.
    """
    if train_steps is not None and minutes is not None:
        raise UsageError("either --train-steps or --minutes")
    try:
        from worldline.model.train.config import Training, with_changes, with_curriculum
        from worldline.model.train.loop import train as run
        from worldline.model.train.store import require_disk
    except ModuleNotFoundError as error:
        raise UsageError(f"training needs {error.name}: pip install 'worldline[train]'") from None
    folder = require_disk(str(out))
    config: Training = load_config(recipe, recipe_function, Training)
    if train_steps is not None or minutes is not None:
        config = with_changes(config, steps=train_steps or 0, minutes=minutes or 0.0)
    if curriculum is not None:
        config = with_curriculum(config, str(curriculum))
    if sharded:
        config = with_changes(config, sharded=True)
    if nodes or nproc_per_node or rdzv_endpoint:
        words: dict[str, object] = {
            "recipe": recipe, "function": recipe_function, "out": out, "device": device, "steps": train_steps,
            "minutes": minutes, "curriculum": curriculum, "store": store, "sharded": sharded, "fresh": fresh,
        }  # fmt: skip
        _become_torchrun(words, nodes, nproc_per_node, rdzv_endpoint)
    return run(config, folder, resume=not fresh, device=device, store_url=store)


def _become_torchrun(
    options: dict[str, object], nodes: str | None, processes: str | None, endpoint: str | None
) -> None:
    from worldline.model.train.ranks import torchrun_command

    words: list[str] = []
    for name, value in options.items():
        if value is True:
            words.append(f"--{name}")
        elif value is not None and value is not False:
            words += [f"--{name}", str(value)]
    command = torchrun_command(words, nodes=nodes, processes=processes, endpoint=endpoint)
    os.execv(command[0], command)

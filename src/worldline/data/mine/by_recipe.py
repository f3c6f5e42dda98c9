"""Mining by a recipe: its places, its limits and, where wanted, the training documents of the calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from worldline.core.errors import UsageError
from worldline.core.limits import adjusted
from worldline.data.mine.calls import MINING_LIMITS, Reach
from worldline.data.mine.mine import MiningCounts, mine
from worldline.data.mine.mined import write_mined_documents
from worldline.data.mine.mining_source import MiningSource
from worldline.data.mixture import Mixture
from worldline.data.recipe import load_config
from worldline.parallel.pool import WorkerPool

# Documents per call, in drawn modes.
DOCUMENTS_PER_CALL = 2


@dataclass(frozen=True, kw_only=True)
class MinedCalls:
    """What a mining found, and how many training documents were written; None where none were wanted."""

    counts: MiningCounts
    documents: int | None = None


def mine_calls(
    places: Sequence[str],
    out: str | Path,
    *,
    recipe: str | Path | None = None,
    clones: str | None = None,
    leave_out: Sequence[str | Path] = (),
    documents: str | Path | None = None,
    python: str | None = None,
    workers: int = 1,
    seed: int = 0,
    max_functions: int = 0,
    reach: Reach | None = None,
    known: bool = False,
    max_steps: int | None = None,
    wall: float | None = None,
    trust: bool = False,
    progress: Callable[[MiningCounts], None] | None = None,
    say: Callable[[str], None] | None = None,
    pool: WorkerPool | None = None,
) -> MinedCalls:
    """Find functions that can be called, call them in the sandbox, and store the calls. Call again to resume.

    Args:
        places: Packages, `stdlib`, folders, files, and datasets of recorded calls.
        out: The mined calls, as compressed JSON lines; `OUT.report.json` is written beside it.
        recipe: A recipe whose `quarry()` names more places.
        clones: Folder with clones of the mining source's repositories.
        leave_out: Programs of benchmarks: what is like them is left out.
        documents: A file for training documents of the calls, by the `data()` of the recipe.
        python: The interpreter that finds the packages.
        workers: Processes at once.
        seed: Which arguments are tried.
        max_functions: Stop after this many functions; 0 for all.
        reach: Searches for calls that take branches which the others miss (`worldline.plan.MissingBranchSearch`).
        known: Try nothing: write what an earlier mining, perhaps a killed one, has found.
        max_steps: Limit of one call: recorded steps.
        wall: Limit of one call: seconds.
        trust: Execute without a sandbox.
        progress: Called after each file.
        say: Called with notes, such as clones that are missing.
        pool: Who tries the files, where that is not this machine (`join_ray`).

    Returns:
        How many functions and calls were found, and how many documents were written.

    Raises:
        UsageError: No place is named, or `documents` without a recipe.
    """
    if documents and not recipe:
        raise UsageError("--documents needs --recipe: its data() says how calls are written")
    named = [*places, *(_recipe_places(recipe, clones, say) if recipe else ())]
    if not named:
        raise UsageError("name packages, `stdlib`, folders or files, or a --recipe that does")
    limits = adjusted(MINING_LIMITS, max_steps=max_steps, wall=wall)
    counts = mine(
        named,
        out=out,
        limits=limits,
        leave_out=leave_out,
        trust=trust,
        progress=progress,
        reach=reach,
        pool=pool,
        python=python,
        workers=workers,
        seed=seed,
        most=max_functions,
        known=known,
    )
    if not (recipe and documents):
        return MinedCalls(counts=counts)
    mixture: Mixture = load_config(recipe, "data", Mixture)
    mixture = replace(mixture, limits=adjusted(mixture.limits, max_steps=max_steps, wall=wall))
    count = write_mined_documents(
        out, documents, mixture=mixture, times=DOCUMENTS_PER_CALL, trust=trust, workers=workers
    )
    return MinedCalls(counts=counts, documents=count)


def _recipe_places(recipe: str | Path, clones: str | None, say: Callable[[str], None] | None) -> list[str]:
    """The places of a recipe's mining source; clones that are missing are reported."""
    source: MiningSource = load_config(recipe, "quarry", MiningSource)
    source = replace(source, clones=clones) if clones else source
    places, missing = source.here()
    if missing and say is not None:
        say(f"no clone in {source.clones}, left out: {', '.join(missing)}")
    return places

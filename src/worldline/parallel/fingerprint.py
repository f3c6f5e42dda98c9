"""What a worker elsewhere must have in common with who asks, for its results to be the same to the byte.

The versions of worldline, of the interpreter that runs programs and of the recorder core; the folder that relative
paths are of; a box, unless programs are trusted. A worker that cannot have them refuses, in a sentence that names its
node.
"""

from __future__ import annotations

import os
import platform
import warnings
from contextlib import ExitStack
from dataclasses import dataclass
from importlib import metadata

from worldline.core.errors import UsageError, WorldlineError
from worldline.core.limits import Limits
from worldline.recording import recorder
from worldline.recording.sandbox import open_box

_trusting = ExitStack()  # of this worker process, until it works for another asker


@dataclass(frozen=True)
class Terms:
    """What decides results besides the units, as it is where they are asked for."""

    worldline: str
    python: str
    recorder: str
    boxed: bool
    folder: str

    @property
    def versions(self) -> str:
        """What must be the same everywhere, in words."""
        return f"worldline {self.worldline}, {self.python}, the {self.recorder} recorder"


def here(*, trust: bool = False) -> Terms:
    """What this process has."""
    plan = recorder.prepare(limits=Limits(), python=None, core="auto", trust=trust).plan
    python = f"{plan.python.name} {plan.python.version} by Python {platform.python_version()}"
    return Terms(
        metadata.version("worldline"),
        python,
        "native" if plan.native else "readable",
        plan.boxed,
        os.getcwd(),
    )


def accept(terms: Terms, node: str) -> None:
    """Make this process, a worker on a node, one that gives the asker's results; an error where it cannot be."""
    warnings.simplefilter("ignore")
    _trusting.close()
    if not terms.boxed:
        _trusting.enter_context(recorder.without_boxes())
    own = here()
    if own.versions != terms.versions:
        raise UsageError(
            f"node {node} has {own.versions}, and here is {terms.versions}: install the same on every node"
        )
    if terms.boxed:
        _require_box(node)
    if os.path.isdir(terms.folder):
        os.chdir(terms.folder)


def _require_box(node: str) -> None:
    try:
        setup = recorder.prepare(limits=Limits(), python=None, core="auto", trust=False)
        open_box(setup.plan, setup.limits).close()
    except WorldlineError as error:
        raise type(error)(
            f"node {node} has no box, and nothing was sent there: {error} "
            "Give it one, start it with --num-cpus=0, or say --trust."
        ) from None

"""The environment fingerprint that a remote worker must match, so that its results are equal byte for byte.

It holds the versions of worldline, of the interpreter that executes programs and of the recorder core, the working
directory, and the sandbox, if any. A worker that cannot match refuses with an error that names its node.
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
from worldline.recording.languages import libraries
from worldline.recording.sandbox import open_sandbox

_trusting = ExitStack()  # open while this worker process executes programs as its caller does


@dataclass(frozen=True)
class EnvironmentFingerprint:
    """Everything besides the units that determines results, as it is on the calling machine."""

    worldline: str
    python: str
    recorder: str
    sandboxed: bool
    folder: str
    sandbox: str = "bwrap"
    libraries: tuple[str, ...] = ()

    @property
    def versions(self) -> str:
        """The versions that must be equal on every node, as text."""
        return f"worldline {self.worldline}, {self.python}, the {self.recorder} recorder"


def local_fingerprint(*, trust: bool = False) -> EnvironmentFingerprint:
    """Return the fingerprint of this process.

    Args:
        trust: Execute programs without a sandbox.

    Returns:
        The fingerprint.
    """
    plan = recorder.prepare(limits=Limits(), python=None, core="auto", trust=trust).plan
    python = f"{plan.python.name} {plan.python.version} by Python {platform.python_version()}"
    return EnvironmentFingerprint(
        metadata.version("worldline"),
        python,
        "native" if plan.native else "readable",
        plan.sandboxed,
        os.getcwd(),
        plan.provider,
        tuple(library.path for library in libraries.chosen_libraries()),
    )


def accept(required: EnvironmentFingerprint, node: str) -> None:
    """Prepare this worker process to match the caller's environment.

    Args:
        required: The caller's fingerprint.
        node: The name of this node, for errors.

    Raises:
        UsageError: Versions differ.
        NoSandbox: Programs must be sandboxed and this node has no sandbox.
    """
    warnings.simplefilter("ignore")
    _trusting.close()
    _trusting.enter_context(recorder.using_sandbox(required.sandbox))
    _trusting.enter_context(libraries.using_libraries(*required.libraries))
    if not required.sandboxed:
        _trusting.enter_context(recorder.without_sandbox())
    own = local_fingerprint()
    if own.versions != required.versions:
        raise UsageError(
            f"Node {node} has {own.versions}, but the caller has {required.versions}. "
            "Install the same versions on every node."
        )
    if required.sandboxed:
        _require_sandbox(node)
    if os.path.isdir(required.folder):
        os.chdir(required.folder)


def _require_sandbox(node: str) -> None:
    try:
        setup = recorder.prepare(limits=Limits(), python=None, core="auto", trust=False)
        open_sandbox(setup.plan, setup.limits).close()
    except WorldlineError as error:
        raise type(error)(
            f"Node {node} has no sandbox, so no work was sent there: {error} "
            "Install one there, start the node with --num-cpus=0, or pass --trust."
        ) from None

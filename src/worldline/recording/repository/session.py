"""Execute one pytest session over a copy of a repository, in the sandbox or, for trusted tests, without it."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from worldline.core.limits import Limits
from worldline.recording.guests.rehearsal import tree
from worldline.recording.guests.testing.guest import SETTINGS, SETTINGS_FILE, SPOOL
from worldline.recording.recorder import prepare
from worldline.recording.rehearsal.folder import WORK, FolderCopy
from worldline.recording.repository.budget import TestBudget
from worldline.recording.repository.environment import Environment
from worldline.recording.repository.spooled import SpooledRun, read_spool, unpack
from worldline.recording.sandbox import open_sandbox
from worldline.recording.sandbox_plan import GUESTS, HOME, SCRATCH, SandboxPlan

OUTPUT_BYTES = 64 << 20
WORDS_CHARACTERS = 2000  # of what pytest printed, where it could not start
PLUGIN = "_worldline_testing"


@dataclass(frozen=True, kw_only=True)
class SessionSettings:
    """What all sessions of one recording share."""

    environment: Environment
    copy: FolderCopy
    args: tuple[str, ...]
    budget: TestBudget
    include: tuple[str, ...]
    core: str
    trust: bool


@dataclass(frozen=True)
class SessionResult:
    """One session: what its plugin wrote, how it ended, and the end of what pytest printed."""

    spooled: SpooledRun
    seconds: float
    outcome: str
    words: str


def run_session(
    settings: SessionSettings, *, only: Sequence[str] | None, without: Sequence[str], record: bool
) -> SessionResult:
    """Execute pytest once.

    Args:
        settings: The repository and its budget.
        only: The ids of the tests to execute; None for all.
        without: The ids of tests to leave out.
        record: Record the tests; otherwise only their outcomes are reported.

    Raises:
        NoSandbox: There is no sandbox here.
    """
    budget, copy = settings.budget, settings.copy
    limits = Limits(
        steps=budget.steps,
        value_bytes=budget.value_bytes,
        trace_bytes=1 << 20,
        wall=budget.total_seconds,
        memory=budget.memory + copy.pages,
        processes=budget.processes,
        output=OUTPUT_BYTES,
        disk=budget.disk + budget.spool_bytes + copy.pages,
    )
    plan = prepare(limits=limits, python=settings.environment.python, core=settings.core, trust=settings.trust).plan
    chosen = {"only": only and list(only), "without": list(without), "record": record}
    started = time.monotonic()
    run = _in_sandbox if plan.sandboxed else _trusted
    spooled, outcome, words = run(settings, plan, limits, chosen)
    return SessionResult(spooled, time.monotonic() - started, outcome, words.strip()[-WORDS_CHARACTERS:])


def _in_sandbox(
    settings: SessionSettings, plan: SandboxPlan, limits: Limits, chosen: dict[str, Any]
) -> tuple[SpooledRun, str, str]:
    plugin = _plugin_settings(settings, plan, chosen, root=f"{SCRATCH}/{WORK}", spool=SPOOL, guests=f"{HOME}/guests")
    spec: dict[str, Any] = {
        "name": "../pytest",  # outside the working folder, so that no file is written for it
        "source": "",
        "files": {},
        "limits": asdict(limits),
        "settings": plugin,
        "argv": _arguments(settings),
        "environment": _environment(settings, plugin["root"], plugin["guests"], SETTINGS_FILE),
    }
    plan = replace(plan, guest="testing.guest")
    with open_sandbox(plan, limits) as sandbox:
        run = sandbox.run(spec, b"", parts=settings.copy.packed(), left=settings.budget.spool_bytes + (64 << 20))
    code = None if run.status is None else os.waitstatus_to_exitcode(run.status)
    outcome = run.hit or run.fault or f"status {code}"
    words = (run.stdout + b"\n" + run.stderr).decode("utf-8", "replace")
    return read_spool(unpack(run.left)), outcome, words


def _trusted(
    settings: SessionSettings, plan: SandboxPlan, limits: Limits, chosen: dict[str, Any]
) -> tuple[SpooledRun, str, str]:
    """Execute pytest as the user, in a temporary copy."""
    with tempfile.TemporaryDirectory(prefix="worldline-tests-", ignore_cleanup_errors=True) as folder:
        os.mkdir(f"{folder}/spool")
        with tempfile.TemporaryFile(dir=folder) as packed:
            packed.write(settings.copy.packed())
            packed.flush()
            tree.lay_out(packed.fileno(), folder)
        plugin = _plugin_settings(
            settings, plan, chosen, root=f"{folder}/{WORK}", spool=f"{folder}/spool", guests=str(GUESTS)
        )
        with open(f"{folder}/testing.json", "w", encoding="utf-8") as file:
            json.dump(plugin, file)
        added = _environment(settings, plugin["root"], plugin["guests"], file.name)
        outcome, words = _execute(settings, {**os.environ, **plan.environment, **added}, plugin["root"], limits.wall)
        files = {path.name: path.read_bytes() for path in sorted(Path(folder, "spool").iterdir()) if path.is_file()}
        return read_spool(files), outcome, words


def _execute(settings: SessionSettings, environment: dict[str, str], cwd: str, seconds: float) -> tuple[str, str]:
    command = [settings.environment.python, "-m", "pytest", *_arguments(settings)]
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            command,
            cwd=cwd,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            outcome = f"status {process.wait(seconds)}"
        except subprocess.TimeoutExpired:
            outcome = "time"
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        output.seek(max(0, output.tell() - 4 * WORDS_CHARACTERS))
        return outcome, output.read().decode("utf-8", "replace")


def _plugin_settings(
    settings: SessionSettings, plan: SandboxPlan, chosen: dict[str, Any], *, root: str, spool: str, guests: str
) -> dict[str, Any]:
    own = {"root": root, "spool": spool, "guests": guests, "native": None if plan.readable else plan.native_inside}
    return {**recorder_settings(settings.budget, settings.include), **chosen, **own}


def recorder_settings(budget: TestBudget, include: Sequence[str]) -> dict[str, Any]:
    """Return the settings of the plugin that follow from a budget, wherever it is executed."""
    limits = budget.limits
    return {
        "include": list(include),
        "seconds": budget.seconds,
        "wire_bytes": budget.wire_bytes,
        "spool_bytes": budget.spool_bytes,
        "limits": {name: getattr(limits, name) for name in ("steps", "value_bytes", "value_depth")},
    }


def _arguments(settings: SessionSettings) -> list[str]:
    # Coverage measures by the same means as the recorder, and one would end the other.
    libraries = Path(settings.environment.python).parents[1] / "lib"
    is_measured = any(libraries.glob("python*/site-packages/pytest_cov"))
    # An environment that has worldline, whose own plugin is not needed and perhaps not reachable in the sandbox.
    plugins = ["-p", PLUGIN, "-p", "no:worldline", "-p", "no:cacheprovider"]
    return [*plugins, *(["--no-cov"] if is_measured else []), *settings.args]


def _environment(settings: SessionSettings, root: str, guests: str, file: str) -> dict[str, str]:
    roots = [os.path.normpath(os.path.join(root, path)) for path in settings.environment.paths]
    binaries = os.path.dirname(settings.environment.python)
    return {
        SETTINGS: file,
        "PYTHONPATH": os.pathsep.join([f"{guests}/testing/on_path", *roots]),
        "PATH": os.pathsep.join([binaries, "/usr/bin", "/bin"]),
        "VIRTUAL_ENV": os.path.dirname(binaries),
    }

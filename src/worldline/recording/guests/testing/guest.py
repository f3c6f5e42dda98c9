"""Execute the tests of a repository over a copy of it: lay it out, become pytest, and pack the spool at the end."""

from __future__ import annotations

import json
import os
import sys
from typing import Any, NoReturn

from ..confine import SCRATCH
from ..rehearsal import tree
from . import spool

SPOOL = f"{SCRATCH}/spool"
SETTINGS_FILE = f"{SCRATCH}/testing.json"
SETTINGS = "WORLDLINE_TESTING"  # the environment variable with the path of the settings


def gather(copied: int, out: int) -> None:
    """Pack the spool when all processes are dead."""
    spool.pack(SPOOL, out)


def run(spec: dict[str, Any], parts: int, wire: int, report: int) -> NoReturn:
    """Lay out the repository and become pytest. Ends the process.

    Args:
        spec: The settings of the plugin, the arguments of pytest and its environment.
        parts: The packed copy of the repository.
        wire: Not used: every test has a wire of its own.
        report: The file that reports that pytest starts.
    """
    os.mkdir(SPOOL)
    os.mkdir(f"{SCRATCH}/home")
    tree.lay_out(parts, SCRATCH)
    with open(SETTINGS_FILE, "w", encoding="utf-8") as file:
        json.dump(spec["settings"], file)
    for fd in (parts, wire):
        os.close(fd)
    os.write(report, b"begun")
    os.close(report)
    environment = {**os.environ, "HOME": f"{SCRATCH}/home", **spec["environment"]}
    os.execve(sys.executable, [sys.executable, "-m", "pytest", *spec["argv"]], environment)

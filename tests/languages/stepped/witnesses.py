"""The debuggers that step the ordinary programs, one row per language, and the programs of `programs.txt`."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import stepping
from comparison import Comparison
from delve_stops import compare_with_delve
from gdb_stops import compare_with_gdb
from inspector_stops import compare_with_inspector
from jdi_stops import compare_with_jdi

from worldline.core.language import SUFFIXES
from worldline.core.program import Program
from worldline.core.trace import Trace

HERE = Path(__file__).parent
_FILES = [HERE.parent / name for name in (HERE / "programs.txt").read_text("utf-8").split()]
PROGRAMS = [path for path in _FILES if path.suffix in SUFFIXES]


@dataclass(frozen=True)
class Witness:
    """A debugger, how it compares a trace, and the commands without which it cannot."""

    debugger: str
    compare: Callable[[Trace], Comparison]
    commands: tuple[str, ...]

    @property
    def missing(self) -> str:
        """The first command that is not on this machine, or empty."""
        known = {"rustc": stepping.RUSTC}
        return next((name for name in self.commands if not known.get(name, shutil.which(name))), "")


WITNESSES = {
    "c": Witness("gdb", compare_with_gdb, ("gdb", "gcc")),
    "cpp": Witness("gdb", compare_with_gdb, ("gdb", "g++")),
    "rust": Witness("gdb", compare_with_gdb, ("gdb", "rustc")),
    "java": Witness("JDI", compare_with_jdi, ("java", "javac")),
    "go": Witness("delve", compare_with_delve, ("dlv", "go")),
    "js": Witness("the inspector", compare_with_inspector, ("node",)),
}


def program_of(path: Path) -> Program:
    """The program of a file; Java's is named after its public class, as the recorder expects."""
    return Program(source=path.read_text("utf-8"), name=path.name if path.name[0].isupper() else _named(path))


def _named(path: Path) -> str:
    return "Main.java" if path.suffix == ".java" else path.name

"""Processor time of processes: of a family that lives, and of children that have ended."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterable
from pathlib import Path


def family(process: int) -> list[int]:
    """A process and all below it."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return [process, *(each for child in children for each in family(int(child)))]


def seconds(processes: Iterable[int]) -> float:
    """Processor seconds of processes that live, and of those that they have waited for, to a hundredth."""
    stats = [Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split() for each in processes]
    ticks = sum(int(ticks) for fields in stats for ticks in fields[11:15])  # utime, stime, cutime, cstime
    return ticks / os.sysconf("SC_CLK_TCK")


def family_seconds() -> float:
    """Processor seconds of this process, of all below it, and of those that they have waited for."""
    return seconds(family(os.getpid()))


def below_seconds() -> float:
    """The same without this process itself: what its boxes have used, if it has waited for nobody else meanwhile."""
    return seconds(family(os.getpid())[1:])


def ended_seconds() -> float:
    """Processor seconds of children that have ended, and of theirs."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime

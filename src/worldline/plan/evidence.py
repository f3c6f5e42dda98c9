"""What a ledger says about a piece of code: a gate for it, or the reason why there is none.

A confidence that holds for some code says little about other code, so what is new decides what counts once:

- A known function (MIN_OWN executions of it): the gate is fitted on all executions of its file.
- A new function of a known file: each recorded function of the file counts once, however often it was called.
- A new file: each recorded file counts once.

A gate needs MIN_ENTRIES of what it counts. It is closed up to the highest score at which the function, or else the
file, was predicted wrong. New code must consist of recorded constructs, each in MIN_FUNCTIONS functions.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from worldline.core.text import plural
from worldline.plan.code_features import CodeFeatures
from worldline.plan.gate import MIN_ENTRIES, Gate
from worldline.plan.ledger import LedgerEntry

MIN_OWN = 5
MIN_FUNCTIONS = 3
NEW_CODE_CONFIDENCE = 0.9  # of the bound: code that is new may also be unlike the journal
MAX_NAMED = 3  # constructs in a message


@dataclass(frozen=True)
class Calibration:
    """A gate for some code, or the reason why there is none."""

    gate: Gate | None
    why: str = ""


def calibrate(entries: Sequence[LedgerEntry], code: CodeFeatures) -> Calibration:
    """Choose and fit the gate for a piece of code.

    Args:
        entries: The entries of a ledger for this kind of question and these weights.
        code: The code that is asked about.

    Returns:
        The gate; without one, the reason as a clause.
    """
    own = [entry for entry in entries if entry.code.function == code.function]
    file = [entry for entry in entries if entry in own or entry.code.file == code.file]
    if len(own) >= MIN_OWN and len(file) >= MIN_ENTRIES:
        basis = f"{len(file)} recorded executions of this file, {len(own)} of them of this function"
        return Calibration(_closed(Gate.fit(file), own, basis))
    functions = {entry.code.function: entry.code.constructs for entry in entries}
    file_functions = {entry.code.function for entry in file}
    files = {entry.code.file for entry in entries}
    if len(file_functions) >= MIN_ENTRIES:
        scored, unit = [(entry, entry.code.function) for entry in file], f"{len(file_functions)} functions of this file"
    elif len(files) >= MIN_ENTRIES:
        scored, unit = [(entry, entry.code.file) for entry in entries], f"{len(files)} files"
    else:
        return Calibration(None, _too_few_reason(len(own), len(file), len(files)))
    if code.constructs is None:
        return Calibration(None, "the journal does not have this code, and only Python is compared with other code")
    if new := _rare_constructs(functions.values(), code.constructs):
        return Calibration(None, f"the journal has too little code with {_listed(new)} to be sure of this")
    groups = ((entry.score or 0.0, entry.is_right, group) for entry, group in scored)
    gate = Gate.of_groups(groups, confidence=NEW_CODE_CONFIDENCE)
    return Calibration(_closed(gate, file, f"recorded executions of {unit}"))


def _closed(gate: Gate, entries: Iterable[LedgerEntry], basis: str) -> Gate:
    """Close a gate up to the highest score at which one of these predictions was wrong."""
    wrong = max((entry.score or 0.0 for entry in entries if not entry.is_right), default=-math.inf)
    return replace(gate, closed_to=wrong, basis=basis)


def _too_few_reason(own: int, file: int, files: int) -> str:
    if not file:
        return f"the journal has no execution of this file, and {plural(files, 'other file')} ({MIN_ENTRIES} needed)"
    return (
        f"the journal has {plural(own, 'execution')} of this function ({MIN_OWN} needed) "
        f"and {file} of its file ({MIN_ENTRIES} needed)"
    )


def _rare_constructs(recorded: Iterable[frozenset[str] | None], code: frozenset[str]) -> list[str]:
    """The constructs of some code that too few of the recorded functions have, the rarest first."""
    counts = Counter(name for names in recorded for name in names or ())
    return sorted((name for name in code if counts[name] < MIN_FUNCTIONS), key=lambda name: (counts[name], name))


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(f"`{name}`" for name in names[:MAX_NAMED])
    return f"{shown} and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else shown

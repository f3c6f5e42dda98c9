"""Decide what to execute: predict when confidence is high enough, execute otherwise, and search over both.

Public names are imported on first use. None has the name of a subpackage (`repair`, `inputs`, ...), so that importing
a subpackage cannot hide a function.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from worldline.plan.answer import Answer as Answer
    from worldline.plan.answer import Budget as Budget
    from worldline.plan.answer import ExecutionCost as ExecutionCost
    from worldline.plan.answer import Oracle as Oracle
    from worldline.plan.executed import ExecutedOracle as ExecutedOracle
    from worldline.plan.executed import sandboxed_steps as sandboxed_steps
    from worldline.plan.executed import sandboxed_world as sandboxed_world
    from worldline.plan.gate import Gate as Gate
    from worldline.plan.imagined import ImaginedOracle as ImaginedOracle
    from worldline.plan.inputs.finding import find_input as find_input
    from worldline.plan.journal import JournalEntry as JournalEntry
    from worldline.plan.journal import read_journal as read_journal
    from worldline.plan.ledger import LedgerEntry as LedgerEntry
    from worldline.plan.mixed import MixedOracle as MixedOracle
    from worldline.plan.outputs.filling import fill_outputs as fill_outputs
    from worldline.plan.paths.search import MissingBranchSearch as MissingBranchSearch
    from worldline.plan.play.playing import play_match as play_match
    from worldline.plan.question import Question as Question
    from worldline.plan.question import read_question as read_question
    from worldline.plan.reach.finding import find_commands as find_commands
    from worldline.plan.repair.finding import find_repair as find_repair

_HOMES = {
    "Budget": "answer",
    "Answer": "answer",
    "ExecutedOracle": "executed",
    "Gate": "gate",
    "ImaginedOracle": "imagined",
    "JournalEntry": "journal",
    "LedgerEntry": "ledger",
    "MixedOracle": "mixed",
    "Oracle": "answer",
    "Question": "question",
    "MissingBranchSearch": "paths.search",
    "ExecutionCost": "answer",
    "sandboxed_steps": "executed",
    "sandboxed_world": "executed",
    "fill_outputs": "outputs.filling",
    "find_commands": "reach.finding",
    "find_input": "inputs.finding",
    "find_repair": "repair.finding",
    "play_match": "play.playing",
    "read_journal": "journal",
    "read_question": "question",
}

__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'worldline.plan' has no attribute {name!r}")
    globals()[name] = value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    return value

"""Split the calls that a model is adapted on into lessons and held-out calls.

Whole functions are held out, which no lesson can reach, and some calls of the others. No call is on both
sides, not even renamed. Lessons are spread over the functions.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from worldline.codec.compact.prompt import Compact
from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.data.document import Document
from worldline.data.mixture import BATCH_PROGRAMS, DOCUMENT_LIMITS, Mixture, Mode, draw_documents, write_document
from worldline.programs.reachable import hash_function, reachable_code
from worldline.recording.recorder import SandboxWorker, prepare
from worldline.recording.together import record_all, stretched

# With fewer functions, none is held out whole.
MIN_FUNCTIONS_TO_HOLD_OUT = 6
# Attention on a CPU costs the square of the length.
MAX_LESSON_BYTES = 1_536
# Calls that decide when to stop.
HELD_BACK_CALLS = 8
# Share of documents in the call's own mode; the others toggle `bare`.
OWN_MODE_SHARE = 0.75

# Where calls come from.
WRITTEN, GUESSED, ASKED, PATHS, MUTATED = "written", "guessed", "asked", "paths", "mutated"
SOURCES = {
    WRITTEN: "in tests, doctests and examples",
    GUESSED: "with guessed arguments",
    ASKED: "in the journal",
    PATHS: "drawn for a path",
    MUTATED: "with one argument changed",
}


@dataclass(frozen=True, kw_only=True)
class OwnCall:
    """A run of the user's code.

    Attributes:
        program: The program with its call.
        origin: Where the function comes from.
        key: Hash of the function.
        source: Where the call comes from, one of `SOURCES`.
        options: How its steps are written.
    """

    program: Program
    origin: str
    key: str
    source: str
    options: Compact = field(default_factory=Compact)

    @property
    def name(self) -> str:
        """Unique name of the call."""
        return f"{self.origin} {self.program.call or ' '.join(self.program.argv)}"


@dataclass(frozen=True)
class CallSplit:
    """Calls to learn from, to stop by, and held out: of the same functions, and of unseen functions."""

    lessons: tuple[OwnCall, ...]
    held_back: tuple[OwnCall, ...]
    same: tuple[OwnCall, ...]
    unseen: tuple[OwnCall, ...]


def split_calls(calls: Sequence[OwnCall], *, seed: int = 0, lessons: int = 160, held_out: int = 60) -> CallSplit:
    """Split calls into lessons and held-out calls; a third of the latter are of unseen functions.

    Args:
        calls: Calls to split.
        seed: Seed of the split.
        lessons: Maximum number of lessons.
        held_out: Maximum number of held-out calls.

    Returns:
        The split.

    Raises:
        UsageError: There are too few calls.
    """
    rng = Random(f"own calls {seed}")
    groups: dict[str, list[OwnCall]] = {}
    for call in calls:
        groups.setdefault(hash_function(call.program), []).append(call)
    order = sorted(groups)
    rng.shuffle(order)
    for group in groups.values():
        rng.shuffle(group)
    hidden = order[: len(order) // 5] if len(order) >= MIN_FUNCTIONS_TO_HOLD_OUT else []
    unseen = _take_in_turns([groups[function] for function in hidden], held_out // 3)
    called = {ast.dump(node) for call in unseen for node in reachable_code(call.program).called}
    seen = [
        groups[function]
        for function in order
        if function not in hidden and called.isdisjoint(_reachable_trees(groups[function][0].program))
    ]
    cut = [max(1, len(group) // 4) if len(group) > 2 else 0 for group in seen]
    same = _take_in_turns([group[:n] for group, n in zip(seen, cut, strict=True)], held_out - len(unseen))
    rest = _take_in_turns([group[n:] for group, n in zip(seen, cut, strict=True)], lessons + HELD_BACK_CALLS)
    back = min(HELD_BACK_CALLS, len(rest) // 4)
    if not back or not (same or unseen):
        raise UsageError(f"{len(calls)} calls of {len(groups)} functions are too few to learn from and to hold out")
    return CallSplit(tuple(rest[back:]), tuple(rest[:back]), tuple(same), tuple(unseen))


def _reachable_trees(program: Program) -> set[str]:
    """The functions and classes that a call can reach, as syntax trees."""
    return {ast.dump(node) for node in reachable_code(program).definitions if not isinstance(node, ast.Assign)}


def _take_in_turns(groups: Iterable[Sequence[OwnCall]], most: int) -> list[OwnCall]:
    """At most `most` calls: the first of each function, then the second of each, and so on."""
    places = [(turn, number, call) for number, group in enumerate(groups) for turn, call in enumerate(group)]
    return [call for _, _, call in sorted(places, key=lambda place: place[:2])[:most]]


def order_by_length(calls: Sequence[OwnCall], *, trust: bool = False) -> list[OwnCall]:
    """Return calls with the shortest traces first; those that cannot be recorded come last."""
    lengths: list[tuple[float, int]] = []
    worker = SandboxWorker(
        prepare(limits=stretched(DOCUMENT_LIMITS, BATCH_PROGRAMS), python=None, core="auto", trust=trust)
    )
    try:
        for at in range(0, len(calls), BATCH_PROGRAMS):
            traces = record_all(worker, [call.program for call in calls[at : at + BATCH_PROGRAMS]])
            lengths += [(len(trace) if trace else math.inf, at + number) for number, trace in enumerate(traces)]
    finally:
        worker.close()
    return [calls[number] for _, number in sorted(lengths)]


def record_calls(calls: Sequence[OwnCall], *, seed: int = 0, trust: bool = False) -> list[Document]:
    """Record calls as documents, most in their own mode; too long ones are left out."""
    rng, documents = Random(f"own documents {seed}"), []
    worker = SandboxWorker(
        prepare(limits=stretched(DOCUMENT_LIMITS, BATCH_PROGRAMS), python=None, core="auto", trust=trust)
    )
    try:
        for at in range(0, len(calls), BATCH_PROGRAMS):
            batch = calls[at : at + BATCH_PROGRAMS]
            for call, trace in zip(batch, record_all(worker, [item.program for item in batch]), strict=True):
                document = (
                    write_document(_call_mixture(call.options), rng, trace, kind="mine", hashed=call.key)
                    if trace
                    else None
                )
                documents += [document] if document else []
    finally:
        worker.close()
    return documents


def _call_mixture(options: Compact) -> Mixture:
    """How a call's document is written: mostly with these options."""
    other = replace(options, bare=not options.bare)
    modes = (Mode(weight=OWN_MODE_SHARE, options=options), Mode(weight=1 - OWN_MODE_SHARE, options=other))
    return Mixture(modes=modes, max_bytes=MAX_LESSON_BYTES, query=0.0)


def draw_known_documents(count: int, *, seed: int = 0, trust: bool = False) -> list[Document]:
    """Draw generated documents, of what the model knew before."""
    stream, documents = draw_documents(Mixture(max_bytes=MAX_LESSON_BYTES), seed=seed, trust=trust), []
    for document in stream:
        documents.append(document)
        if len(documents) == count:
            break
    return documents

"""The calls that a model is adapted by, wherever they are from, and which of them are learned from.

Held out are whole functions, which nothing that is learned from can then reach, and some calls of the others; no call
is on two sides, under other names neither. What is learned from is spread over the functions. `call_sources` finds it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from worldline.codec.compact.prompt import Compact
from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.data.document import Document
from worldline.data.mixture import (
    BATCH_PROGRAMS,
    DOCUMENT_LIMITS,
    Mixture,
    Mode,
    draw_documents,
    write_document,
)
from worldline.programs.split import execution, key, program_key
from worldline.recording.recorder import BoxWorker, prepare
from worldline.recording.together import record_all, stretched

FUNCTIONS = 6  # fewer than these, and none is held out whole
LONGEST = 1_536  # bytes of a document that is learned from: attention on a CPU takes the square of it
HELD_BACK = 8  # calls that decide when to stop
USUAL = 0.75  # of the documents: as they are asked for; the others the other way, bare or not


@dataclass(frozen=True, kw_only=True)
class OwnCall:
    """A run of a user's own code, where it is from, the hash of its function, and how it is asked for."""

    program: Program
    origin: str
    key: str
    options: Compact = field(default_factory=Compact)

    @property
    def name(self) -> str:
        """What tells it from every other."""
        return f"{self.origin} {self.program.call or ' '.join(self.program.argv)}"


@dataclass(frozen=True)
class CallSplit:
    """Calls to learn from, to stop by, and held out: other calls of the same functions, and functions never seen."""

    lessons: tuple[OwnCall, ...]
    held_back: tuple[OwnCall, ...]
    same: tuple[OwnCall, ...]
    unseen: tuple[OwnCall, ...]


def split_calls(
    calls: Sequence[OwnCall], *, seed: int = 0, lessons: int = 160, held_out: int = 60
) -> CallSplit:
    """So many calls to learn from and to hold out at most, a third of those held out of functions never seen."""
    rng = Random(f"own calls {seed}")
    groups: dict[str, list[OwnCall]] = {}
    for each in calls:
        groups.setdefault(function_of(each.program), []).append(each)
    order = sorted(groups)
    rng.shuffle(order)
    for several in groups.values():
        rng.shuffle(several)
    hidden = order[: len(order) // 5] if len(order) >= FUNCTIONS else []
    unseen = _spread([groups[one] for one in hidden], held_out // 3)
    called = {name for each in unseen for name in _called(each.program)}
    seen = [
        groups[one] for one in order if one not in hidden and not called & _reached(groups[one][0].program)[1]
    ]
    cut = [max(1, len(several) // 4) if len(several) > 2 else 0 for several in seen]
    same = _spread([several[:n] for several, n in zip(seen, cut, strict=True)], held_out - len(unseen))
    rest = _spread([several[n:] for several, n in zip(seen, cut, strict=True)], lessons + HELD_BACK)
    back = min(HELD_BACK, len(rest) // 4)
    if not back or not (same or unseen):
        raise UsageError(
            f"{len(calls)} calls of {len(groups)} functions are too few to learn from and to hold out"
        )
    return CallSplit(tuple(rest[back:]), tuple(rest[:back]), tuple(same), tuple(unseen))


def _spread(groups: Iterable[Sequence[OwnCall]], most: int) -> list[OwnCall]:
    """So many calls at most: the first of each function, then the second of each, and so on."""
    places = [(turn, number, each) for number, some in enumerate(groups) for turn, each in enumerate(some)]
    return [each for _, _, each in sorted(places, key=lambda place: place[:2])[:most]]


def _definitions(tree: ast.Module) -> dict[str, ast.stmt]:
    """The functions, classes and assigned names of a source."""
    found: dict[str, ast.stmt] = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found[node.name] = node
        elif isinstance(node, ast.Assign):
            found |= {target.id: node for target in node.targets if isinstance(target, ast.Name)}
    return found


def _names(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _named(program: Program) -> tuple[dict[str, ast.stmt], set[str]]:
    """What the source of a call defines, and what of that the call itself names; nothing of any other program."""
    if program.call is None or program.files or program.language != "python":
        return {}, set()
    try:
        defined = _definitions(ast.parse(program.source))
        return defined, _names(ast.parse(program.call.strip(), mode="eval")) & defined.keys()
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}, set()


def _reached(program: Program) -> tuple[str, set[str]]:
    """What a call can reach of its source, as text, and the functions and classes in that, as trees."""
    defined, waiting = _named(program)
    reached = set[str]()
    while waiting:
        name = waiting.pop()
        reached.add(name)
        waiting |= (_names(defined[name]) & defined.keys()) - reached
    nodes = list(dict.fromkeys(node for name, node in defined.items() if name in reached))
    trees = {ast.dump(node) for node in nodes if not isinstance(node, ast.Assign)}
    return "\n".join(ast.unparse(node) for node in nodes), trees


def _called(program: Program) -> set[str]:
    """What a call itself names, as syntax trees."""
    defined, names = _named(program)
    return {ast.dump(defined[name]) for name in names}


def function_of(program: Program) -> str:
    """The hash of what a call runs, whatever stands beside it; of all, where that cannot be told."""
    text = _reached(program)[0]
    return key(text) if text else program_key(program)


def run_of(program: Program) -> str:
    """The hash of one run, whatever stands beside it and however it is named."""
    text = _reached(program)[0]
    if not text:
        return program.digest
    return execution(
        Program(source=text, call=program.call, argv=program.argv, stdin=program.stdin), key(text)
    )


def recorded(calls: Sequence[OwnCall], *, seed: int = 0, trust: bool = False) -> list[Document]:
    """Calls as documents to learn from, most of them as they are asked for; those that are too long are left out."""
    rng, found = Random(f"own documents {seed}"), []
    worker = BoxWorker(
        prepare(limits=stretched(DOCUMENT_LIMITS, BATCH_PROGRAMS), python=None, core="auto", trust=trust)
    )
    try:
        for at in range(0, len(calls), BATCH_PROGRAMS):
            some = calls[at : at + BATCH_PROGRAMS]
            for each, trace in zip(some, record_all(worker, [one.program for one in some]), strict=True):
                made = (
                    write_document(_form(each.options), rng, trace, kind="mine", hashed=each.key)
                    if trace
                    else None
                )
                found += [made] if made else []
    finally:
        worker.close()
    return found


def _form(options: Compact) -> Mixture:
    """How a call's document is written: mostly in these options."""
    other = replace(options, bare=not options.bare)
    modes = (Mode(weight=USUAL, options=options), Mode(weight=1 - USUAL, options=other))
    return Mixture(modes=modes, max_bytes=LONGEST, query=0.0)


def known_documents(count: int, *, seed: int = 0, trust: bool = False) -> list[Document]:
    """Generated documents, of what the model knew before."""
    drawn, found = draw_documents(Mixture(max_bytes=LONGEST), seed=seed, trust=trust), []
    for each in drawn:
        found.append(each)
        if len(found) == count:
            break
    return found

"""The calls of a user's own folder, and which of them are learned from.

What can be called is found and called in the box, as `data mine` does, with several seeds. Held out are whole
functions, which nothing that is learned from can then reach, and some calls of the others; no call is on two
sides, under other names neither. What is learned from is spread over the functions.
"""

from __future__ import annotations

import ast
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from worldline.codec.compact.prompt import Compact
from worldline.core.program import Program
from worldline.data.document import Document
from worldline.data.mine.mine import mine
from worldline.data.mine.mined import Mined, read_mined
from worldline.data.mixture import SMALL, TOGETHER, Mixture, Mode, documents, written
from worldline.errors import UsageError
from worldline.programs.split import execution, key
from worldline.recording.recorder import BoxWorker, prepare
from worldline.recording.together import record_all, stretched

ROUNDS = 3  # seeds that arguments are drawn with
FEWEST = 12  # calls that something can be learned and measured with
FUNCTIONS = 6  # fewer than these, and none is held out whole
LONGEST = 1_536  # bytes of a document that is learned from: attention on a CPU takes the square of it
HELD_BACK = 8  # calls that decide when to stop
_FORM = Mixture(
    modes=(Mode(weight=0.75), Mode(weight=0.25, options=Compact(bare=True))), max_bytes=LONGEST, query=0.0
)


@dataclass(frozen=True)
class CallSplit:
    """Calls to learn from, to stop by, and held out: other calls of the same functions, and functions never seen."""

    lessons: tuple[Mined, ...]
    held_back: tuple[Mined, ...]
    same: tuple[Mined, ...]
    unseen: tuple[Mined, ...]


def own_calls(folder: str | Path, *, seed: int = 0, trust: bool = False) -> list[Mined]:
    """The calls of a folder's functions that can be recorded, no two of them the same run; UsageError if few."""
    found: dict[str, Mined] = {}
    with tempfile.TemporaryDirectory(prefix="worldline-") as space:
        for turn in range(ROUNDS):
            out = Path(space) / f"{turn}.xz"
            mine([str(folder)], out=out, seed=seed + turn, trust=trust)
            for each in read_mined(out):
                found.setdefault(_run(each), each)
    if len(found) < FEWEST:
        raise UsageError(
            f"{folder}: {len(found)} calls could be recorded, too few to learn from ({FEWEST}): functions are "
            "called that take plain values and need nothing from outside, or that doctests and tests call"
        )
    return list(found.values())


def split_calls(
    calls: Sequence[Mined], *, seed: int = 0, lessons: int = 160, held_out: int = 60
) -> CallSplit:
    """So many calls to learn from and to hold out at most, a third of those held out of functions never seen."""
    rng = Random(f"own calls {seed}")
    groups: dict[str, list[Mined]] = {}
    for each in calls:
        groups.setdefault(_function(each), []).append(each)
    order = sorted(groups)
    rng.shuffle(order)
    for several in groups.values():
        rng.shuffle(several)
    hidden = order[: len(order) // 5] if len(order) >= FUNCTIONS else []
    unseen = _spread([groups[one] for one in hidden], held_out // 3)
    called = {name for each in unseen for name in _called(each)}
    seen = [groups[one] for one in order if one not in hidden and not called & _reached(groups[one][0])[1]]
    cut = [max(1, len(several) // 4) if len(several) > 2 else 0 for several in seen]
    same = _spread([several[:n] for several, n in zip(seen, cut, strict=True)], held_out - len(unseen))
    rest = _spread([several[n:] for several, n in zip(seen, cut, strict=True)], lessons + HELD_BACK)
    back = min(HELD_BACK, len(rest) // 4)
    if not back or not same:
        raise UsageError(
            f"{len(calls)} calls of {len(groups)} functions are too few to learn from and to hold out"
        )
    return CallSplit(tuple(rest[back:]), tuple(rest[:back]), tuple(same), tuple(unseen))


def _spread(groups: Iterable[Sequence[Mined]], most: int) -> list[Mined]:
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


def _reached(each: Mined) -> tuple[str, set[str]]:
    """What a call can reach of its source, as text, and the functions and classes in that, as trees."""
    defined = _definitions(ast.parse(each.source))
    reached, waiting = set[str](), _names(ast.parse(each.call, mode="eval")) & defined.keys()
    while waiting:
        name = waiting.pop()
        reached.add(name)
        waiting |= (_names(defined[name]) & defined.keys()) - reached
    nodes = list(dict.fromkeys(node for name, node in defined.items() if name in reached))
    trees = {ast.dump(node) for node in nodes if not isinstance(node, ast.Assign)}
    return "\n".join(ast.unparse(node) for node in nodes), trees


def _called(each: Mined) -> set[str]:
    """What a call itself names, as syntax trees."""
    defined, names = _definitions(ast.parse(each.source)), _names(ast.parse(each.call, mode="eval"))
    return {ast.dump(defined[name]) for name in names & defined.keys()}


def _function(each: Mined) -> str:
    """The hash of what a call runs, whatever stands beside it."""
    return key(_reached(each)[0])


def _run(each: Mined) -> str:
    """The hash of one run, whatever stands beside it and however it is named."""
    text = _reached(each)[0]
    return execution(Program(source=text, call=each.call), key(text))


def recorded(calls: Sequence[Mined], *, seed: int = 0, trust: bool = False) -> list[Document]:
    """Calls as documents to learn from, most of them as they are asked for; those that are too long are left out."""
    rng, found = Random(f"own documents {seed}"), []
    worker = BoxWorker(prepare(limits=stretched(SMALL, TOGETHER), python=None, core="auto", trust=trust))
    try:
        for at in range(0, len(calls), TOGETHER):
            some = calls[at : at + TOGETHER]
            for each, trace in zip(some, record_all(worker, [one.program for one in some]), strict=True):
                made = written(_FORM, rng, trace, kind="mine", hashed=each.key) if trace else None
                found += [made] if made else []
    finally:
        worker.close()
    return found


def known_documents(count: int, *, seed: int = 0, trust: bool = False) -> list[Document]:
    """Generated documents, of what the model knew before."""
    drawn, found = documents(Mixture(max_bytes=LONGEST), seed=seed, trust=trust), []
    for each in drawn:
        found.append(each)
        if len(found) == count:
            break
    return found

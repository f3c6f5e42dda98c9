"""Draw more calls of the functions that a model is adapted on: one for each path, and neighbours of recorded arguments.

Only functions of lessons are called, with arguments that are drawn or come from lessons, so that nothing held out
enters. Every call is executed in the sandbox, and kept if it ends by itself and no other call runs the same.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from random import Random

from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.data.mine.calls import is_worth_keeping, raises_itself
from worldline.data.mixture import BATCH_PROGRAMS, DOCUMENT_LIMITS
from worldline.learning.own_calls import MUTATED, PATHS, OwnCall
from worldline.plan.inputs.material import Material
from worldline.plan.inputs.variation import vary_value
from worldline.plan.paths.search import paths
from worldline.plan.paths.target import read_call
from worldline.programs.reachable import hash_function, hash_run
from worldline.recording.recorder import SandboxWorker, prepare
from worldline.recording.together import record_all, stretched

# Of one function; half of them draw inputs.
PATH_SECONDS = 2.0
MAX_PATHS = 12
MAX_MUTATED = 12
# Mutations that are tried: of each argument, and for each one that is kept at most.
TRIES = 2


@dataclass(frozen=True)
class CallDrawing:
    """How calls are drawn.

    Attributes:
        seed: Seed of the arguments.
        trust: Whether to run without a sandbox.
        is_late: Whether to stop, asked after every function.
        progress: Called with the functions that are done, and their number.
    """

    seed: int = 0
    trust: bool = False
    is_late: Callable[[], bool] = lambda: False
    progress: Callable[[int, int], None] = lambda done, count: None


def draw_calls(lessons: Sequence[OwnCall], *, exclude: Iterable[OwnCall], how: CallDrawing) -> list[OwnCall]:
    """Draw further calls of the functions of lessons.

    Args:
        lessons: Calls to learn from.
        exclude: Calls that must not be drawn, such as held-out ones.
        how: Seed, sandbox, and when to stop.

    Returns:
        The calls, those of all functions by turns.
    """
    known = {hash_run(call.program) for call in (*lessons, *exclude)}
    groups: dict[str, list[OwnCall]] = {}
    for call in lessons:
        groups.setdefault(hash_function(call.program), []).append(call)
    rounds: list[list[OwnCall]] = []
    setup = prepare(limits=stretched(DOCUMENT_LIMITS, BATCH_PROGRAMS), python=None, core="auto", trust=how.trust)
    with closing(SandboxWorker(setup)) as worker:
        for done, calls in enumerate(groups.values()):
            how.progress(done, len(groups))
            if how.is_late():
                break
            drawn = [*_path_calls(calls, how), *_mutated_calls(worker, calls, how.seed)]
            rounds.append([call for call in drawn if not _is_known(call, known)])
    longest = max(map(len, rounds), default=0)
    return [calls[turn] for turn in range(longest) for calls in rounds if turn < len(calls)]


def _is_known(call: OwnCall, known: set[str]) -> bool:
    """Whether a run is known already; afterwards it is."""
    hashed = hash_run(call.program)
    is_known = hashed in known
    known.add(hashed)
    return is_known


def _path_calls(calls: Sequence[OwnCall], how: CallDrawing) -> Iterator[OwnCall]:
    """One call of each path through a function that is called by its name."""
    first = calls[0]
    try:
        name, _ = read_call(first.program.call or "")
        examples = [read_call(call.program.call or "")[1] for call in calls]
        report = paths(
            replace(first.program, call=None),
            name,
            examples=examples,
            seconds=PATH_SECONDS,
            solver="never",
            max_classes=MAX_PATHS,
            seed=how.seed,
            trust=how.trust,
        )
    # Methods and functions that need more than their arguments.
    except UsageError:
        return
    for path in report.classes:
        if _is_lesson(path.trace):
            yield replace(first, program=path.trace.program, source=PATHS)


def _mutated_calls(worker: SandboxWorker, calls: Sequence[OwnCall], seed: int) -> Iterator[OwnCall]:
    """Calls that differ from recorded ones in one argument."""
    rng = Random(f"mutated calls {seed} {hash_function(calls[0].program)}")
    mutated = [replace(call, program=program) for call in calls for program in _mutations(rng, call.program)]
    rng.shuffle(mutated)
    mutated = mutated[: TRIES * MAX_MUTATED]
    traces = record_all(worker, [call.program for call in mutated])
    ended = [call for call, trace in zip(mutated, traces, strict=True) if trace is not None and _is_lesson(trace)]
    yield from (replace(call, source=MUTATED) for call in ended[:MAX_MUTATED])


def _is_lesson(trace: Trace) -> bool:
    """Whether a run is worth learning: it returned, or the code itself raised."""
    if trace.outcome.kind not in ("returned", "raised") or not is_worth_keeping(trace):
        return False
    return trace.outcome.kind == "returned" or raises_itself(trace)


def _mutations(rng: Random, program: Program) -> Iterator[Program]:
    """Vary each literal argument of a call, one at a time."""
    if program.call is None or not program.lang.has_syntax_tree:
        return
    material = Material.of(program.source, program.call)
    for number, value in enumerate(_literal_arguments(program.call)):
        if value is not None:
            varied = [vary_value(rng, value[0], material) for _ in range(TRIES)]
            yield from (replace(program, call=_with_argument(program.call, number, new)) for new in varied)


def _call_node(call: str) -> tuple[ast.Expression, ast.Call | None]:
    """Parse a call; the inner one of `list(...)`."""
    tree = ast.parse(call.strip(), mode="eval")
    node = tree.body
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "list" and node.args:
        node = node.args[0]
    return tree, node if isinstance(node, ast.Call) else None


def _literal_arguments(call: str) -> list[tuple[object] | None]:
    """The value of each positional and keyword argument; None for what is not a literal."""
    try:
        _, node = _call_node(call)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    arguments = [*node.args, *(keyword.value for keyword in node.keywords)] if node else []
    return [_literal(argument) for argument in arguments]


def _literal(node: ast.expr) -> tuple[object] | None:
    try:
        return (ast.literal_eval(node),)
    except (ValueError, TypeError, RecursionError, MemoryError):
        return None


def _with_argument(call: str, number: int, value: object) -> str:
    """Replace one argument of a call."""
    tree, node = _call_node(call)
    assert node is not None
    new = ast.parse(repr(value), mode="eval").body
    if number < len(node.args):
        node.args[number] = new
    else:
        node.keywords[number - len(node.args)].value = new
    return ast.unparse(tree)

"""Compare patches that pass every test: execute all of them on drawn inputs, and group those with the same results.

Tests rarely say which of several patches is right. The inputs are those of the tests, varied, and others drawn by type;
where they do not tell two patches apart, `plan input` searches for one that does. A group is ranked by the joint prior
of its patches: a result that many likely patches share is likely the intended one.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from random import Random
from typing import Any

from worldline.analyze.flow.control import syntax
from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.plan.inputs.goal import read_goal
from worldline.plan.inputs.material import Material
from worldline.plan.inputs.search import InputSearch
from worldline.plan.inputs.variation import vary_value
from worldline.plan.paths.draw import Drawer
from worldline.plan.paths.target import find_target
from worldline.plan.repair.candidate import PassingPatch
from worldline.plan.repair.checks import CheckSet, describe_end
from worldline.plan.repair.trials import RunsCalls
from worldline.recording.calls import CallBatch, CallEnd

MAX_INPUTS = 200  # of one comparison
DRAWN_SHARE = 0.3  # of the inputs; the others vary those of the tests
MAX_FUNCTIONS = 3  # whose inputs are drawn
MAX_CALL_CHARACTERS = 400
MAX_VARIATIONS = 3  # of one input
MAX_SHOWN_INPUTS = 3
SEARCH_EXECUTIONS = 120  # for two patches that agree on every drawn input
MAX_SEARCHES = 3
_DIFFERENCE = "patches_differ"  # the function of `combined.txt`
_COMBINED = files(__package__).joinpath("combined.txt").read_text("utf-8")


@dataclass(frozen=True, kw_only=True)
class PatchGroup:
    """Patches with the same result on every input, the smallest first."""

    patches: tuple[PassingPatch, ...]
    changed: int  # inputs on which the result differs from the original program's

    @property
    def prior(self) -> float:
        """How likely one of the patches is the fix, by the kinds of their changes."""
        return sum(patch.prior for patch in self.patches)


@dataclass(frozen=True)
class DecidingInput:
    """An input on which groups of patches differ, with the result of each group."""

    call: str
    results: tuple[str, ...]
    is_returned: tuple[bool, ...]


@dataclass(frozen=True, kw_only=True)
class PatchComparison:
    """Groups of patches, the likeliest first, and inputs that tell them apart."""

    groups: tuple[PatchGroup, ...] = ()
    inputs: int = 0
    calls: int = 0  # executed for the comparison
    deciding: tuple[DecidingInput, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the comparison as a part of the report."""
        return {
            "inputs": self.inputs,
            "calls": self.calls,
            "groups": [{"patches": len(group.patches), "changed": group.changed} for group in self.groups],
            "deciding": [{"call": item.call, "results": list(item.results)} for item in self.deciding],
        }


def compare_patches(
    program: Program,
    tests: CheckSet,
    patches: Sequence[PassingPatch],
    runs: RunsCalls,
    record: Callable[[Program], Trace],
    *,
    seconds: float,
    seed: int = 0,
) -> PatchComparison:
    """Execute patches on drawn inputs and group them; without inputs each is a group of its own."""
    if not patches:
        return PatchComparison()
    table = _ResultTable(program, runs, seconds, [program.source, *(patch.source for patch in patches)])
    functions = tested_functions(program, tests)
    for function in functions:
        table.execute(draw_calls(program, tests, function, count=MAX_INPUTS // len(functions), seed=seed))
    for _ in range(MAX_SEARCHES):
        pair = next(((rows[0], rows[1]) for rows in table.groups() if len(rows) > 1), None)
        call = (
            None if pair is None or not functions else table.tell_apart(functions[0], *pair, record=record, seed=seed)
        )
        if call is None:
            break
        table.execute([call])
    grouped = [
        PatchGroup(
            patches=tuple(sorted((patches[row - 1] for row in rows), key=lambda patch: patch.size)),
            changed=table.count_changed(rows[0]),
        )
        for rows in (table.groups() if table.calls else [[row + 1] for row in range(len(patches))])
    ]
    groups = sorted(grouped, key=lambda group: (-group.prior, group.patches[0].size))
    rows = [1 + list(patches).index(group.patches[0]) for group in groups]
    return PatchComparison(
        groups=tuple(groups), inputs=len(table.calls), calls=table.executed, deciding=table.deciding_inputs(rows)
    )


class _ResultTable:
    """The results of several sources, row 0 the original, on the calls so far."""

    def __init__(self, program: Program, runs: RunsCalls, seconds: float, sources: Sequence[str]) -> None:
        self.program, self.runs, self.seconds, self.sources = program, runs, seconds, sources
        self.calls = list[str]()
        self.rows: list[list[CallEnd]] = [[] for _ in sources]
        self.executed = 0

    def execute(self, calls: Sequence[str]) -> None:
        """Execute calls of every source; calls that no patch returns from are left out."""
        new = [call for call in dict.fromkeys(calls) if call not in self.calls]
        if not new:
            return
        ends = [self._run(self.program, source, new) for source in self.sources]
        self.executed += len(new) * len(self.sources)
        usable = [at for at in range(len(new)) if any(row[at].kind == "returned" for row in ends[1:])]
        self.calls += [new[at] for at in usable]
        for row, results in zip(self.rows, ends, strict=True):
            row += [results[at] for at in usable]

    def _run(self, program: Program, source: str, calls: Sequence[str]) -> list[CallEnd]:
        batch = CallBatch(
            source=source, calls=tuple(calls), files=program.files, name=program.name, seconds=self.seconds
        )
        return self.runs.run(batch)

    def groups(self) -> list[list[int]]:
        """Return the rows of patches with equal results."""
        by_results: dict[tuple[tuple[str, str], ...], list[int]] = {}
        for row in range(1, len(self.rows)):
            by_results.setdefault(tuple(map(_result_key, self.rows[row])), []).append(row)
        return list(by_results.values())

    def count_changed(self, row: int) -> int:
        """Count the inputs on which a row differs from the original."""
        return sum(_result_key(a) != _result_key(b) for a, b in zip(self.rows[0], self.rows[row], strict=True))

    def tell_apart(
        self, function: str, left: int, right: int, *, record: Callable[[Program], Trace], seed: int
    ) -> str | None:
        """Search for a call on which two patches differ, by `plan input`; None without one."""
        combined = combine_sources(self.program, self.sources[left], self.sources[right], function)
        if combined is None:
            return None
        search = InputSearch(executions=SEARCH_EXECUTIONS, seed=seed, seconds=self.seconds)
        names = ", ".join(find_target(combined, _DIFFERENCE).names)
        try:
            goal = read_goal(f"{_DIFFERENCE}({names}) == True", combined.source)
            report = search.find(goal, combined, lambda batch: self.runs.run(batch), record)
        except UsageError:
            return None
        self.executed += 2 * report.executions
        if report.call is None:
            return None
        call = report.call.replace(_DIFFERENCE, function, 1)
        return find_target(self.program, function).called(call).call

    def deciding_inputs(self, rows: Sequence[int]) -> tuple[DecidingInput, ...]:
        """Choose few, short inputs that tell these rows apart."""
        chosen = list[DecidingInput]()
        together = {(left, right) for left in rows for right in rows if left < right}
        while together and len(chosen) < MAX_SHOWN_INPUTS:
            at = max(range(len(self.calls)), key=lambda at: self._worth(at, rows, together), default=None)
            split = set() if at is None else self._split(at, together)
            if at is None or not split:
                break
            together -= split
            ends = [self.rows[row][at] for row in rows]
            results = tuple(map(describe_end, ends))
            chosen.append(DecidingInput(self.calls[at], results, tuple(end.kind == "returned" for end in ends)))
        return tuple(chosen)

    def _split(self, at: int, pairs: set[tuple[int, int]]) -> set[tuple[int, int]]:
        return {pair for pair in pairs if len({_result_key(self.rows[row][at]) for row in pair}) > 1}

    def _worth(self, at: int, rows: Sequence[int], pairs: set[tuple[int, int]]) -> tuple[int, int, int]:
        """How good an input is to decide by: pairs told apart, patches that return, and shortness."""
        returned = sum(self.rows[row][at].kind == "returned" for row in rows)
        is_first_returned = self.rows[rows[0]][at].kind == "returned"
        return len(self._split(at, pairs)), is_first_returned + returned, -len(self.calls[at])


def _result_key(end: CallEnd) -> tuple[str, str]:
    """What of a result is compared: the value, or the class of the exception; messages depend on how it is written."""
    if end.kind == "raised":
        return end.kind, end.value.partition("(")[0]
    return end.kind, end.value if end.kind == "returned" else ""


def combine_sources(program: Program, left: str, right: str, function: str) -> Program | None:
    """Build a program whose function `patches_differ` calls a function of both sources; or None."""
    tree = syntax(left)
    node = next((n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == function), None) if tree else None
    if node is None or node.args.vararg or node.args.kwarg or node.args.kwonlyargs:
        return None
    names = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)]
    listed = "".join(f"{name}, " for name in names)
    template = _COMBINED.format(
        difference=_DIFFERENCE, function=function, parameters=ast.unparse(node.args), names=listed
    )
    both = (*program.files, ("other_patch.py", right))
    return replace(program, source=f"{left}\n\n{template}", files=both, call=None)


def tested_functions(program: Program, tests: CheckSet) -> list[str]:
    """Return the top-level functions that the tests call, the most often called first."""
    tree = syntax(program.source)
    defined = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)] if tree else []
    called = [node.func for node in _test_calls(tests)]
    names = [func.id if isinstance(func, ast.Name) else getattr(func, "attr", "") for func in called]
    return sorted((name for name in defined if name in names), key=lambda name: -names.count(name))[:MAX_FUNCTIONS]


def _test_calls(tests: CheckSet) -> list[ast.Call]:
    trees = [syntax(text) for text in (tests.source, *(check.call for check in tests.checks))]
    return [node for tree in trees if tree is not None for node in ast.walk(tree) if isinstance(node, ast.Call)]


def draw_calls(program: Program, tests: CheckSet, function: str, *, count: int, seed: int) -> list[str]:
    """Draw calls of a function: the arguments of the tests, varied, and arguments of the types of its parameters."""
    try:
        target = find_target(program, function)
    except UsageError:
        return []
    rng = Random(f"compare/{seed}/{function}")
    known = list(_literal_arguments(tests, function))
    material = Material.of(program.source, repr(known[:20]))
    is_sorted = [all(_is_sorted(row[at : at + 1]) for row in known) for at in range(max(map(len, known), default=0))]
    drawer, calls = Drawer(target), list[str]()
    for number in range(count):
        if known and number >= count * DRAWN_SHARE:
            values = [_vary(rng, value, material) for value in rng.choice(known)]
            values = [sorted(v) if keep and _can_sort(v) else v for v, keep in zip(values, is_sorted, strict=False)]
            call = f"{function}({', '.join(map(repr, values))})"
        else:
            call = drawer.call(rng)
        if len(call) <= MAX_CALL_CHARACTERS and syntax(call) is not None:
            calls.append(target.called(call).call or call)
    return calls


def _literal_arguments(tests: CheckSet, function: str) -> list[list[Any]]:
    """Return the arguments of the tests' calls of a function that are literals."""
    rows = list[list[Any]]()
    for node in _test_calls(tests):
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        if name != function or node.keywords:
            continue
        try:
            rows.append([ast.literal_eval(argument) for argument in node.args])
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            continue
    return rows


def _vary(rng: Random, value: Any, material: Material) -> Any:
    for _ in range(rng.randrange(MAX_VARIATIONS)):
        value = vary_value(rng, value, material)
    return value


def _is_sorted(argument: list[Any]) -> bool:
    """Whether an argument, if there is one, is a sorted list of several values."""
    return all(_can_sort(value) and value == sorted(value) for value in argument)


def _can_sort(value: Any) -> bool:
    kinds = {type(item) for item in value} if isinstance(value, list) else set()
    return isinstance(value, list) and len(kinds) <= 1 and kinds <= {int, float, str}

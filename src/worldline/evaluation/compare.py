"""Two runs of one suite, sample by sample: what flipped and why, and whether that is more than chance.

Only samples that both runs judged are looked at: same task and program, or, whatever they are called, the same program
and call (a run that was scored from outputs names and writes them in its own way). Of samples that are alike in both,
the first is paired with the first. Runs of other suites or seeds are refused.
The test is McNemar's, exact: of the samples that flipped, as many would go each way by chance.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worldline.core.errors import UsageError
from worldline.core.fault import RowFault, call_or_fault
from worldline.core.stats import Paired, Share
from worldline.evaluation.external.program import identity
from worldline.evaluation.run.directory import differences, newest, read_config
from worldline.evaluation.score import Verdict

VerdictPair = tuple[Verdict, Verdict]


@dataclass(frozen=True)
class Flip:
    """A sample whose answer is right in one run alone; the cause and its detail are those of the run that failed."""

    name: str
    is_lost: bool
    type: str
    steps: int
    outcome: str
    cause: str
    note: str

    def as_json(self) -> dict[str, Any]:
        """All of it."""
        way = "right -> wrong" if self.is_lost else "wrong -> right"
        told = {key: getattr(self, key) for key in ("type", "steps", "outcome", "cause", "note")}
        return {"name": self.name, "flip": way, **told}


@dataclass(frozen=True)
class Comparison:
    """Two runs on the samples that they share. `unpaired`: those that only the first, only the second has.

    `paired_by` counts what pairs were found by.
    `by_cause` says of each cause of failure how many samples fell to it (regressed), got rid of it (recovered), or are
    wrong both times (by the first run's cause). `differences` are the settings that are not the same. `faults` counts
    the records whose verdict could not be read: they are in neither run. `drawn` are traces given the predictions' own
    draws, of samples in which both runs made some.
    """

    suite: str
    models: tuple[str, str]
    flips: tuple[Flip, ...]
    answer: Paired
    trace: Paired
    by_cause: dict[str, Paired]
    by_type: dict[str, Paired]
    unpaired: tuple[tuple[str, ...], tuple[str, ...]]
    paired_by: dict[str, int]
    differences: dict[str, tuple[Any, Any]]
    faults: int = 0
    drawn: Paired | None = None

    @property
    def apart(self) -> tuple[int, int]:
        """How many samples only the first, only the second has."""
        return len(self.unpaired[0]), len(self.unpaired[1])

    def as_json(self) -> dict[str, Any]:
        """What `compare --json` prints."""
        return {
            "suite": self.suite,
            "models": list(self.models),
            "flips": [flip.as_json() for flip in self.flips],
            "answer": _json(self.answer),
            "trace": _json(self.trace),
            **({"drawn": _json(self.drawn)} if self.drawn is not None else {}),
            "by_cause": {name: some.as_json() for name, some in self.by_cause.items()},
            "by_type": {name: _json(some) for name, some in self.by_type.items()},
            "apart": list(self.apart),
            "unpaired": [list(names) for names in self.unpaired],
            "paired_by": self.paired_by,
            "faults": self.faults,
            "differences": {key: list(values) for key, values in self.differences.items()},
        }


def _drawn(pairs: Iterable[VerdictPair]) -> Paired | None:
    found = [(a.drawn, b.drawn) for a, b in pairs if a.drawn and b.drawn]
    return _paired(found) if found else None


def rates(some: Paired) -> tuple[Share, Share]:
    """How many of its samples each run has right."""
    return Share(some.right + some.regressed, some.n), Share(some.right + some.recovered, some.n)


def _json(some: Paired) -> dict[str, Any]:
    return {**some.as_json(), "rates": [rate.as_json() for rate in rates(some)]}


def compare(first: Path, second: Path) -> Comparison:
    """Two runs' directories, the earlier one first."""
    configs = read_config(first), read_config(second)
    _refuse_others(configs, (first, second))
    (one, faults), (other, more) = _judged(first), _judged(second)
    paired = _matched(one, other)
    if not any(paired.values()):
        raise UsageError(f"{first} and {second} have no sample in common")
    pairs = [(a.verdict, b.verdict) for found in paired.values() for a, b in found]
    taken = {id(each) for found in paired.values() for pair in found for each in pair}
    return Comparison(
        suite=str(configs[0]["suite"]),
        models=(str(configs[0]["model"]), str(configs[1]["model"])),
        flips=tuple(
            sorted(map(_flip, filter(_is_flip, pairs)), key=lambda flip: (not flip.is_lost, flip.cause))
        ),
        answer=_paired((a.answer, b.answer) for a, b in pairs),
        trace=_paired((a.trace, b.trace) for a, b in pairs),
        drawn=_drawn(pairs),
        by_cause=_by_cause(pairs),
        by_type=_by_type(pairs),
        unpaired=(
            tuple(sorted(each.title for each in one if id(each) not in taken)),
            tuple(sorted(each.title for each in other if id(each) not in taken)),
        ),
        paired_by={by: len(found) for by, found in paired.items() if found},
        differences=_settings(*configs),
        faults=faults + more,
    )


def _refuse_others(configs: tuple[dict[str, Any], dict[str, Any]], paths: tuple[Path, Path]) -> None:
    for what, values in (
        ("suite", [config["suite"] for config in configs]),
        ("seed", [(config.get("options") or {}).get("seed") for config in configs]),
    ):
        if values[0] != values[1]:
            told = " and ".join(f"{path} of {value}" for path, value in zip(paths, values, strict=True))
            raise UsageError(f"runs of one {what} compare: {told} do not")


@dataclass(frozen=True, eq=False)
class _Judged:
    """A verdict with the task's name and the digest of its program."""

    name: str
    program: str
    verdict: Verdict

    @property
    def title(self) -> str:
        return self.name or self.verdict.task.program.call or self.verdict.task.program.name


def _judged(path: Path) -> tuple[list[_Judged], int]:
    """The verdicts of a run, and how many could not be read."""
    found, faults = list[_Judged](), 0
    for record in newest(path).values():
        if record.counts:
            verdict = call_or_fault(record.verdict)
            if isinstance(verdict, RowFault):
                faults += 1
            else:
                found.append(_Judged(record.name, record.program, verdict))
    return found, faults


_KEYS: dict[str, Callable[[_Judged], Hashable]] = {
    "id and program": lambda one: (one.name, one.program),
    "program and call": lambda one: identity(one.verdict.task.program),
}


def _matched(one: list[_Judged], other: list[_Judged]) -> dict[str, list[tuple[_Judged, _Judged]]]:
    """The pairs, by what they were found by: the surest first, the rest among what that left over."""
    matched: dict[str, list[tuple[_Judged, _Judged]]] = {}
    for by, key in _KEYS.items():
        waiting: dict[Hashable, deque[_Judged]] = {}
        for each in other:
            waiting.setdefault(key(each), deque()).append(each)
        pairs = [(each, waiting[key(each)].popleft()) for each in one if waiting.get(key(each))]
        matched[by] = pairs
        taken = {id(each) for pair in pairs for each in pair}
        one, other = ([each for each in some if id(each) not in taken] for some in (one, other))
    return matched


def _is_flip(pair: VerdictPair) -> bool:
    return (pair[0].answer == "right") != (pair[1].answer == "right")


def _flip(pair: VerdictPair) -> Flip:
    is_lost = pair[0].answer == "right"
    failed = pair[1] if is_lost else pair[0]
    task = failed.task
    name = task.name or task.program.call or task.program.name
    return Flip(name, is_lost, failed.type, failed.steps, failed.answer, failed.cause, failed.note)


def _paired(outcomes: Iterable[tuple[str, str]]) -> Paired:
    counts = Counter((one == "right", other == "right") for one, other in outcomes)
    return Paired(counts[True, True], counts[True, False], counts[False, True], counts[False, False])


def _by_cause(pairs: list[VerdictPair]) -> dict[str, Paired]:
    """By the cause of the run that failed, of the first where both did; the commonest first."""
    groups: dict[str, list[VerdictPair]] = {}
    for pair in pairs:
        failed = next((verdict for verdict in pair if verdict.answer != "right"), None)
        if failed is not None:
            groups.setdefault(failed.cause, []).append(pair)
    ordered = sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
    return {name: _paired((a.answer, b.answer) for a, b in some) for name, some in ordered}


def _by_type(pairs: list[VerdictPair]) -> dict[str, Paired]:
    groups: dict[str, list[VerdictPair]] = {}
    for pair in pairs:
        groups.setdefault(pair[0].type, []).append(pair)
    return {name: _paired((a.answer, b.answer) for a, b in groups[name]) for name in sorted(groups)}


def _settings(one: dict[str, Any], other: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    """The settings that differ, other than the model's name."""
    return {key: values for key, values in differences(one, other).items() if key != "model"}

"""Compares runs of one suite sample by sample: what flipped and why, and whether that is more than chance.

Only samples that all runs judged are compared. They are paired by task and program or, failing that, by program and
call, as runs scored from files use their own names. Of several equal samples, the first is paired with the first. Runs
of other suites or seeds are refused. The test is McNemar's exact test on the samples that flipped, and the interval of
the difference is Tango's. `compare` takes two runs; `align` takes any number, for a page that compares all of them.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worldline.core.errors import UsageError
from worldline.core.fault import RowFault, call_or_fault
from worldline.core.stats import Paired, Share, tango
from worldline.evaluation.external.program import identity
from worldline.evaluation.run.directory import differences, newest, read_config
from worldline.evaluation.score import Verdict

VerdictPair = tuple[Verdict, Verdict]


@dataclass(frozen=True)
class Flip:
    """A sample whose answer is right in only one run, with the cause of the other run's failure."""

    name: str
    is_lost: bool
    type: str
    steps: int
    outcome: str
    cause: str
    note: str

    def as_json(self) -> dict[str, Any]:
        direction = "right -> wrong" if self.is_lost else "wrong -> right"
        values = {key: getattr(self, key) for key in ("type", "steps", "outcome", "cause", "note")}
        return {"name": self.name, "flip": direction, **values}


@dataclass(frozen=True)
class Comparison:
    """Two runs on the samples that they share.

    Attributes:
        flips: The samples that are right in only one run.
        by_cause: For each cause of failure, the samples that regressed, recovered, or are wrong in both runs (by the
            first run's cause).
        unpaired: The names of the samples that only the first run has, and those that only the second has.
        paired_by: How many samples were paired by which key.
        differences: The settings that differ.
        faults: The records whose verdict could not be read; they are in neither run.
        drawn: Traces given the predictions' own draws, for samples in which both runs drew.
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
        """How many samples only the first run has, and how many only the second."""
        return len(self.unpaired[0]), len(self.unpaired[1])

    def as_json(self) -> dict[str, Any]:
        """Return what `compare --json` prints."""
        return {
            "suite": self.suite,
            "models": list(self.models),
            "flips": [flip.as_json() for flip in self.flips],
            "answer": _json(self.answer),
            "trace": _json(self.trace),
            **({"drawn": _json(self.drawn)} if self.drawn is not None else {}),
            "by_cause": {name: paired.as_json() for name, paired in self.by_cause.items()},
            "by_type": {name: _json(paired) for name, paired in self.by_type.items()},
            "apart": list(self.apart),
            "unpaired": [list(names) for names in self.unpaired],
            "paired_by": self.paired_by,
            "faults": self.faults,
            "differences": {key: list(values) for key, values in self.differences.items()},
        }


@dataclass(frozen=True, kw_only=True)
class AlignedRuns:
    """Any number of runs on the samples that all of them judged.

    Attributes:
        places: For each common sample, its place in each run.
        unpaired: For each run, the names of its samples that another run lacks.
        differences: For each run, the settings that differ from the first run's.
        faults: The records whose verdict could not be read; they are in no run.
    """

    suite: str
    models: tuple[str, ...]
    places: tuple[tuple[int, ...], ...]
    unpaired: tuple[tuple[str, ...], ...]
    differences: tuple[dict[str, tuple[Any, Any]], ...]
    faults: int = 0


def align(paths: Sequence[Path]) -> AlignedRuns:
    """Find the samples that all of some runs judged. Each run is paired with the first.

    Raises:
        UsageError: The runs have other suites or seeds, or no sample in common.
    """
    configs = [read_config(path) for path in paths]
    for config, path in zip(configs[1:], paths[1:], strict=True):
        _refuse_other_suites((configs[0], config), (paths[0], path))
    judged = [_judged(path) for path in paths]
    first, *others = (rows for rows, _ in judged)
    partners = [{id(a): b for matches in _matched(first, rows).values() for a, b in matches} for rows in others]
    common = [
        (sample, *(partner[id(sample)] for partner in partners))
        for sample in first
        if all(id(sample) in partner for partner in partners)
    ]
    if not common:
        raise UsageError(f"{', '.join(map(str, paths))} have no sample in common")
    taken = {id(sample) for row in common for sample in row}
    return AlignedRuns(
        suite=str(configs[0]["suite"]),
        models=tuple(str(config["model"]) for config in configs),
        places=tuple(tuple(sample.at for sample in row) for row in common),
        unpaired=tuple(tuple(sorted(sample.title for sample in rows if id(sample) not in taken)) for rows, _ in judged),
        differences=tuple(_settings(configs[0], config) for config in configs),
        faults=sum(faults for _, faults in judged),
    )


def _drawn(pairs: Iterable[VerdictPair]) -> Paired | None:
    outcomes = [(a.drawn, b.drawn) for a, b in pairs if a.drawn and b.drawn]
    return _paired(outcomes) if outcomes else None


def rates(paired: Paired) -> tuple[Share, Share]:
    """Return the share of samples that each run has right."""
    return Share(paired.right + paired.regressed, paired.n), Share(paired.right + paired.recovered, paired.n)


def _json(paired: Paired) -> dict[str, Any]:
    difference = tango(paired)
    return {
        **paired.as_json(),
        "rates": [rate.as_json() for rate in rates(paired)],
        "change": None if difference is None else difference.as_json(),
    }


def compare(first: Path, second: Path) -> Comparison:
    """Compare the directories of two runs, the earlier run first.

    Raises:
        UsageError: The runs have other suites or seeds, or no sample in common.
    """
    configs = read_config(first), read_config(second)
    _refuse_other_suites(configs, (first, second))
    (earlier, faults), (later, later_faults) = _judged(first), _judged(second)
    paired = _matched(earlier, later)
    if not any(paired.values()):
        raise UsageError(f"{first} and {second} have no sample in common")
    pairs = [(a.verdict, b.verdict) for matches in paired.values() for a, b in matches]
    taken = {id(judged) for matches in paired.values() for pair in matches for judged in pair}
    flips = map(_flip, filter(_is_flip, pairs))
    return Comparison(
        suite=str(configs[0]["suite"]),
        models=(str(configs[0]["model"]), str(configs[1]["model"])),
        flips=tuple(sorted(flips, key=lambda flip: (not flip.is_lost, flip.cause))),
        answer=_paired((a.answer, b.answer) for a, b in pairs),
        trace=_paired((a.trace, b.trace) for a, b in pairs),
        drawn=_drawn(pairs),
        by_cause=_by_cause(pairs),
        by_type=_by_type(pairs),
        unpaired=(
            tuple(sorted(judged.title for judged in earlier if id(judged) not in taken)),
            tuple(sorted(judged.title for judged in later if id(judged) not in taken)),
        ),
        paired_by={by: len(matches) for by, matches in paired.items() if matches},
        differences=_settings(*configs),
        faults=faults + later_faults,
    )


def _refuse_other_suites(configs: tuple[dict[str, Any], dict[str, Any]], paths: tuple[Path, Path]) -> None:
    for setting, values in (
        ("suite", [config["suite"] for config in configs]),
        ("seed", [(config.get("options") or {}).get("seed") for config in configs]),
    ):
        if values[0] != values[1]:
            settings = ", ".join(f"{path} has {value}" for path, value in zip(paths, values, strict=True))
            raise UsageError(f"only runs of one {setting} can be compared: {settings}")


@dataclass(frozen=True, eq=False)
class _Judged:
    """A verdict, the task's name, the digest of its program, and its place in the run."""

    name: str
    program: str
    verdict: Verdict
    at: int

    @property
    def title(self) -> str:
        return self.name or self.verdict.task.program.call or self.verdict.task.program.name


def _judged(path: Path) -> tuple[list[_Judged], int]:
    """The verdicts of a run, and how many could not be read."""
    judged, faults = list[_Judged](), 0
    for record in newest(path).values():
        if record.counts:
            verdict = call_or_fault(record.verdict)
            if isinstance(verdict, RowFault):
                faults += 1
            else:
                judged.append(_Judged(record.name, record.program, verdict, record.at))
    return judged, faults


_KEYS: dict[str, Callable[[_Judged], Hashable]] = {
    "id and program": lambda judged: (judged.name, judged.program),
    "program and call": lambda judged: identity(judged.verdict.task.program),
}


def _matched(earlier: list[_Judged], later: list[_Judged]) -> dict[str, list[tuple[_Judged, _Judged]]]:
    """The pairs by the key that matched: the strictest key first, the next one on what is left."""
    matched: dict[str, list[tuple[_Judged, _Judged]]] = {}
    for by, key in _KEYS.items():
        waiting: dict[Hashable, deque[_Judged]] = {}
        for judged in later:
            waiting.setdefault(key(judged), deque()).append(judged)
        pairs = [(judged, waiting[key(judged)].popleft()) for judged in earlier if waiting.get(key(judged))]
        matched[by] = pairs
        taken = {id(judged) for pair in pairs for judged in pair}
        earlier, later = ([judged for judged in rows if id(judged) not in taken] for rows in (earlier, later))
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
    counts = Counter((first == "right", second == "right") for first, second in outcomes)
    return Paired(counts[True, True], counts[True, False], counts[False, True], counts[False, False])


def _by_cause(pairs: list[VerdictPair]) -> dict[str, Paired]:
    """By the cause of the run that failed (of the first if both did), the commonest first."""
    groups: dict[str, list[VerdictPair]] = {}
    for pair in pairs:
        failed = next((verdict for verdict in pair if verdict.answer != "right"), None)
        if failed is not None:
            groups.setdefault(failed.cause, []).append(pair)
    ordered = sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
    return {name: _paired((a.answer, b.answer) for a, b in members) for name, members in ordered}


def _by_type(pairs: list[VerdictPair]) -> dict[str, Paired]:
    groups: dict[str, list[VerdictPair]] = {}
    for pair in pairs:
        groups.setdefault(pair[0].type, []).append(pair)
    return {name: _paired((a.answer, b.answer) for a, b in groups[name]) for name in sorted(groups)}


def _settings(first: dict[str, Any], second: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    """The settings that differ, besides the model's name."""
    return {key: values for key, values in differences(first, second).items() if key != "model"}

"""Two runs of one suite, sample by sample: what flipped and why, and whether that is more than chance.

Only samples that both runs judged are looked at: same task, same program. Runs of other suites or seeds are refused.
The test is McNemar's, exact: of the samples that flipped, as many would go each way by chance.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worldline.errors import UsageError
from worldline.fence import RowFault, fenced
from worldline.stats import Paired, Share
from worldline.suites.run.directory import differences, newest, read_config
from worldline.suites.score import Verdict

Pair = tuple[Verdict, Verdict]


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
    """Two runs on the samples that they share. `apart`: how many samples only the first, only the second has.

    `by_cause` says of each cause of failure how many samples fell to it (regressed), got rid of it (recovered), or are
    wrong both times (by the first run's cause). `differences` are the settings that are not the same. `faults` counts
    the records whose verdict could not be read: they are in neither run.
    """

    suite: str
    models: tuple[str, str]
    flips: tuple[Flip, ...]
    answer: Paired
    trace: Paired
    by_cause: dict[str, Paired]
    by_type: dict[str, Paired]
    apart: tuple[int, int]
    differences: dict[str, tuple[Any, Any]]
    faults: int = 0

    def as_json(self) -> dict[str, Any]:
        """What `compare --json` prints."""
        return {
            "suite": self.suite,
            "models": list(self.models),
            "flips": [flip.as_json() for flip in self.flips],
            "answer": _json(self.answer),
            "trace": _json(self.trace),
            "by_cause": {name: some.as_json() for name, some in self.by_cause.items()},
            "by_type": {name: _json(some) for name, some in self.by_type.items()},
            "apart": list(self.apart),
            "faults": self.faults,
            "differences": {key: list(values) for key, values in self.differences.items()},
        }


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
    shared = [key for key in one if key in other]
    if not shared:
        raise UsageError(f"{first} and {second} have no sample in common")
    pairs = [(one[key], other[key]) for key in shared]
    return Comparison(
        suite=str(configs[0]["suite"]),
        models=(str(configs[0]["model"]), str(configs[1]["model"])),
        flips=tuple(
            sorted(map(_flip, filter(_is_flip, pairs)), key=lambda flip: (not flip.is_lost, flip.cause))
        ),
        answer=_paired((a.answer, b.answer) for a, b in pairs),
        trace=_paired((a.trace, b.trace) for a, b in pairs),
        by_cause=_by_cause(pairs),
        by_type=_by_type(pairs),
        apart=(len(one) - len(shared), len(other) - len(shared)),
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


def _judged(path: Path) -> tuple[dict[tuple[str, str, int], Verdict], int]:
    """The verdicts of a run, by task and program, and how many could not be read.

    Tasks that are alike in both are told apart by their order.
    """
    found: dict[tuple[str, str, int], Verdict] = {}
    times: Counter[tuple[str, str]] = Counter()
    faults = 0
    for record in newest(path).values():
        if record.counts:
            key = record.name, record.program
            verdict = fenced(record.verdict)
            if isinstance(verdict, RowFault):
                faults += 1
            else:
                found[*key, times[key]] = verdict
            times[key] += 1
    return found, faults


def _is_flip(pair: Pair) -> bool:
    return (pair[0].answer == "right") != (pair[1].answer == "right")


def _flip(pair: Pair) -> Flip:
    is_lost = pair[0].answer == "right"
    failed = pair[1] if is_lost else pair[0]
    task = failed.task
    name = task.name or task.program.call or task.program.name
    return Flip(name, is_lost, failed.type, failed.steps, failed.answer, failed.cause, failed.note)


def _paired(outcomes: Iterable[tuple[str, str]]) -> Paired:
    counts = Counter((one == "right", other == "right") for one, other in outcomes)
    return Paired(counts[True, True], counts[True, False], counts[False, True], counts[False, False])


def _by_cause(pairs: list[Pair]) -> dict[str, Paired]:
    """By the cause of the run that failed, of the first where both did; the commonest first."""
    groups: dict[str, list[Pair]] = {}
    for pair in pairs:
        failed = next((verdict for verdict in pair if verdict.answer != "right"), None)
        if failed is not None:
            groups.setdefault(failed.cause, []).append(pair)
    ordered = sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
    return {name: _paired((a.answer, b.answer) for a, b in some) for name, some in ordered}


def _by_type(pairs: list[Pair]) -> dict[str, Paired]:
    groups: dict[str, list[Pair]] = {}
    for pair in pairs:
        groups.setdefault(pair[0].type, []).append(pair)
    return {name: _paired((a.answer, b.answer) for a, b in groups[name]) for name in sorted(groups)}


def _settings(one: dict[str, Any], other: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    """The settings that differ, other than the model's name."""
    return {key: values for key, values in differences(one, other).items() if key != "model"}

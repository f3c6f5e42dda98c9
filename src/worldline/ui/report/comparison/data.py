"""Gathers several runs for their comparison: the samples that all of them judged, and how each run differs.

The first run is the baseline. The others are ordered by their answers, then their traces, then their labels, so that
the order in which they are named changes nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from worldline.core.clusters.shares import ClusteredShare, clustered, corrected, paired_effect, widened
from worldline.core.stats import Paired, RateDifference, tango
from worldline.evaluation.compare import AlignedRuns, align
from worldline.evaluation.conclusion import Conclusion, conclude
from worldline.evaluation.run.directory import MAX_JSON_BYTES, REPORT, read_config
from worldline.evaluation.selection import Selection, read_selection
from worldline.evaluation.summary import report
from worldline.storage import listing
from worldline.ui.report.comparisons import cluster
from worldline.ui.report.data import Findings, gather
from worldline.ui.report.samples import JudgedSample

MEASURES = ("answer", "trace")
MAX_LABEL_CHARS = 26  # in heads and figures


@dataclass(frozen=True, kw_only=True)
class ComparedRun:
    """One of the compared runs: its findings on the common samples, in the order of the baseline's samples.

    `unpaired` are the names of its samples that another run lacks, and `differences` its settings that differ from the
    baseline's. `selection` says how the rows of a scored file were selected.
    """

    label: str
    path: Path
    findings: Findings
    unpaired: tuple[str, ...]
    differences: dict[str, tuple[Any, Any]]
    selection: Selection | None = None

    @cached_property
    def conclusion(self) -> Conclusion:
        """Where this run fails on the common samples, why, and what would fix it."""
        return conclude(self.findings.sums, self.findings.interventions, self.selection)

    @property
    def seen(self) -> tuple[JudgedSample, ...]:
        """The common samples."""
        return self.findings.seen

    def right(self, measure: str) -> ClusteredShare:
        """Return the share of right answers or traces, clustered by program."""
        groups: dict[Hashable, list[int]] = {}
        for sample in self.seen:
            groups.setdefault(cluster(sample), []).append(is_right(sample, measure))
        return clustered((sum(group), len(group)) for group in groups.values())


@dataclass(frozen=True)
class PairedChange:
    """A run against the baseline: the paired outcomes, the difference, and McNemar's p, both clustered by program."""

    pairs: Paired
    difference: RateDifference | None
    p: float


@dataclass(frozen=True, kw_only=True)
class ComparedRuns:
    """Several runs on the samples that all of them judged; `runs` starts with the baseline."""

    suite: str
    runs: tuple[ComparedRun, ...]
    unread: int

    @property
    def baseline(self) -> ComparedRun:
        """The run with which the others are compared."""
        return self.runs[0]

    @property
    def others(self) -> tuple[ComparedRun, ...]:
        """All runs but the baseline, best first."""
        return self.runs[1:]

    @property
    def n(self) -> int:
        """How many samples all runs judged."""
        return len(self.baseline.seen)

    @property
    def labels(self) -> tuple[str, ...]:
        """What the runs are called."""
        return tuple(run.label for run in self.runs)

    @property
    def short_labels(self) -> tuple[str, ...]:
        """The labels for heads and figures: long ones without their middle, as models differ at their ends."""
        return tuple(map(without_middle, self.labels))

    @cached_property
    def is_clustered(self) -> bool:
        """Whether some samples have the same code."""
        return len({cluster(sample) for sample in self.baseline.seen}) < self.n

    def change(self, run: ComparedRun, measure: str) -> PairedChange:
        """Compare a run with the baseline, sample by sample."""
        groups: dict[Hashable, list[int]] = {}
        outcomes: Counter[tuple[bool, bool]] = Counter()
        for before, after in zip(self.baseline.seen, run.seen, strict=True):
            outcome = is_right(before, measure), is_right(after, measure)
            outcomes[outcome] += 1
            groups.setdefault(cluster(before), []).append(outcome[1] - outcome[0])
        order = ((True, True), (True, False), (False, True), (False, False))
        pairs = Paired(*(outcomes[outcome] for outcome in order))
        effect = paired_effect(groups)
        return PairedChange(pairs, widened(tango(pairs), effect), corrected(pairs.p, effect))

    def flips(self, run: ComparedRun) -> list[tuple[JudgedSample, JudgedSample]]:
        """Return the samples whose answer is right in only one of the baseline and a run; lost ones first."""
        pairs = zip(self.baseline.seen, run.seen, strict=True)
        flipped = [pair for pair in pairs if is_right(pair[0], "answer") != is_right(pair[1], "answer")]
        return sorted(flipped, key=lambda pair: (not is_right(pair[0], "answer"), failing(pair).verdict.cause))


def without_middle(label: str) -> str:
    """Return a label that fits a head or a figure."""
    if len(label) <= MAX_LABEL_CHARS:
        return label
    end = MAX_LABEL_CHARS // 2
    return f"{label[: MAX_LABEL_CHARS - end - 1]}…{label[-end:]}"


def is_right(sample: JudgedSample, measure: str) -> bool:
    """Return whether the answer or the trace of a sample is right."""
    return (sample.verdict.answer if measure == "answer" else sample.verdict.trace) == "right"


def failing(pair: tuple[JudgedSample, JudgedSample]) -> JudgedSample:
    """Return the sample of a flip whose answer is not right."""
    return pair[1] if is_right(pair[0], "answer") else pair[0]


def gather_runs(paths: Sequence[Path], *, tokenizer: str | None = None) -> ComparedRuns:
    """Gather several runs; the first is the baseline.

    Args:
        paths: The directories of the runs.
        tokenizer: Counts the tokens, as in `gather`.

    Raises:
        UsageError: The runs have other suites or seeds, or no sample in common.
    """
    aligned = align(paths)
    findings = [gather(path, limit=0, tokenizer=tokenizer) for path in paths]
    kept_rows = _readable(aligned, findings)
    labels = _labels(aligned.models, paths)
    runs = [
        ComparedRun(
            label=labels[number],
            path=path,
            findings=_only(findings[number], [row[number] for row in kept_rows]),
            unpaired=aligned.unpaired[number],
            differences=aligned.differences[number],
            selection=_selection(path),
        )
        for number, path in enumerate(paths)
    ]
    ranked = sorted(runs[1:], key=_rank)
    unread = sum(one_run.unread for one_run in findings)
    return ComparedRuns(suite=aligned.suite, runs=(runs[0], *ranked), unread=unread)


def _selection(path: Path) -> Selection | None:
    """How the rows of a run were selected, as its stored report says."""
    if not (path / REPORT).exists():
        return None
    return read_selection(listing.read_object(path / REPORT, limit=MAX_JSON_BYTES).get("selection"))


def _rank(run: ComparedRun) -> tuple[int, int, str]:
    answer, trace = (run.right(measure).some for measure in MEASURES)
    return -answer, -trace, run.label


def _readable(aligned: AlignedRuns, findings: Sequence[Findings]) -> list[tuple[int, ...]]:
    """The common samples on which the tool did not fail in any run."""
    known = [{sample.at for sample in run.seen} for run in findings]
    return [row for row in aligned.places if all(at in places for at, places in zip(row, known, strict=True))]


def _only(findings: Findings, places: Sequence[int]) -> Findings:
    """The findings of some samples, in this order."""
    by_place = {sample.at: sample for sample in findings.seen}
    seen = tuple(by_place[at] for at in places)
    verdicts = [sample.verdict for sample in seen]
    ungrouped = [replace(verdict, task=replace(verdict.task, group="")) for verdict in verdicts]
    suite, model = findings.sums.suite, findings.sums.model
    counts = {name: getattr(findings.sums, name) for name in ("skipped", "faults", "disagrees")}
    return replace(
        findings,
        seen=seen,
        sums=report(verdicts, suite=suite, model=model, **counts),
        by_steps=report(ungrouped, suite=suite, model=model),
    )


def _labels(names_of_models: Sequence[str], paths: Sequence[Path]) -> list[str]:
    """The names of the models; with the folder of the run where two have the same name, with its number at last."""
    padded = [bool(read_config(path).get("scratchpad")) for path in paths]
    models = [
        f"{model}, no scratchpad" if any(padded) and not is_padded else model
        for model, is_padded in zip(names_of_models, padded, strict=True)
    ]
    names = [path.resolve().name for path in paths]
    labels = [
        f"{model} ({name})" if models.count(model) > 1 else model for model, name in zip(models, names, strict=True)
    ]
    return [
        f"{label} {labels[:number].count(label) + 1}" if labels.count(label) > 1 else label
        for number, label in enumerate(labels)
    ]
